// What several engines say of the same pages, round by round: how far their numbers agree, what they loaded, and whom they name.
import { type Agreement, agreement } from '@pronghorn/core/math';
import type { Campaign, CampaignResults, MetricName, Resource, Visit } from '@pronghorn/core/schemas';
import { protocolName } from '@pronghorn/core/text';
import { type Engine, metricOf, metricTitle, type Protocol, type View } from '@pronghorn/core/vocabulary';
import { plain, table, wrap } from './terminal.ts';

/** On which engines are held against each other. */
export const agreedMetrics = [
  'onLoad',
  'firstContentfulPaint',
  'largestContentfulPaint',
  'speedIndex',
] as const satisfies readonly MetricName[];

/** What one engine measured. */
export interface Witness {
  engine: Engine;
  campaign: Campaign;
  visits: readonly Visit[];
  /** Of each visit's id. */
  resources: ReadonlyMap<string, readonly Resource[]>;
  results: Pick<CampaignResults, 'groups'>;
}

export interface Place {
  site: string;
  condition: string;
  view: View;
}

/** One metric of two engines at one place, over one protocol. */
export interface EnginePair extends Place {
  protocol: Protocol;
  metric: (typeof agreedMetrics)[number];
  engines: [Engine, Engine];
  /** [first, second] of each round in which both have a number, ms. */
  pairs: [number, number][];
  /** Null for fewer than three rounds. */
  inMs: Agreement | null;
  /** Of logarithms: what the second is of the first. Null too where a value is 0. */
  inLogs: Agreement | null;
}

/**
 * Each engine but the first beside the first, by site, condition, view, protocol and metric. Rounds of one number stood next to each other in time.
 *
 * What no round has of both (an engine without that metric) is left out.
 */
export function enginePairs(witnesses: readonly Witness[]): EnginePair[] {
  const [first, ...others] = witnesses;
  if (first === undefined) return [];
  const found = others.flatMap((other) => agreedMetrics.flatMap((metric) => pairsOf(first, other, metric)));
  return found.sort((a, b) => orderOf(a).localeCompare(orderOf(b)) || agreedMetrics.indexOf(a.metric) - agreedMetrics.indexOf(b.metric));
}

const orderOf = ({ site, condition, view, protocol }: Place & { protocol: Protocol }) => [site, condition, view, protocol].join('\n');

function pairsOf(first: Witness, second: Witness, metric: EnginePair['metric']): EnginePair[] {
  const seconds = new Map(valuesOf(second, metric).map(({ key, value }) => [key, value]));
  const both = valuesOf(first, metric).flatMap(({ key, value, visit }) => {
    const other = seconds.get(key);
    return other === undefined ? [] : [{ visit, pair: [value, other] as [number, number] }];
  });
  const places = Map.groupBy(both, ({ visit }) => JSON.stringify([siteOf(first, visit), visit.condition, visit.view, visit.protocol]));
  return [...places].map(([place, all]) => {
    const [site, condition, view, protocol] = JSON.parse(place) as [string, string, View, Protocol];
    const pairs = all.map(({ pair }) => pair);
    const logs = pairs.map(([a, b]) => [Math.log(a), Math.log(b)] as const);
    const hasLogs = logs.flat().every(Number.isFinite);
    return {
      ...{ site, condition, view, protocol, metric, engines: [first.engine, second.engine] as [Engine, Engine], pairs },
      inMs: agreement(pairs),
      inLogs: hasLogs ? agreement(logs) : null,
    };
  });
}

/** The first visit of each round and protocol that counts and has a number; named so that another engine's of the same round has the same key. */
function valuesOf(witness: Witness, metric: EnginePair['metric']): { key: string; value: number; visit: Visit }[] {
  return witness.visits.flatMap((visit) => {
    const value = visit.counted && visit.outcome.verdict === 'valid' ? metricOf(visit.outcome.metrics, metric) : null;
    const { condition, view, slot, roundNumber } = visit;
    return value === null ? [] : [{ key: JSON.stringify([siteOf(witness, visit), condition, view, slot, roundNumber]), value, visit }];
  });
}

const siteOf = ({ campaign }: Witness, { siteId }: Pick<Visit, 'siteId'>): string =>
  campaign.sites.find(({ id }) => id === siteId)?.name ?? siteId;

