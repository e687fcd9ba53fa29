// The answer of a whole campaign in one sentence. The API's verdicts decide who is faster; this module counts them.
import { median } from '@pronghorn/core/math';
import type { Campaign, VerdictCount } from '@pronghorn/core/schemas';
import type { Doubt, VerdictOutcome } from '@pronghorn/core/vocabulary';
import { many, percent, signedNumber, signedPercent } from '../../text/format.ts';
import { adjustmentNames, metricNames, outcomeNames, protocolNames } from '../../text/vocabulary.ts';
import { type Answered, outcomeCounts } from './verdict-counts.ts';

/** The noun for a campaign's cells: `conditions` where only the condition differs. */
export function nounOf({ sites, spec }: Pick<Campaign, 'sites' | 'spec'>): string {
  const kinds = [sites.length > 1 && 'site', spec.conditions.length > 1 && 'condition', spec.views.length > 1 && 'view'].filter(
    (kind) => kind !== false,
  );
  return kinds.length === 1 ? (kinds[0] as string) : 'case';
}

/**
 * One sentence over all cells, such as: HTTP/3 is faster in 2 of 5 conditions (poor, 3g) and HTTP/2 in 1 (latency-50); equivalent in 1,
 * inconclusive in 1.
 * @param noun of `nounOf`; names of cases are too long for a sentence.
 * @param nameOf names a cell in brackets, where few have the same verdict.
 */
export function headline(cells: readonly Answered[], noun: string, nameOf: (cell: Answered) => string): string {
  const [first, ...others] = outcomeCounts(cells);
  if (first === undefined) return '';
  const preposition = noun === 'site' ? 'on' : 'in';
  const everywhere =
    cells.length === 1 ? cells.map(nameOf).join() : cells.length === 2 ? `both ${noun}s` : `all ${many(cells.length, noun)}`;
  const where = others.length === 0 ? everywhere : `${first.count} of ${many(cells.length, noun)}${namesOf(first)}`;
  const winners = others
    .filter(isWinner)
    .map((one) => ` and ${protocolNames[winnerOf(one.outcome)]} ${preposition} ${one.count}${namesOf(one)}`);
  const rest = others
    .filter((one) => !isWinner(one))
    .map(({ outcome, unfinished, count }) => `${unfinished ? 'unfinished' : outcomeNames[outcome]} ${preposition} ${count}`);
  return `${claim(first, cells, `${preposition} ${where}`)}${winners.join('')}${rest.length === 0 ? '' : `; ${rest.join(', ')}`}.`;

  function namesOf(count: VerdictCount): string {
    const its = cells.filter(({ comparison }) => comparison.outcome === count.outcome);
    return isWinner(count) && noun !== 'case' && its.length <= maxNames ? ` (${its.map(nameOf).join(', ')})` : '';
  }
}
const isWinner = ({ outcome }: VerdictCount) => outcome.endsWith('-faster');

/** More names are a list, not a sentence. */
const maxNames = 4;

function claim({ outcome, unfinished }: VerdictCount, cells: readonly Answered[], where: string): string {
  if (unfinished) return 'No verdict yet: rounds are still to come';
  if (outcome === 'equivalent') return `${protocolNames.h3} and ${protocolNames.h2} are equivalent ${where}`;
  if (outcome === 'inconclusive') return `No clear difference between ${protocolNames.h3} and ${protocolNames.h2} ${where}`;
  if (outcome !== 'not-shown-yet') return `${protocolNames[winnerOf(outcome)]} is faster ${where}`;
  const sides = new Set(cells.flatMap(({ comparison }) => (comparison.outcome === outcome ? Math.sign(comparison.shift?.value ?? 0) : [])));
  const isOneSide = sides.size === 1 && !sides.has(0);
  const who = isOneSide ? protocolNames[sides.has(-1) ? 'h3' : 'h2'] : `One of ${protocolNames.h3} and ${protocolNames.h2}`;
  return `${who} was faster in every round ${where}, but there are too few rounds`;
}

