// A campaign on one page, for somebody who has never seen Pronghorn: the same words on paper, on its card and in its public result.
import { median, quantile } from '../math/index.ts';
import type { Campaign } from '../schemas/campaign.ts';
import type { CampaignSummary, CellAnswer } from '../schemas/summary.ts';
import { describeCondition } from '../text/condition.ts';
import { confidenceWords, counted, endsOf, grouped, listed, percent, protocolName, shareWords } from '../text/numbers.ts';
import { forcedSentence, sizeWords } from '../text/verdict.ts';
import { metricTitle } from '../vocabulary/metric.ts';
import type { Protocol } from '../vocabulary/protocol.ts';
import type { VerdictOutcome } from '../vocabulary/verdict.ts';

export type ReportOutcome = VerdictOutcome | 'unfinished' | 'failed' | 'not-compared';

/** One cell, or one condition over several sites. */
export interface ReportRow {
  /** The page's name; null: there is one page, or the row is of all. */
  site: string | null;
  /** The condition, with its view if there are several: 4g; 4g, warm. */
  name: string;
  /** The network in words. */
  network: string;
  /** Medians of the primary metric; null: unknown, or of several sites. */
  medians: Partial<Record<Protocol, number | null>>;
  outcome: ReportOutcome;
  /** The outcome in words: HTTP/3 faster; faster on 20, slower on 3 of 60 sites. */
  verdict: string;
  /** 96 ms (9.2 %) sooner; null if there is no difference to name. */
  difference: string | null;
  /** HTTP/3's difference as a share, with the ends of its interval (of several sites: their middle half); null if unknown or unbounded. */
  estimate: { value: number; low: number | null; high: number | null } | null;
}

export interface CampaignReport {
  question: string;
  /** The answer in words and milliseconds. */
  answer: string;
  rows: ReportRow[];
  /** Number of rows that are left out. */
  more: number;
  /** Whether a row is the typical site under a condition, with the middle half of the sites. */
  isTypical: boolean;
  /** How sure the answer is, in sentences. */
  sure: string[];
  /** What it does not say, in sentences. */
  limits: string[];
}

export type Reported = Pick<Campaign, 'spec' | 'sites'>;
type Compared = CellAnswer & { comparison: NonNullable<CellAnswer['comparison']> };

/** @param atMost rows; of more cells than that each condition has one row for all sites. */
export function reportOf(campaign: Reported, summary: CampaignSummary, atMost = 16): CampaignReport {
  const compared = summary.cells.filter((cell): cell is Compared => cell.comparison !== null);
  const isTypical = summary.cells.length > atMost && campaign.sites.length > 1;
  const all = isTypical ? typicalRows(campaign, summary) : summary.cells.map((cell) => rowOf(campaign, cell));
  return {
    question: questionOf(campaign, compared),
    answer: [...unfinishedWords(summary), answerOf(campaign, summary, compared)].join(' '),
    rows: all.slice(0, atMost),
    more: Math.max(0, all.length - atMost),
    isTypical,
    sure: sureSentences(campaign, summary, compared),
    limits: limitsOf(campaign, compared),
  };
}

function questionOf({ spec, sites }: Reported, compared: readonly Compared[]): string {
  const pages = sites.length === 1 ? 'this page' : `these ${grouped(sites.length)} pages`;
  if (spec.engine === 'transaction')
    return compared.length > 0 ? 'Are REST calls faster over HTTP/3 than over HTTP/2?' : 'How fast are these REST calls?';
  if (compared.length > 0)
    return sites.length === 1 ? 'Is this page faster over HTTP/3 than over HTTP/2?' : `Are ${pages} faster over HTTP/3 than over HTTP/2?`;
  return `How fast ${sites.length === 1 ? 'is' : 'are'} ${pages} over ${listed([...new Set(spec.protocols)].map(protocolName))}?`;
}

const unfinishedWords = ({ state, progress: { rounds, roundsDone } }: CampaignSummary): string[] => {
  if (state === 'done') return [];
  const so = `${grouped(roundsDone)} of ${counted(rounds, 'round')}`;
  return [state === 'cancelled' ? `Cancelled after ${so}.` : state === 'queued' ? 'Not started yet.' : `Not finished: ${so} so far.`];
};

