// The answer of a campaign in one or two sentences, the same wherever it is said. The verdicts decide who is faster; this module sums them up.
import type { Campaign } from '../../schemas/campaign.ts';
import type { VerdictCount } from '../../schemas/campaign-list.ts';
import type { CellAnswer } from '../../schemas/summary.ts';
import { counted, intervalWords, listed, percent, quantityWords, shareWords } from '../../text/numbers.ts';
import { sidesOf, sizeWords } from '../../text/verdict.ts';
import { adjustmentNames } from '../../vocabulary/choices.ts';
import type { Engine } from '../../vocabulary/engine.ts';
import { type MetricName, metrics } from '../../vocabulary/metric.ts';
import { protocolNames } from '../../vocabulary/protocol.ts';
import { answered } from './counts.ts';
import { type AnswerRow, answerRows, type Difference, middleOf } from './rows.ts';

type Asked = {
  /** Whose answer; null: of all sites together. Default: the only site, or all. */
  siteId?: string | null;
  /** Default: the primary one, to which the campaign's question belongs. */
  metric?: MetricName;
};

/** The answer in words, or why there is none. */
export function campaignAnswer(
  { sites, spec }: Pick<Campaign, 'sites' | 'spec'>,
  cells: readonly CellAnswer[],
  { siteId = onlySite(sites), metric = spec.primaryMetric }: Asked = {},
): string {
  const isCompared = answered({ cells }).some(({ comparison }) => !comparison.doubts.includes('not-loaded'));
  if (metric !== spec.primaryMetric || isCompared) {
    const of = { sites: siteId === null ? sites.length : 1, engine: spec.engine };
    return answerSentence(answerRows({ sites, spec }, cells, siteId), metric, of);
  }
  return cells.some(({ comparison }) => comparison !== null) ? 'No comparison: no page loaded over both.' : noQuestionWords(spec, cells);
}

const onlySite = (sites: Campaign['sites']): string | null => (sites.length === 1 ? (sites[0]?.id ?? null) : null);

/** More names are a list, not a sentence. */
const maxNames = 4;

/**
 * Such as: HTTP/3 is faster on latency-100 by 221 ms (24 %) and on 4g by 110 ms (8 %); HTTP/2 on loss-1 by 153 ms (21 %). No difference on
 * native. Only proven verdicts are claimed: over several sites, where one protocol is proven faster on some of them and the other on none.
 * @param of how many sites each row has, and the engine, which decides what they are called
 */
export function answerSentence(rows: readonly AnswerRow[], metric: MetricName, of: { sites: number; engine?: Engine }): string {
  const tested = rows.filter(({ isTested, verdicts }) => isTested && verdicts.length > 0).map((row) => ({ row, ...sortOf(row) }));
  if (tested.length === 0) return '';
  const isRun = of.engine === 'transaction';
  const isOnly = rows.length === 1;
  const ofRows = counted(rows.length, new Set(rows.map(({ view }) => view)).size > 1 ? 'case' : 'network');
  const ofSites = counted(of.sites, isRun ? 'server' : 'page');
  const those = (sort: Sort) => tested.filter((one) => one.sort === sort);
  /** On the sites that prove it. */
  const differenceOf = ({ row, sort }: Sorted) =>
    sort === 'likely' || row.marks.length === 0
      ? row.difference
      : middleOf(row.marks.filter(({ outcome }) => outcome === `${sort}-faster`));
  /** How much, and on how many sites, where that is not all. */
  const detail = (one: Sorted) => {
    const difference = differenceOf(one);
    const amount = difference === null ? '' : `by ${amountWords(difference, metric)}`;
    return one.count === one.all ? amount : `${amount} for ${one.count} of ${ofSites}`.trim();
  };
  const places = (sorted: readonly Sorted[], words: (one: Sorted) => string): string =>
    listed(sorted.map((one) => [isOnly ? '' : `on ${one.row.name}`, words(one)].filter((part) => part !== '').join(' ')));
  const where = (sorted: readonly Sorted[]): string => {
    if (sorted.length <= maxNames) return places(sorted, detail);
    const shares = sorted.flatMap((one) => Math.abs(differenceOf(one)?.share ?? Number.NaN)).filter(Number.isFinite);
    const range = shares.length === 0 ? '' : ` by ${intervalWords(Math.min(...shares), Math.max(...shares), ['', '']).trim()}`;
    return `on ${sorted.length} of ${ofRows}${range}${sorted.every(({ count, all }) => count === all) ? '' : ` for some of ${ofSites}`}`;
  };
  /** A statement about rows: alone where they are all. */
  const about = (words: string, sorted: readonly Sorted[]) => {
    if (sorted.length === rows.length) return `${words}.`;
    return `${words} on ${sorted.length > maxNames ? `${sorted.length} of ${ofRows}` : listed(sorted.map(({ row }) => row.name))}.`;
  };

  const [split, same, open, lost] = [those('split'), those('equivalent'), those('open'), those('lost')];
  const claims = (['h3', 'h2'] as const).filter((protocol) => those(protocol).length > 0);
  const parts = claims.map((protocol, at) => `${protocolNames[protocol]} ${at === 0 ? 'is faster ' : ''}${where(those(protocol))}`.trim());
  const likely = (['h3', 'h2'] as const).flatMap((protocol) => {
    const its = those('likely').filter(({ row: { difference } }) => (difference?.share ?? 0) < 0 === (protocol === 'h3'));
    return its.length === 0 ? [] : [`${protocolNames[protocol]} is likely faster ${where(its)}: not proven yet.`];
  });
  const some = `Each is faster for some ${isRun ? 'servers' : 'pages'}`;
  const sides = ({ row }: Sorted) => `(HTTP/3 for ${countOf(row, 'h3')}, HTTP/2 for ${countOf(row, 'h2')} of ${of.sites})`;
  const sentences = [
    ...(parts.length === 0 ? [] : [`${parts.join('; ')}.`]),
    ...(split.length === 0 ? [] : [split.length > maxNames ? about(some, split) : `${some} ${places(split, sides)}.`]),
    ...(same.length === 0 ? [] : [about(isOnly ? 'No difference that matters' : 'No difference', same)]),
    ...likely,
    ...(open.length === 0 ? [] : [about('No clear difference', open)]),
    ...(lost.length === 0 ? [] : [about(isRun ? 'No run succeeded' : 'Not loaded', lost)]),
  ];
  return sentences.length === 0 ? 'No verdict before all rounds are done.' : sentences.join(' ');
}

