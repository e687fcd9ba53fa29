// The doubts about naming a winner, in short, and the checks that they fail.
import { type Answered, caveatsAt } from '@pronghorn/core/answer';
import type { Caveat } from '@pronghorn/core/schemas';
import { doubtNames } from '@pronghorn/core/text';
import { type CaveatCode, caveatKinds, type Doubt } from '@pronghorn/core/vocabulary';
import { many } from '../../text/format.ts';

/** Each doubt with the number of cells that have it for any of their protocols. Leaves out unfinished cells, which have no fault. */
export function doubtCounts(cells: readonly Pick<Answered, 'comparison'>[]): { doubt: Doubt; count: number }[] {
  const all = cells.flatMap(({ comparison }) => [...new Set(comparison.doubts)].filter((doubt) => doubt !== 'unfinished'));
  return [...Map.groupBy(all, (doubt) => doubt)].map(([doubt, its]) => ({ doubt, count: its.length })).sort((a, b) => b.count - a.count);
}

/** What speaks for the measurement, by doubts and limits that the API has none of. */
const checks: readonly { name: string; doubts: readonly Doubt[]; caveats: readonly CaveatCode[]; none?: CaveatCode }[] = [
  { name: 'The page that was asked for was measured, and the whole of it', doubts: [], caveats: ['redirected', 'broken'] },
  { name: 'Links did what their conditions ask', doubts: ['link', 'refused'], caveats: ['unchecked'], none: 'native' },
  { name: 'The machine was fast enough for the loads that count', doubts: ['saturated', 'receive-drops'], caveats: ['busy'] },
  { name: 'HTTP/3 and HTTP/2 loaded the same page, each over its protocol', doubts: ['parity', 'little-h3'], caveats: [] },
  {
    name: 'Enough loads count over both protocols',
    doubts: ['invalid-visits', 'metric-missing', 'fails-more', 'not-loaded'],
    caveats: [],
  },
];
export interface QualityCheck {
  name: string;
  /** Cells that fail it. */
  failed: number;
  /** Why they do. */
  reasons: string[];
  /** There was nothing that it could check. */
  isIdle: boolean;
}

/** Such as: 4 of 5 checks passed. What had nothing to check counts for neither. */
export function passedWords(checks: readonly QualityCheck[]): string {
  const judged = checks.filter(({ isIdle }) => !isIdle);
  return `${judged.filter(({ failed }) => failed === 0).length} of ${many(judged.length, 'check')} passed`;
}

/** Empty where HTTP/3 and HTTP/2 are not compared: then the API judges none of it. */
export function qualityChecks(cells: readonly Answered[], caveats: readonly Caveat[]): QualityCheck[] {
  if (cells.length === 0) return [];
  const judged = cells.map((cell) => ({
    doubts: cell.comparison.doubts,
    codes: new Set(caveatsAt(caveats, cell).map(({ code }) => code)),
  }));
  return checks.map(({ name, none, ...of }) => {
    const failed = judged.filter(
      ({ doubts, codes }) => of.doubts.some((doubt) => doubts.includes(doubt)) || of.caveats.some((code) => codes.has(code)),
    );
    const reasons = [
      ...of.doubts.filter((doubt) => failed.some(({ doubts }) => doubts.includes(doubt))).map((doubt) => doubtNames[doubt]),
      ...of.caveats.filter((code) => failed.some(({ codes }) => codes.has(code))).map((code) => caveatKinds[code].title),
    ];
    return {
      name,
      failed: failed.length,
      reasons,
      isIdle: failed.length === 0 && none !== undefined && judged.every(({ codes }) => codes.has(none)),
    };
  });
}
