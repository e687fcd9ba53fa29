// The doubts about naming a winner, in short, and the checks that they fail.
import type { Answered } from '@pronghorn/core/answer';
import { doubtNames } from '@pronghorn/core/text';
import type { Doubt } from '@pronghorn/core/vocabulary';

/** Each doubt with the number of cells that have it for any of their protocols. Leaves out unfinished cells, which have no fault. */
export function doubtCounts(cells: readonly Pick<Answered, 'comparison'>[]): { doubt: Doubt; count: number }[] {
  const all = cells.flatMap(({ comparison }) => [...new Set(comparison.doubts)].filter((doubt) => doubt !== 'unfinished'));
  return [...Map.groupBy(all, (doubt) => doubt)].map(([doubt, its]) => ({ doubt, count: its.length })).sort((a, b) => b.count - a.count);
}

/** What speaks for the measurement, by doubts that the API has none of. */
const checks: readonly { name: string; doubts: readonly Doubt[] }[] = [
  { name: 'Links did what their conditions ask', doubts: ['link', 'refused'] },
  { name: 'The machine was fast enough for the loads that count', doubts: ['saturated', 'receive-drops'] },
  { name: 'HTTP/3 and HTTP/2 loaded the same page, each over its protocol', doubts: ['parity', 'little-h3'] },
  { name: 'Enough loads count over both protocols', doubts: ['invalid-visits', 'metric-missing', 'fails-more', 'not-loaded'] },
];
export type QualityCheck = { name: string /** Cells that fail it. */; failed: number; doubts: string[] };

/** Empty where HTTP/3 and HTTP/2 are not compared: then the API judges none of it. */
export function qualityChecks(cells: readonly Answered[]): QualityCheck[] {
  if (cells.length === 0) return [];
  return checks.map(({ name, doubts }) => {
    const failed = cells.filter(({ comparison }) => comparison.doubts.some((doubt) => doubts.includes(doubt)));
    const met = doubts.filter((doubt) => failed.some(({ comparison }) => comparison.doubts.includes(doubt)));
    return { name, failed: failed.length, doubts: met.map((doubt) => doubtNames[doubt]) };
  });
}
