// The answer of a whole campaign in one or two sentences. The API's verdicts decide who is faster; this module sums them up.
import type { Campaign, MetricName, VerdictCount } from '@pronghorn/core/schemas';
import { listed } from '@pronghorn/core/text';
import type { Doubt } from '@pronghorn/core/vocabulary';
import { many, percent, quantity } from '../../text/format.ts';
import { adjustmentNames, metricNames, protocolNames } from '../../text/vocabulary.ts';
import { type AnswerRow, type Difference, middleOf } from './answer-rows.ts';
import type { Answered } from './verdict-counts.ts';

/** More names are a list, not a sentence. */
const maxNames = 4;

/**
 * Such as: HTTP/3 is faster on latency-100 by 221 ms (24 %) and on 4g by 110 ms (8 %); HTTP/2 on loss-1 by 153 ms (21 %). No difference on
 * native. Only proven verdicts are claimed: over several sites, where one protocol is proven faster on some of them and the other on none.
 * @param sites of each row; 1: one site
 */
export function answerSentence(rows: readonly AnswerRow[], metric: MetricName, sites: number): string {
  const tested = rows.filter(({ isTested, verdicts }) => isTested && verdicts.length > 0).map((row) => ({ row, ...sortOf(row) }));
  if (tested.length === 0) return '';
  const isOnly = rows.length === 1;
  const of = (sort: Sort) => tested.filter((one) => one.sort === sort);
  const where = (those: readonly Sorted[]): string => {
    if (those.length > maxNames) return `on ${those.length} of ${many(rows.length, 'network')}${rangeOf(those)}`;
    return listed(those.map((one) => [isOnly ? '' : `on ${one.row.name}`, detail(one)].filter((words) => words !== '').join(' ')));
  };
  /** How much, on the sites that prove it; and on how many sites, where that is not all. */
  const detail = ({ row, sort, count, all }: Sorted) => {
    const proving = row.marks.filter(({ outcome }) => outcome === `${sort}-faster`);
    const difference = sort === 'likely' || row.marks.length === 0 ? row.difference : middleOf(proving);
    const amount = difference === null ? '' : `by ${amountWords(difference, metric)}`;
    return count === all ? amount : `${amount} for ${count} of ${many(sites, 'page')}`.trim();
  };
  const named = (those: readonly Sorted[]) =>
    those.length > maxNames ? `on ${those.length} of ${many(rows.length, 'network')}` : `on ${listed(those.map(({ row }) => row.name))}`;
  /** A statement about rows: alone where they are all. */
  const about = (words: string, those: readonly Sorted[]) => (those.length === rows.length ? `${words}.` : `${words} ${named(those)}.`);

  const claims = (['h3', 'h2'] as const).flatMap((protocol) => (of(protocol).length === 0 ? [] : [{ protocol, those: of(protocol) }]));
  const sentences: string[] = [];
  if (claims.length > 0) {
    const parts = claims.map(({ protocol, those }, index) =>
      `${protocolNames[protocol]} ${index === 0 ? 'is faster ' : ''}${where(those)}`.trim(),
    );
    sentences.push(`${parts.join('; ')}.`);
  }
  if (of('split').length > 0) sentences.push(about('Each is faster for some pages', of('split')));
  if (of('equivalent').length > 0) sentences.push(about(isOnly ? 'No difference that matters' : 'No difference', of('equivalent')));
  for (const protocol of ['h3', 'h2'] as const) {
    const those = of('likely').filter(({ row: { difference } }) => (difference?.share ?? 0) < 0 === (protocol === 'h3'));
    if (those.length > 0) sentences.push(`${protocolNames[protocol]} is likely faster ${where(those)}: not proven yet.`);
  }
  if (of('open').length > 0) sentences.push(about('No clear difference', of('open')));
  if (of('lost').length > 0) sentences.push(about('Not loaded', of('lost')));
  return sentences.length === 0 ? 'No verdict yet: rounds are still to come.' : sentences.join(' ');
}

type Sort = 'h3' | 'h2' | 'split' | 'equivalent' | 'likely' | 'open' | 'lost' | 'unfinished';
/** count: sites whose verdict that is, of all in the row. */
type Sorted = { row: AnswerRow; sort: Sort; count: number; all: number };

