// A visitor as a load has one: references followed, own hosts named, and what the steps left.
import type { Step, Visitor } from '@pronghorn/core/schemas';
import type { Protocol as Cdp } from 'devtools-protocol';
import type { CpuSlowdown } from '../machine/benchmark-index.ts';

/** What steps leave behind, and each fresh context begins with. */
export interface VisitorState {
  cookies: Cdp.Network.CookieParam[];
  storage: { origin: string; items: [key: string, value: string][] }[];
}

/** A step with its secret in place of the reference, and the hosts that may see that; null: any. */
export type ResolvedStep = Step & { hosts?: readonly string[] | null };

export interface LoadVisitor {
  /** Values stand in place of references: never to be stored, logged or put into a flag. */
  visitor: Omit<Visitor, 'steps'> & { steps?: ResolvedStep[] };
  /** The page's, which may not be what is loaded: discovery asks other hosts too. */
  pageUrl: string;
  /** Patterns, as `ownHosts` gives them. */
  ownHosts: readonly string[];
  state: VisitorState;
  cpuSlowdown: CpuSlowdown;
}