type Sort = 'h3' | 'h2' | 'split' | 'equivalent' | 'likely' | 'open' | 'lost' | 'unfinished';
/** count: sites whose verdict that is, of all in the row. */
type Sorted = { row: AnswerRow; sort: Sort; count: number; all: number };

const sumOf = ({ verdicts }: AnswerRow, wanted: (one: VerdictCount) => boolean) =>
  verdicts.filter(wanted).reduce((sum, one) => sum + one.count, 0);
const countOf = (row: AnswerRow, protocol: 'h2' | 'h3') => sumOf(row, ({ outcome }) => outcome === `${protocol}-faster`);

function sortOf(row: AnswerRow): Omit<Sorted, 'row'> {
  const count = (wanted: (one: VerdictCount) => boolean) => sumOf(row, wanted);
  const all = count(() => true);
  const [h3, h2] = [countOf(row, 'h3'), countOf(row, 'h2')];
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

/** 221 ms (24 %), without its sign. */
export function amountWords({ share, amount }: Difference, metric: MetricName): string {
  if (metrics[metric].unit === 'ms') return sizeWords({ shift: { value: share, low: null, high: null }, shiftAtMedian: amount }) ?? '';
  return amount === null ? shareWords(share) : `${quantityWords(metric, Math.abs(amount))} (${shareWords(share)})`;
}

/** 221 ms (24 %) sooner: HTTP/3's. */
export const differenceWords = (difference: Difference, metric: MetricName): string =>
  `${amountWords(difference, metric)} ${sidesOf(metric)[difference.share < 0 ? 0 : 1]}`;

/** The confidence in all verdicts together. */
export function confidenceSentence({ adjustment, margin }: Pick<Campaign['spec'], 'adjustment' | 'margin'>, comparisons: number): string {
  if (comparisons <= 1) return `A winner is named with 95 % confidence. Equivalent: the typical difference is inside ${percent(margin)}.`;
  const among = `${counted(comparisons, 'comparison')}`;
  const same = `Equivalent: the typical difference is inside ${percent(margin)}, each comparison by itself.`;
  return adjustment !== 'benjamini-hochberg'
    ? `The chance of any false winner among these ${among} is at most 5 % (corrected after ${adjustmentNames[adjustment]}). ${same}`
    : `On average over campaigns, at most 5 % of the winners among these ${among} are false (corrected after Benjamini–Hochberg); the chance of at least one false winner may be far larger. ${same}`;
}

/** The same in short. */
export const answerConfidence = ({ adjustment }: Pick<Campaign['spec'], 'adjustment'>, comparisons: number): string =>
  comparisons <= 1
    ? '95 % confidence'
    : adjustment === 'benjamini-hochberg'
      ? `At most 5 % of the winners of ${comparisons} comparisons are false`
      : `95 % confidence over all ${comparisons} comparisons`;

/** Stands in for a campaign whose question no verdict can answer. */
export function noQuestionWords(
  { primaryMetric, protocols }: Pick<Campaign['spec'], 'primaryMetric' | 'protocols'>,
  cells: readonly Pick<CellAnswer, 'medians'>[] = [],
): string {
  const [first = 'h2', ...others] = protocols;
  const { name } = metrics[primaryMetric];
  if (others.length === 0) {
    const [median, ...more] = cells.flatMap(({ medians }) => medians[first] ?? []);
    const size = median === undefined || more.length > 0 ? '' : ` (median ${name}: ${quantityWords(primaryMetric, median)})`;
    return `Only ${protocolNames[first]} was measured${size}: there is nothing to compare it with.`;
  }
  if (others.every((protocol) => protocol === first)) {
    return `${protocolNames[first]} against itself (A/A): any difference between its slots is noise, and there is no verdict.`;
  }
  return `No verdict: verdicts compare HTTP/3 with HTTP/2 on a time, which this campaign lacks (its primary metric: ${name}). Its comparisons are secondary.`;
}