function answerOf(campaign: Reported, { cells, notLoaded }: CampaignSummary, compared: readonly Compared[]): string {
  const [missing] = notLoaded;
  if (missing !== undefined && notLoaded.length === campaign.sites.length) {
    return `${campaign.sites.length === 1 ? 'The page' : 'No page'} ${campaign.sites.length === 1 ? missing.words : `loaded; the first one ${missing.words}`}.`;
  }
  if (compared.length === 0) return noComparisonWords(campaign, cells);
  const named = namedOf(campaign, compared);
  if (named.length <= maxNamed) return byName(named, compared.length === 1);
  const words = byCount(campaign, compared);
  return notLoaded.length === 0 ? words : `${words} ${counted(notLoaded.length, 'page')} of ${campaign.sites.length} could not be loaded.`;
}

/** More are counted, not named. */
const maxNamed = 8;

function noComparisonWords({ spec: { protocols, primaryMetric } }: Reported, cells: readonly CellAnswer[]): string {
  const only = [...new Set(protocols)];
  if (only.length > 1)
    return `HTTP/3 and HTTP/2 are not compared in this campaign (${listed(only.map(protocolName))}, ${metricTitle(primaryMetric)}).`;
  const medians = cells.flatMap(({ medians }) => Object.values(medians).filter((value) => value !== null));
  const size = medians.length === 0 ? '' : `: ${metricTitle(primaryMetric)} is ${grouped(Math.round(median(medians)))} ms (median)`;
  return `Only ${protocolName(only[0] ?? 'h2')} was measured${size}. There is nothing to compare it with.`;
}

/** What is said of one cell, or of all sites under one condition, where it is the same. */
type Named = { name: string; outcome: ReportOutcome; size: string | null; sooner: boolean };

/** Cells by their rows' names; those of a condition under which all sites do alike by the condition's. */
function namedOf({ sites, spec }: Reported, compared: readonly Compared[]): Named[] {
  const groups = [...Map.groupBy(compared, ({ condition, view }) => `${condition}\n${view}`).values()];
  return groups.flatMap((its) => {
    const outcomes = new Set(its.map(({ notLoaded, comparison }) => outcomeOf(notLoaded, comparison)));
    const parts = outcomes.size === 1 ? [its] : its.map((one) => [one]);
    return parts.map((cells): Named => {
      const [first] = cells as [Compared];
      const site = cells.length < its.length ? [sites.find(({ id }) => id === first.siteId)?.name ?? first.siteId] : [];
      const isOnlyCondition = spec.conditions.length === 1 && sites.length > 1 && spec.views.length === 1;
      const where = [...site, ...(isOnlyCondition ? [] : [first.condition]), ...(spec.views.length > 1 ? [first.view] : [])];
      const name = where.length === 0 ? (cells.length === 2 ? 'both pages' : `all ${grouped(cells.length)} pages`) : where.join(', ');
      return {
        name,
        outcome: outcomeOf(first.notLoaded, first.comparison),
        size: sizeRange(cells),
        sooner: (first.comparison.shift?.value ?? 0) < 0,
      };
    });
  });
}

/** 194 to 216 ms, 21 to 23 %. Null where a cell has no difference in figures. */
function sizeRange(cells: readonly Compared[]): string | null {
  const sizes = cells.map(({ comparison }) => ({ size: sizeWords(comparison), share: Math.abs(comparison.shift?.value ?? 0) }));
  const known = sizes.flatMap(({ size, share }) => (size === null ? [] : [{ parts: size.replace(/\)$/, '').split(' ('), share }]));
  if (known.length < cells.length) return null;
  known.sort((one, other) => one.share - other.share);
  const [least, most] = [known[0]?.parts ?? [], known.at(-1)?.parts ?? []];
  return least.map((from, at) => rangeOf(from, most[at] ?? from)).join(', ');
}