/** Two engines over all pages, under one condition and in one view: of one protocol, or of what HTTP/3 is of HTTP/2. */
export interface AcrossPages extends Omit<Place, 'site'>, Pick<EnginePair, 'metric' | 'engines'> {
  over: Protocol | 'h3 ÷ h2';
  pages: number;
  /** Of logarithms, a page each; null for fewer than three. */
  inLogs: Agreement | null;
}

/**
 * A page is one value, the mean of its rounds: pages differ by more than loads do, and what is said of pages in general rests on their number. The limits
 * hold what is left of the noise of single loads in these means, too.
 *
 * `h3 ÷ h2`: the second engine's ratio of HTTP/3 to HTTP/2 over the first's. A bias that both protocols share is not in it.
 */
export function acrossPages(pairs: readonly EnginePair[]): AcrossPages[] {
  const groups = Map.groupBy(pairs, ({ condition, view, engines, metric }) => JSON.stringify([condition, view, engines, metric]));
  return [...groups.values()].flatMap((its) => {
    const [first] = its;
    if (first === undefined) return [];
    const { condition, view, engines, metric } = first;
    const biases = (protocol: Protocol) =>
      new Map(
        its.filter((pair) => pair.protocol === protocol).flatMap(({ site, inLogs }) => (inLogs === null ? [] : [[site, inLogs.bias]])),
      );
    const [ofH2, ofH3] = [biases('h2'), biases('h3')];
    const differences = [...ofH3].flatMap(([site, bias]) => (ofH2.has(site) ? [bias - (ofH2.get(site) as number)] : []));
    const rows: [AcrossPages['over'], number[]][] = [
      ...[...new Set(its.map(({ protocol }) => protocol))].sort().map((one): [Protocol, number[]] => [one, [...biases(one).values()]]),
      ['h3 ÷ h2', differences],
    ];
    return rows.map(([over, logs]) => ({
      ...{ condition, view, engines, metric, over, pages: logs.length },
      inLogs: agreement(logs.map((log) => [0, log])),
    }));
  });
}

/** What an engine loaded of a page over one protocol, in the median of its valid visits. */
export interface LoadedPage extends Place {
  protocol: Protocol;
  engine: Engine;
  visits: number;
  requests: number;
  /** Of bodies as they came: engines count headers differently. Null where an engine doesn't tell one. */
  bodyBytes: number | null;
  /** Requests that failed, of all these visits together. */
  failed: number;
  /** Objects that came in visits of this engine and of the first, of those that came in either's; by URL without query. */
  sameObjects: number;
  /** Of these objects, those that came over the same protocol. */
  sameProtocol: number;
}

export function loadedPages(witnesses: readonly Witness[]): LoadedPage[] {
  const [first] = witnesses;
  if (first === undefined) return [];
  const pages = witnesses.flatMap((witness) => {
    const valid = witness.visits.filter((visit) => visit.counted && visit.outcome.verdict === 'valid');
    const places = Map.groupBy(valid, (visit) => JSON.stringify([siteOf(witness, visit), visit.condition, visit.view, visit.protocol]));
    return [...places].map(([place, visits]): LoadedPage => {
      const [site, condition, view, protocol] = JSON.parse(place) as [string, string, View, Protocol];
      const isHere = (visit: Visit) =>
        visit.condition === condition && visit.view === view && visit.protocol === protocol && siteOf(first, visit) === site;
      const theirs = objectsOf(first, first.visits.filter(isHere));
      const ours = objectsOf(witness, visits);
      const same = [...ours].filter(([url]) => theirs.has(url));
      const either = new Set([...ours.keys(), ...theirs.keys()]).size;
      const middle = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
      const bodies = visits.map(({ id }) => bodyBytesOf(witness.resources.get(id) ?? []));
      return {
        ...{ site, condition, view, protocol, engine: witness.engine, visits: visits.length },
        requests: middle(visits.map(({ outcome }) => (outcome.verdict === 'valid' ? outcome.metrics.requests : 0))),
        bodyBytes: bodies.includes(null) ? null : middle(bodies.map((bytes) => bytes ?? 0)),
        failed: visits.reduce((sum, { outcome }) => sum + (outcome.verdict === 'valid' ? outcome.metrics.failedRequests : 0), 0),
        sameObjects: either === 0 ? 0 : same.length / either,
        sameProtocol: same.length === 0 ? 0 : same.filter(([url, protocols]) => protocols === theirs.get(url)).length / same.length,
      };
    });
  });
  return pages.sort((a, b) => orderOf(a).localeCompare(orderOf(b)));
}

