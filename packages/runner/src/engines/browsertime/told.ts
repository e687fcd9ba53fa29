// What is said between the engine and the program of a visit: the order on standard input, then lines of JSON on a pipe of its own.
import type { Limits } from '@pronghorn/core/schemas';
import type { Evidence } from '../../gather/evidence.ts';

export interface Order {
  url: string;
  limits: Limits;
  /** Of `browsertimeOptions`. */
  options: Record<string, unknown>;
  /** Folder of the package. */
  browsertime: string;
  /** Of this visit alone; its `bin` is what browsertime finds programs in. */
  folder: string;
  /** uid and gid to become; null: stay. */
  owner: number | null;
  /** Size of the display; null: no video. */
  display: { width: number; height: number } | null;
}

export type Told =
  /** An X server runs, whose lock lies in /tmp. */
  | { told: 'display'; number: number }
  /** The navigation began. */
  | { told: 'begun' }
  /** It ended, whatever is still to be read and computed. */
  | { told: 'ended' }
  | { told: 'gathered'; evidence: Gathered; product: string; commandLine: string[]; viewport: string }
  | { told: 'failed'; why: string };

export type Gathered = Omit<Evidence, 'cpu' | 'throttledMs' | 'earlierConnections'>;