/** 194 to 216 ms; 900 ms to 1.2 s. */
function rangeOf(from: string, to: string): string {
  const unit = / \S+$/.exec(to)?.[0] ?? '';
  return from === to ? from : `${from.endsWith(unit) ? from.slice(0, from.length - unit.length) : from} to ${to}`;
}

/** HTTP/3 is faster on 4g (110 ms, 8 %) and latency-100 (…); HTTP/2 on loss-1 (…). No difference that matters on native. */
function byName(named: readonly Named[], isOne: boolean): string {
  const those = (outcome: ReportOutcome) => named.filter((one) => one.outcome === outcome);
  const sized = ({ name, size }: Named) => (size === null ? name : `${name} (${size})`);
  const [only] = named;
  if (isOne && only?.outcome.endsWith('-faster')) {
    return `${reportOutcomeNames[only.outcome].replace(' faster', ' is faster')}${only.size === null ? '' : `, by ${only.size.replace(/, (.*)$/, ' ($1)')}`}.`;
  }
  const winners = (['h3', 'h2', 'h1'] as const).flatMap((protocol) => {
    const its = those(`${protocol}-faster`);
    return its.length === 0 ? [] : [{ who: protocolName(protocol), where: namesOf(its.map(sized)) }];
  });
  const won = winners.map(({ who, where }, at) => `${who} ${at === 0 ? 'is faster ' : ''}on ${where}`).join('; ');
  const rest = [
    { alone: 'HTTP/3 and HTTP/2 make no difference that matters', words: 'no difference that matters on', outcome: 'equivalent' },
    { alone: 'No clear difference between HTTP/3 and HTTP/2', words: 'no clear difference on', outcome: 'inconclusive' },
    { alone: 'One was faster in every round, but there are too few rounds', words: 'too few rounds on', outcome: 'not-shown-yet' },
    { alone: 'No verdict yet', words: 'no verdict yet on', outcome: 'unfinished' },
    { alone: 'No comparison: loads failed', words: 'failed loads on', outcome: 'failed' },
  ] as const;
  const others = rest.flatMap(({ alone, words, outcome }) => {
    const names = those(outcome).map(({ name }) => name);
    return names.length === 0 ? [] : [isOne ? alone : `${words} ${namesOf(names)}`];
  });
  const sentences = [...(won === '' ? [] : [won]), ...(others.length === 0 ? [] : [others.join('; ')])];
  return sentences.map((sentence) => `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`).join(' ');
}

const maxNames = 6;
const namesOf = (names: readonly string[]): string =>
  names.length <= maxNames ? listed(names) : `${listed([...names.slice(0, maxNames - 1), `${names.length - maxNames + 1} more`])}`;

/** HTTP/3 is faster in 120 of 240 cases (typically 8 %), HTTP/2 in 12. No difference that matters in 60, no clear one in 48. */
function byCount({ sites, spec }: Reported, compared: readonly Compared[]): string {
  const ofOutcome = (wanted: VerdictOutcome) => compared.filter(({ comparison }) => comparison.outcome === wanted);
  const noun =
    sites.length > 1 && spec.conditions.length * spec.views.length > 1 ? 'page × network' : sites.length > 1 ? 'page' : 'network';
  const cases = noun === 'page × network' ? `${grouped(compared.length)} combinations of page and network` : counted(compared.length, noun);
  const [h3, h2] = [ofOutcome('h3-faster'), ofOutcome('h2-faster')];
  const typical = (cells: readonly Compared[]) => {
    const size = typicalOf(cells);
    return size === null ? '' : ` (typically by ${size.words})`;
  };
  const winners =
    h3.length + h2.length === 0
      ? `Neither is shown to be faster in any of ${cases}`
      : h3.length === 0
        ? `HTTP/2 is faster in ${h2.length} of ${cases}${typical(h2)}, HTTP/3 in none`
        : `HTTP/3 is faster in ${h3.length} of ${cases}${typical(h3)}, HTTP/2 in ${h2.length === 0 ? 'none' : `${h2.length}${typical(h2)}`}`;
  const same = ofOutcome('equivalent').length;
  const few = ofOutcome('not-shown-yet').length;
  const open = compared.length - h3.length - h2.length - same - few;
  return `${winners}. No difference that matters in ${same}, no clear answer in ${open}${few === 0 ? '' : `, too few rounds in ${few}`}.`;
}