/** Null where one that came has none that is known. */
function bodyBytesOf(resources: readonly Resource[]): number | null {
  let sum = 0;
  for (const { cache, failure, encodedBodyBytes } of resources) {
    if (cache !== 'none' || failure != null) continue;
    if (encodedBodyBytes == null) return null;
    sum += encodedBodyBytes;
  }
  return sum;
}

/** Of each object the protocols that it came over, in all of the visits. */
function objectsOf({ resources }: Witness, visits: readonly Visit[]): Map<string, string> {
  const seen = new Map<string, Set<string>>();
  for (const { id } of visits) {
    for (const { url, protocol, cache } of resources.get(id) ?? []) {
      if (cache !== 'none' || protocol === null) continue;
      const key = url.replace(/[?#].*$/, '');
      seen.set(key, (seen.get(key) ?? new Set()).add(protocol));
    }
  }
  return new Map([...seen].map(([url, protocols]) => [url, [...protocols].sort().join(' ')]));
}

/** Whom each engine names, at each place where there is a question. */
export interface Verdicts extends Place {
  of: { engine: Engine; outcome: string; shift: number | null }[];
  /** Whether all say the same; two that name different winners contradict each other, one that can't tell contradicts nobody. */
  agree: 'yes' | 'open' | 'no';
}

export function verdictsOf(witnesses: readonly Witness[]): Verdicts[] {
  const all = witnesses.flatMap((witness) =>
    witness.results.groups.flatMap((group) => {
      const question = group.comparisons.find(({ confirmatory }) => confirmatory);
      if (question === undefined) return [];
      const { condition, view } = group;
      const shift = question.shift?.value ?? null;
      return [{ site: siteOf(witness, group), condition, view, engine: witness.engine, outcome: question.verdict.outcome, shift }];
    }),
  );
  return [...Map.groupBy(all, ({ site, condition, view }) => JSON.stringify([site, condition, view])).values()].map((its) => {
    const [{ site, condition, view } = { site: '', condition: '', view: 'cold' as const }] = its;
    const told = new Set<string>(
      its.map(({ outcome }) => outcome).filter((outcome) => outcome !== 'inconclusive' && outcome !== 'not-shown-yet'),
    );
    const agree = told.size > 1 ? 'no' : its.every(({ outcome }) => told.has(outcome)) ? 'yes' : 'open';
    return { site, condition, view, of: its.map(({ engine, outcome, shift }) => ({ engine, outcome, shift })), agree };
  });
}

/** The whole as text. */
export function crosscheckReport(witnesses: readonly Witness[]): string {
  const pairs = enginePairs(witnesses);
  const across = acrossPages(pairs);
  // With many pages, each one's numbers are in the HTML.
  const times = hasPages(across) ? acrossTable(across) : agreementTable(pairs);
  const parts = [times, pageTable(loadedPages(witnesses)), verdictTable(verdictsOf(witnesses))];
  return parts.filter((part) => part !== '').join('\n\n');
}

export const placeWords = ({ site, condition, view }: Place) => plain(`${site} ${condition}${view === 'warm' ? ' warm' : ''}`);
export const signedMs = (ms: number) =>
  `${ms < 0 ? '−' : '+'}${Math.abs(ms) < 9.95 ? Math.abs(ms).toFixed(1) : Math.round(Math.abs(ms)).toLocaleString('en-US')}`;
export const signedShare = (log: number) => `${log < 0 ? '−' : '+'}${(100 * Math.abs(Math.expm1(log))).toFixed(1)} %`;
const between = <T>({ low, high }: { low: T; high: T }, words: (value: T) => string) => `${words(low)} to ${words(high)}`;

function agreementTable(pairs: readonly EnginePair[]): string {
  if (pairs.length === 0) return wrap('No engine has a round in common with the first: nothing can be held against anything.');
  const rows = pairs.map(({ protocol, metric, engines, inMs, inLogs, pairs: { length }, ...place }) => [
    placeWords(place),
    protocol,
    metricTitle(metric),
    `${engines[1]} − ${engines[0]}`,
    String(length),
    inMs === null ? 'too few' : `${signedMs(inMs.bias)} ms`,
    inMs === null ? '' : between(inMs.interval, signedMs),
    inLogs === null ? '' : signedShare(inLogs.bias),
    inMs === null ? '' : between(inMs.limits, signedMs),
  ]);
  const header = ['', '', 'metric', 'engines', 'rounds', 'bias', '95 % sure', '', 'limits of agreement'];
  return [
    table(header, rows, [0, 1, 2, 3]),
    wrap(
      'Bias: mean difference of the two loads of a round. 95 % of such differences lie between the limits of agreement (Bland and Altman), which hold what a page differs by from load to load, too.',
    ),
  ].join('\n');
}

function acrossTable(across: readonly AcrossPages[]): string {
  const { head, rows } = acrossRows(across);
  return [table(head, rows, [0, 1, 2, 3]), wrap(acrossWords)].join('\n');
}

/** Whether there are pages enough to tell anything over all of them. */
export const hasPages = (across: readonly AcrossPages[]): boolean => across.some(({ inLogs }) => inLogs !== null);

export const acrossWords =
  'Bias: the second engine’s time ÷ the first’s, geometric mean over pages, each of which is the mean of its rounds. Limits of agreement: 1.96 standard deviations between pages on either side (Bland and Altman), which hold what is left of the noise of single loads, too. h3 ÷ h2: how the second engine’s ratio of HTTP/3 to HTTP/2 differs from the first’s; 0 % means that both see the same gain.';

/** Engines over all pages, in words. */
export function acrossRows(across: readonly AcrossPages[]): { head: string[]; rows: string[][] } {
  const rows = across.map(({ condition, view, over, metric, engines, pages, inLogs }) => [
    plain(`${condition}${view === 'warm' ? ' warm' : ''}`),
    metricTitle(metric),
    `${engines[1]} ÷ ${engines[0]}`,
    over,
    String(pages),
    inLogs === null ? 'too few' : signedShare(inLogs.bias),
    inLogs === null ? '' : between(inLogs.interval, signedShare),
    inLogs === null ? '' : between(inLogs.limits, signedShare),
  ]);
  return { head: ['', 'metric', 'engines', '', 'pages', 'bias', '95 % sure', 'limits of agreement'], rows };
}

function pageTable(pages: readonly LoadedPage[]): string {
  const { head, rows } = pageRows(pages);
  return table(head, rows, [0, 1, 2]);
}

/** What each engine loaded, in words. */
export function pageRows(pages: readonly LoadedPage[]): { head: string[]; rows: string[][] } {
  const percent = (share: number) => `${(100 * share).toFixed(share === 1 ? 0 : 1)} %`;
  const rows = pages.map((page) => [
    placeWords(page),
    page.protocol,
    page.engine,
    String(page.visits),
    page.requests.toLocaleString('en-US'),
    page.failed === 0 ? '–' : page.failed.toLocaleString('en-US'),
    page.bodyBytes === null ? 'unknown' : `${(page.bodyBytes / 1_000).toFixed(0)} kB`,
    percent(page.sameObjects),
    percent(page.sameProtocol),
  ]);
  return { head: ['', '', 'engine', 'visits', 'requests', 'failed', 'bodies', 'objects in common', 'over the same protocol'], rows };
}

function verdictTable(verdicts: readonly Verdicts[]): string {
  if (verdicts.length === 0) return '';
  const { head, rows } = verdictRows(verdicts);
  return table(head, rows, [0, 1, 2, 4]);
}

/** Whom each engine names, in words. */
export function verdictRows(verdicts: readonly Verdicts[]): { head: string[]; rows: string[][] } {
  const rows = verdicts.flatMap(({ of, agree, ...place }) =>
    of.map(({ engine, outcome, shift }, index) => [
      index === 0 ? placeWords(place) : '',
      engine,
      outcomeWords[outcome] ?? outcome,
      shift === null ? '' : signedShare(Math.log1p(shift)),
      index === 0 ? { yes: 'all say the same', open: 'not all can tell', no: 'THEY CONTRADICT EACH OTHER' }[agree] : '',
    ]),
  );
  return { head: ['', 'engine', `${protocolName('h3')} against ${protocolName('h2')}`, 'shift', ''], rows };
}

const outcomeWords: Readonly<Record<string, string>> = {
  'h3-faster': 'HTTP/3 faster',
  'h2-faster': 'HTTP/2 faster',
  equivalent: 'equivalent',
  'not-shown-yet': 'not shown yet',
  inconclusive: 'can’t be told',
};