function sortOf({ verdicts }: AnswerRow): Omit<Sorted, 'row'> {
  const count = (wanted: (one: VerdictCount) => boolean) => verdicts.filter(wanted).reduce((sum, one) => sum + one.count, 0);
  const all = count(() => true);
  const [h3, h2] = (['h3', 'h2'] as const).map((protocol) => count(({ outcome }) => outcome === `${protocol}-faster`)) as [number, number];
  if (h3 > 0 && h2 > 0) return { sort: 'split', count: h3 + h2, all };
  if (h3 > 0) return { sort: 'h3', count: h3, all };
  if (h2 > 0) return { sort: 'h2', count: h2, all };
  const lost = count(({ notLoaded }) => notLoaded !== null);
  if (lost === all) return { sort: 'lost', count: lost, all };
  const loaded = all - lost;
  const unfinished = count(({ unfinished: is }) => is);
  if (unfinished === loaded) return { sort: 'unfinished', count: unfinished, all };
  const equivalent = count(({ outcome }) => outcome === 'equivalent');
  if (equivalent === loaded) return { sort: 'equivalent', count: equivalent, all };
  const likely = count(({ outcome }) => outcome === 'not-shown-yet');
  if (likely * 2 > all) return { sort: 'likely', count: likely, all };
  return { sort: 'open', count: all, all };
}

function rangeOf(those: readonly Sorted[]): string {
  const shares = those
    .flatMap(({ row: { difference } }) => (difference === null ? [] : [Math.abs(difference.share)]))
    .sort((a, b) => a - b);
  const [least, most] = [shares[0], shares.at(-1)];
  return least === undefined || most === undefined ? '' : ` by ${percent(least)} to ${percent(most)}`;
}

/** 221 ms (24 %), without its sign. */
export function amountWords({ share, amount }: Difference, metric: MetricName): string {
  const size = percent(Math.abs(share));
  return amount === null ? size : `${quantity(Math.abs(amount), metricNames[metric].unit)} (${size})`;
}

/** The confidence in all verdicts together. */
export function confidenceSentence({ adjustment, margin }: Campaign['spec'], comparisons: number): string {
  if (comparisons <= 1) return '';
  const among = `${comparisons} comparisons`;
  return adjustment !== 'benjamini-hochberg'
    ? `The chance of any false winner among these ${among} is at most 5 % (corrected after ${adjustmentNames[adjustment]}). Equivalent: the typical difference is inside ${percent(margin)}, each comparison by itself.`
    : `On average over campaigns, at most 5 % of the winners among these ${among} are false (corrected after Benjamini–Hochberg); the chance of at least one false winner may be far larger. Equivalent: the typical difference is inside ${percent(margin)}, each comparison by itself.`;
}

/** The same in short. */
export const confidenceWords = ({ adjustment }: Pick<Campaign['spec'], 'adjustment'>, comparisons: number): string =>
  comparisons <= 1
    ? '95 % confidence'
    : adjustment === 'benjamini-hochberg'
      ? `At most 5 % of the winners of ${comparisons} comparisons are false`
      : `95 % confidence over all ${comparisons} comparisons`;

/** Stands in for a campaign whose question no verdict can answer. */
export function noQuestionWords({ primaryMetric, protocols }: Campaign['spec']): string {
  const [first = 'h2', ...others] = protocols;
  if (others.length === 0) return `Only ${protocolNames[first]} was measured: there is nothing to compare it with.`;
  if (others.every((protocol) => protocol === first)) {
    return `${protocolNames[first]} against itself (A/A): any difference between its slots is noise, and there is no verdict.`;
  }
  return `No verdict: verdicts compare HTTP/3 with HTTP/2 on a time, which this campaign lacks (its primary metric: ${metricNames[primaryMetric].name}). Its comparisons are secondary.`;
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

/** What speaks for the measurement, by doubts that the API has none of. */
const checks: readonly { name: string; doubts: readonly Doubt[] }[] = [
  { name: 'Links did what their conditions ask', doubts: ['link', 'refused'] },
  { name: 'The machine was fast enough and not busy', doubts: ['saturated', 'receive-drops'] },
  { name: 'HTTP/3 and HTTP/2 loaded the same page, each over its protocol', doubts: ['parity', 'little-h3'] },
  { name: 'Enough loads are valid over both protocols', doubts: ['invalid-visits', 'fails-more', 'not-loaded'] },
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

/** Good up to, and poor above, by web.dev; of what people measure in the field, so only a hint. */
const thresholds: Partial<Record<MetricName, readonly [good: number, poor: number]>> = {
  largestContentfulPaint: [2500, 4000],
  firstContentfulPaint: [1800, 3000],
  cumulativeLayoutShift: [0.1, 0.25],
  totalBlockingTime: [200, 600],
  ttfb: [800, 1800],
  speedIndex: [3400, 5800],
};
/** Null: nobody says what is good. */
export function ratingWords(metric: MetricName): string | null {
  const [good, poor] = thresholds[metric] ?? [];
  if (good === undefined || poor === undefined) return null;
  const { unit } = metricNames[metric];
  const written = (value: number) => (unit === 'ms' ? `${(value / 1000).toLocaleString('en')} s` : String(value));
  return `Good: up to ${written(good)}, poor: above ${written(poor)} (web.dev)`;
}