/** The median site's difference, in milliseconds where all sites have them. */
function typicalOf(cells: readonly Compared[]): { value: number; low: number; high: number; words: string } | null {
  const shifts = cells.flatMap(({ comparison: { shift, shiftAtMedian } }) =>
    shift?.value == null ? [] : [{ share: shift.value, ms: shiftAtMedian }],
  );
  if (shifts.length === 0) return null;
  const shares = shifts.map(({ share }) => share);
  const value = median(shares);
  const ms = shifts.every((one) => one.ms !== null) ? median(shifts.map((one) => one.ms ?? 0)) : null;
  const isAgreed = ms !== null && Math.sign(ms) === Math.sign(value);
  const words = isAgreed ? (sizeWords({ shift: { value, low: null, high: null }, shiftAtMedian: ms }) ?? '') : shareWords(value);
  return { value, low: quantile(shares, 0.25), high: quantile(shares, 0.75), words };
}

export const reportOutcomeNames: Readonly<Record<ReportOutcome, string>> = {
  'h3-faster': 'HTTP/3 faster',
  'h2-faster': 'HTTP/2 faster',
  'h1-faster': 'HTTP/1.1 faster',
  equivalent: 'no difference that matters',
  'not-shown-yet': 'not shown yet',
  inconclusive: 'no clear difference',
  unfinished: 'no verdict yet',
  failed: 'could not be loaded',
  'not-compared': 'not compared',
};

function rowOf({ sites, spec }: Reported, { siteId, condition, view, medians, notLoaded, comparison }: CellAnswer): ReportRow {
  const site = sites.length === 1 ? null : (sites.find(({ id }) => id === siteId)?.name ?? siteId);
  const outcome = outcomeOf(notLoaded, comparison);
  const { shift = null, shiftAtMedian = null } = comparison ?? {};
  const size = comparison === null ? null : sizeWords({ shift, shiftAtMedian });
  const ends = shift && endsOf(shift);
  return {
    ...{ site, name: rowName(spec, condition, view), network: networkOf(spec, condition), medians, outcome },
    verdict: notLoaded?.words ?? reportOutcomeNames[outcome],
    difference: size === null ? null : `${size} ${(shift?.value ?? 0) < 0 ? below(spec) : above(spec)}`,
    estimate: shift?.value == null ? null : { value: shift.value, low: finite(ends?.[0]), high: finite(ends?.[1]) },
  };
}

const rowName = ({ views }: Reported['spec'], condition: string, view: string) => (views.length > 1 ? `${condition}, ${view}` : condition);
const finite = (value: number | undefined): number | null => (value !== undefined && Number.isFinite(value) ? value : null);
const isTime = ({ engine }: Reported['spec']) => engine !== 'transaction';
const below = (spec: Reported['spec']) => (isTime(spec) ? 'sooner' : 'lower');
const above = (spec: Reported['spec']) => (isTime(spec) ? 'later' : 'higher');

function outcomeOf(notLoaded: CellAnswer['notLoaded'], comparison: CellAnswer['comparison']): ReportOutcome {
  if (notLoaded !== null) return 'failed';
  if (comparison === null) return 'not-compared';
  return comparison.outcome === 'inconclusive' && comparison.doubts.includes('unfinished') ? 'unfinished' : comparison.outcome;
}

function networkOf({ conditions }: Reported['spec'], name: string): string {
  const condition = conditions.find((one) => one.name === name);
  return condition === undefined ? '' : describeCondition(condition);
}

