// Runs that stand beside each other, as charts take them.
import type { VisitRun } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import type { LineLook } from '../../charts/shown-lines.ts';
import { colour } from '../../state/theme.ts';
import { metricsOf, type ShownVisit } from '../visit/visit-names.ts';

export interface ShownRun {
  id: string;
  name: string;
  protocol: Protocol;
  run: VisitRun;
  /** Received and sent; null: without numbers. */
  bytes: number | null;
  /** Of its line: two runs of one protocol differ by their dashes. */
  look: () => LineLook;
}

/** Without those that were never performed. */
export function shownRuns(visits: readonly ShownVisit[]): ShownRun[] {
  return visits.flatMap(({ visit, name }, index) => {
    const { id, protocol, run } = visit;
    if (run === undefined) return [];
    const metrics = metricsOf(visit);
    const bytes = metrics !== null && 'sentBytes' in metrics ? metrics.transferBytes + metrics.sentBytes : null;
    const isSecond = visits.slice(0, index).some((before) => before.visit.protocol === protocol);
    return [{ id, name, protocol, run, bytes, look: () => ({ protocol, colour: colour(protocol), dash: isSecond ? [7, 3] : [] }) }];
  });
}

/** Of what is saved, without its ending. */
export const fileNameOf = (what: string, runs: readonly ShownRun[]): string =>
  `pronghorn-${what}-${runs.map(({ id }) => id.slice(0, 8)).join('-')}`;
/** Written below a picture. */
export const sourceOf = (runs: readonly ShownRun[]): string => `Runs ${runs.map(({ id }) => id.slice(0, 8)).join(' and ')}`;