/** HTTP/3’s typical shift under one condition over several sites, in per cent and milliseconds: the median site's. Null where no site has one. */
export function typicalDifference(comparisons: readonly Pick<Answered['comparison'], 'shift' | 'shiftAtMedian'>[]): string | null {
  const shifts = comparisons.flatMap(({ shift, shiftAtMedian }) =>
    shift?.value == null ? [] : [{ share: shift.value, ms: shiftAtMedian }],
  );
  if (shifts.length === 0) return null;
  const share = median(shifts.map((one) => one.share));
  const ms = shifts.every((one) => one.ms !== null) ? median(shifts.map((one) => one.ms ?? 0)) : 0;
  const inPercent = signedPercent(share);
  const size = Math.sign(ms) === Math.sign(share) ? `${signedNumber(ms, 'ms')} ms (${inPercent})` : inPercent;
  return `HTTP/3 ${size}, ${shifts.length === 1 ? 'the one site that can be compared' : `median of ${many(shifts.length, 'site')}`}`;
}

const winnerOf = (outcome: VerdictOutcome) => outcome.slice(0, 2) as 'h1' | 'h2' | 'h3';

/** The confidence in all verdicts together. */
export function confidenceSentence({ adjustment, margin }: Campaign['spec'], comparisons: number): string {
  if (comparisons <= 1) return '';
  const among = `${comparisons} comparisons`;
  return adjustment !== 'benjamini-hochberg'
    ? `The chance of any false winner among these ${among} is at most 5 % (corrected after ${adjustmentNames[adjustment]}). Equivalent: the typical difference is inside ${percent(margin)}, each comparison by itself.`
    : `On average over campaigns, at most 5 % of the winners among these ${among} are false (corrected after Benjamini–Hochberg); the chance of at least one false winner may be far larger. Equivalent: the typical difference is inside ${percent(margin)}, each comparison by itself.`;
}

/** Stands in for a campaign whose question no verdict can answer. */
export function noQuestionWords({ primaryMetric, protocols }: Campaign['spec']): string {
  const [first = 'h2', ...others] = protocols;
  if (others.length === 0) return `Only ${protocolNames[first]} was measured: there is nothing to compare it with.`;
  if (others.every((protocol) => protocol === first)) {
    return `${protocolNames[first]} against itself (A/A): any difference between its slots is noise, and there is no verdict.`;
  }
  return `No verdict: verdicts compare HTTP/3 with HTTP/2 on a time, which this campaign lacks (its primary metric is ${metricNames[primaryMetric].name}). Its comparisons are exploratory.`;
}

/** A short name for a doubt about a winner; the API’s sentence stands with the cell. */
export const doubtNames = {
  unfinished: 'not all rounds are done',
  'not-loaded': 'the page could not be loaded',
  'too-few-rounds': 'too few rounds',
  'fails-more': 'the faster one may fail more',
  'slow-loads': 'slow visits differ',
  'two-modes': 'times have two modes',
  link: 'the link was off its condition',
  'invalid-visits': 'many visits are invalid',
  'receive-drops': 'the browser’s buffer was overrun',
  parity: 'the protocols did not load the same page',
  'little-h3': 'little came over HTTP/3',
  saturated: 'visits filled the machine',
  refused: 'the link refused a part of the page',
} as const satisfies Record<Doubt, string>;

/** Each doubt with the number of cells that have it for any of their protocols. Leaves out unfinished cells, which have no fault. */
export function doubtCounts(cells: readonly Pick<Answered, 'comparison'>[]): { doubt: Doubt; count: number }[] {
  const all = cells.flatMap(({ comparison }) => [...new Set(comparison.doubts)].filter((doubt) => doubt !== 'unfinished'));
  return [...Map.groupBy(all, (doubt) => doubt)].map(([doubt, its]) => ({ doubt, count: its.length })).sort((a, b) => b.count - a.count);
}