function typicalRows({ spec }: Reported, { cells }: CampaignSummary): ReportRow[] {
  const keys = spec.conditions.flatMap(({ name }) => spec.views.map((view) => ({ condition: name, view })));
  return keys.map(({ condition, view }) => {
    const its = cells.filter((cell) => cell.condition === condition && cell.view === view);
    const compared = its.filter((cell): cell is Compared => cell.comparison !== null);
    const count = (wanted: ReportOutcome) => compared.filter((cell) => outcomeOf(cell.notLoaded, cell.comparison) === wanted).length;
    const typical = typicalOf(compared);
    const [faster, slower] = [count('h3-faster'), count('h2-faster')];
    const verdict = `HTTP/3 faster on ${faster}, HTTP/2 on ${slower} of ${counted(its.length, 'page')}`;
    // Where pages differ, none of their verdicts is the network's.
    const [first = 'not-compared', ...others] = new Set(compared.map((cell) => outcomeOf(cell.notLoaded, cell.comparison)));
    const outcome: ReportOutcome = others.length === 0 ? first : 'inconclusive';
    return {
      ...{ site: null, name: rowName(spec, condition, view), network: networkOf(spec, condition), medians: {}, outcome },
      verdict: compared.length === 0 ? reportOutcomeNames['not-compared'] : verdict,
      difference: typical === null ? null : `${typical.words} ${typical.value < 0 ? below(spec) : above(spec)}`,
      estimate: typical,
    };
  });
}

function sureSentences({ spec }: Reported, { visits, cells }: CampaignSummary, compared: readonly Compared[]): string[] {
  const rounds = compared.map(({ comparison }) => comparison.rounds);
  const [least, most] = [Math.min(...rounds), Math.max(...rounds)];
  const failed = visits.failed;
  const lost = visits.invalid.reduce((sum, { count }) => sum + count, 0) - failed;
  const loads = spec.engine === 'transaction' ? 'run' : 'load';
  const isCompared = compared.length > 0 && most > 0;
  return [
    ...(isCompared
      ? [
          `${least === most ? counted(least, 'round') : `${least} to ${counted(most, 'round')}`} of ${listed([...new Set(spec.protocols)].map(protocolName))}, each in random order.`,
          confidenceOf(spec, compared.length),
        ]
      : []),
    visits.valid + failed === 0
      ? `No valid ${loads} yet.`
      : `${counted(visits.valid, `valid ${loads}`)}${failed > 0 ? `, ${grouped(failed)} failed` : ', none failed'}${lost > 0 ? `, ${grouped(lost)} discarded and repeated because the measurement itself was disturbed` : ''}.`,
    ...(isCompared ? doubtSentences(compared, cells.length) : []),
  ];
}

function confidenceOf({ adjustment, margin }: Reported['spec'], comparisons: number): string {
  const same = `“No difference that matters” is within ${percent(margin)}.`;
  if (comparisons === 1) return `A winner is named with ${confidenceWords(0.95)} confidence. ${same}`;
  return adjustment === 'benjamini-hochberg'
    ? `On average at most 5 % of the winners among these ${grouped(comparisons)} comparisons are false. ${same}`
    : `A winner is named with 95 % confidence over all ${grouped(comparisons)} comparisons. ${same}`;
}

function doubtSentences(compared: readonly Compared[], cells: number): string[] {
  const doubted = compared.filter(({ comparison }) =>
    comparison.doubts.some((doubt) => doubt !== 'unfinished' && doubt !== 'too-few-rounds'),
  ).length;
  return [
    doubted === 0
      ? 'Quality: no check found anything that keeps a winner from being named.'
      : `Quality: in ${doubted} of ${counted(cells, 'case')} a check found something that keeps a winner from being named; the result page says what.`,
  ];
}

function limitsOf({ spec, sites }: Reported, compared: readonly Compared[]): string[] {
  return [
    ...(spec.discovery === 'forced' && spec.protocols.includes('h3') ? [`Best case for HTTP/3. ${forcedSentence}.`] : []),
    ...(spec.views.length === 1 && spec.engine !== 'transaction'
      ? [spec.views[0] === 'cold' ? 'Loads with an empty cache only.' : 'Loads with a filled cache only.']
      : []),
    ...(compared.length > 0 ? ['A laboratory measurement on one machine and emulated networks: real visitors vary more.'] : []),
    ...(sites.length > 1 ? ['The pages are those that were chosen, not a sample of the web.'] : []),
  ];
}
