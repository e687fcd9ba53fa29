// The answer of a campaign in one or two sentences, the same wherever it is said. The verdicts decide who is faster; this module sums them up.
import type { Campaign } from '../../schemas/campaign.ts';
import type { VerdictCount } from '../../schemas/campaign-list.ts';
import type { CellAnswer, Differing } from '../../schemas/summary.ts';
import { counted, intervalWords, listed, percent, quantityWords, shareWords } from '../../text/numbers.ts';
import { sidesOf, sizeWords } from '../../text/verdict.ts';
import type { Engine } from '../../vocabulary/engine.ts';
import { type MetricName, metrics } from '../../vocabulary/metric.ts';
import { protocolNames } from '../../vocabulary/protocol.ts';
import { answered } from './counts.ts';
import { type AnswerRow, answerRows, type Difference, type Failing, type Lead, sumOf } from './rows.ts';

type Asked = {
  /** Whose answer; null: of all sites together. Default: the only site, or all. */
  siteId?: string | null;
  /** Default: the primary one, to which the campaign's question belongs. */
  metric?: MetricName;
  /** Of all cells together: what they show where none does by itself. */
  differing?: Differing | null;
};

/** The answer in words, or why there is none. */
export function campaignAnswer(
  { sites, spec }: Pick<Campaign, 'sites' | 'spec'>,
  cells: readonly CellAnswer[],
  { siteId = onlySite(sites), metric = spec.primaryMetric, differing = null }: Asked = {},
): string {
  const isCompared = answered({ cells }).some(({ comparison }) => !comparison.doubts.includes('not-loaded'));
  if (metric !== spec.primaryMetric || isCompared) {
    const of = { sites: siteId === null ? sites.length : 1, engine: spec.engine, differing };
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
 * What holds for some of the sites says for how many.
 * @param of how many sites each row has, and the engine, which decides what they are called
 */
export function answerSentence(
  rows: readonly AnswerRow[],
  metric: MetricName,
  { sites, engine, differing = null }: { sites: number; engine?: Engine; differing?: Differing | null },
): string {
  const tested = rows.filter(({ isTested, verdicts }) => isTested && verdicts.length > 0).map((row) => ({ row, ...sortOf(row) }));
  if (tested.length === 0) return '';
  const isRun = engine === 'transaction';
  const noun = isRun ? 'run' : 'load';
  const isOnly = rows.length === 1;
  const ofRows = counted(rows.length, new Set(rows.map(({ view }) => view)).size > 1 ? 'case' : 'network');
  const ofSites = counted(sites, isRun ? 'server' : 'page');
  const those = (sort: Sort) => tested.filter((one) => one.sort === sort);
  /** How much, and on how many sites, where that is not all. Without a number, why there is none. */
  const detail = ({ lead, count, all }: Sorted) =>
    [
      lead?.difference ? `by ${amountWords(lead.difference, metric)}` : '',
      count === all ? '' : `for ${count} of ${ofSites}`,
      lead && lead.difference === null ? failedWords(lead, noun) : '',
    ].filter((part) => part !== '');
  const places = (sorted: readonly Sorted[], words: (one: Sorted) => readonly string[]): string =>
    listed(sorted.map((one) => [...(isOnly ? [] : [`on ${one.row.name}`]), ...words(one)].join(' ')));
  const where = (sorted: readonly Sorted[]): string => {
    if (sorted.length <= maxNames) return places(sorted, detail);
    const shares = sorted.flatMap(({ lead }) => (lead?.difference ? Math.abs(lead.difference.share) : []));
    const range = shares.length === 0 ? '' : ` by ${intervalWords(Math.min(...shares), Math.max(...shares), ['', '']).trim()}`;
    return `on ${sorted.length} of ${ofRows}${range}${sorted.every(({ count, all }) => count === all) ? '' : ` for some of ${ofSites}`}`;
  };
  /** A statement about rows: alone where they are all. Rows of which it holds for as many sites are named together. */
  const about = (words: string, sorted: readonly Sorted[], of = ' for ') => {
    const groups = [...Map.groupBy(sorted, ({ count, all }) => (count === all ? '' : `${of}${count} of ${ofSites}`))];
    const names = (its: readonly Sorted[]) =>
      its.length === rows.length
        ? ''
        : ` on ${its.length > maxNames ? `${its.length} of ${ofRows}` : listed(its.map(({ row }) => row.name))}`;
    return sorted.length === 0 ? [] : [`${words}${groups.map(([some, its]) => `${names(its)}${some}`).join(';')}`];
  };
  const lost = (words: string, of: 'notLoaded' | 'notCompared') => {
    const its = tested.flatMap((one) => (one.row[of] === 0 ? [] : [{ ...one, count: one.row[of] }]));
    return about(words, its, ': ');
  };
  const failing = tested.flatMap((one) => (one.row.failing === null ? [] : [{ ...one, count: one.row.failing.sites }]));
  const split = (isProven: boolean) => {
    const its = those(isProven ? 'split' : 'likely-split');
    const some = `Each is ${isProven ? '' : 'likely '}faster for some ${isRun ? 'servers' : 'pages'}`;
    const sides = ({ row }: Sorted) => [
      `(HTTP/3 for ${leadOf(row, 'h3', isProven)}, HTTP/2 for ${leadOf(row, 'h2', isProven)} of ${sites})`,
    ];
    return its.length === 0 ? [] : [`${its.length > maxNames ? `${some} on ${its.length} of ${ofRows}` : `${some} ${places(its, sides)}`}`];
  };

  const named = (isProven: boolean) =>
    (['h3', 'h2'] as const).flatMap((protocol) => {
      const its = those(isProven ? 'proven' : 'likely').filter(({ lead }) => lead?.protocol === protocol);
      return its.length === 0 ? [] : [{ protocol, its }];
    });
  const claims = named(true).map(({ protocol, its }, at) =>
    `${protocolNames[protocol]} ${at === 0 ? 'is faster ' : ''}${where(its)}`.trim(),
  );
  const together = claims.length === 0 && those('split').length === 0 ? differing : null;
  const [none, but] = together === null ? ['', ''] : [' in any single case', `, but ${together.words.replace(/\.$/, '')}`];
  const sentences = [
    ...(claims.length === 0 ? [] : [claims.join('; ')]),
    ...split(true),
    ...about(isOnly ? 'No difference that matters' : 'No difference', those('equivalent')),
    ...[
      ...named(false).map(({ protocol, its }) => `${protocolNames[protocol]} is likely faster ${where(its)}`.trim()),
      ...split(false),
    ].map((words) => `${words}: not proven yet`),
    ...about(`No clear difference${none}`, those('open')).map((words) => `${words}${but}`),
    ...(those('open').length === 0 && together !== null ? [together.words.replace(/\.$/, '')] : []),
    ...about(
      failedOften(
        failing.flatMap(({ row }) => row.failing ?? []),
        noun,
      ),
      failing,
    ),
    ...lost(isRun ? 'No run succeeded' : 'Not loaded', 'notLoaded'),
    ...lost('Not compared', 'notCompared'),
  ];
  return sentences.length === 0 ? 'No verdict before all rounds are done.' : `${sentences.join('. ')}.`;
}

type Sort = 'proven' | 'split' | 'equivalent' | 'likely' | 'likely-split' | 'open' | 'none';
/** lead: of a proven or likely winner. count: sites of which that holds, of all in the row. */
type Sorted = { row: AnswerRow; sort: Sort; lead: Lead | null; count: number; all: number };

const leadOf = ({ leads }: AnswerRow, protocol: Lead['protocol'], isProven: boolean): number =>
  leads.find((one) => one.protocol === protocol && one.isProven === isProven)?.sites ?? 0;

function sortOf({ verdicts, leads, notLoaded, notCompared, failing }: AnswerRow): Omit<Sorted, 'row'> {
  const count = (wanted: (one: VerdictCount) => boolean) => verdicts.filter(wanted).reduce((sum, its) => sum + its.count, 0);
  const all = count(() => true);
  const [[lead = null, ...others], likely] = [leads.filter(({ isProven }) => isProven), leads.filter(({ isProven }) => !isProven)];
  if (lead !== null)
    return { ...(others.length > 0 ? { sort: 'split', lead: null, count: all } : { sort: 'proven', lead, count: lead.sites }), all };
  const judged = all - notLoaded - notCompared - (failing?.sites ?? 0) - count(({ unfinished }) => unfinished);
  if (judged === 0) return { sort: 'none', lead, count: 0, all };
  if (count(({ outcome }) => outcome === 'equivalent') === judged) return { sort: 'equivalent', lead, count: judged, all };
  const [first = null] = likely;
  if (first === null || 2 * likely.reduce((sum, { sites }) => sum + sites, 0) <= judged) return { sort: 'open', lead, count: judged, all };
  return {
    ...(likely.length > 1 ? { sort: 'likely-split', lead: null, count: all } : { sort: 'likely', lead: first, count: first.sites }),
    all,
  };
}

/** HTTP/3 failed in 10 of 20 loads, HTTP/2 in 9 of 20. */
function failedOften(failing: readonly Failing[], noun: string): string {
  const words = (['h3', 'h2'] as const).flatMap((protocol) => {
    const rate = sumOf(failing.map(({ rates }) => rates[protocol]));
    return rate === null ? [] : [{ name: protocolNames[protocol], ...rate }];
  });
  return words
    .map(({ name, failed, loads }, at) =>
      at === 0 ? `${name} failed in ${failed} of ${counted(loads, noun)}` : `${name} in ${failed} of ${loads}`,
    )
    .join(', ');
}

/** Of a protocol that is ahead without bound: (HTTP/3 failed in 15 of 33 loads). */
function failedWords({ protocol, lost }: Lead, noun: string): string {
  if (lost === null || lost.failed === 0) return '';
  return `(${protocolNames[protocol === 'h3' ? 'h2' : 'h3']} failed in ${lost.failed} of ${counted(lost.loads, noun)})`;
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
  const same = `Equivalent: the typical difference is inside ${percent(margin)}; each comparison is judged by itself.`;
  return adjustment !== 'benjamini-hochberg'
    ? `All ${among} together: at most 5 % of such campaigns name a false winner. ${same}`
    : `On average over campaigns, at most 5 % of the winners named among these ${among} are false; the chance of at least one false winner may be far larger. ${same}`;
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
