// Compares several engines on the same pages, round by round: their numbers, what they loaded, and their verdicts.
import { type Agreement, agreement } from '@pronghorn/core/math';
import type { Campaign, CampaignResults, MetricName, Resource, Visit } from '@pronghorn/core/schemas';
import { type Engine, metricOf, type Protocol, type View } from '@pronghorn/core/vocabulary';

/** The metrics on which engines are compared. */
export const agreedMetrics = [
  'onLoad',
  'firstContentfulPaint',
  'largestContentfulPaint',
  'speedIndex',
] as const satisfies readonly MetricName[];

export interface Witness {
  engine: Engine;
  campaign: Campaign;
  visits: readonly Visit[];
  resources: ReadonlyMap<string, readonly Resource[]>;
  results: Pick<CampaignResults, 'cells'>;
}

export interface Cell {
  site: string;
  condition: string;
  view: View;
}

/** One metric of two engines at one cell, over one protocol. */
export interface EnginePair extends Cell {
  protocol: Protocol;
  metric: (typeof agreedMetrics)[number];
  engines: [Engine, Engine];
  /** [first, second] of each round in which both have a number, ms. */
  pairs: [number, number][];
  /** Null for fewer than three rounds. */
  inMs: Agreement | null;
  /** Of logarithms: the second ÷ the first. Also null where a value is 0. */
  inLogs: Agreement | null;
}

/**
 * Each further engine beside the first, by cell, protocol and metric. Rounds with the same number followed each other in time.
 *
 * Metrics that no round has from both engines are left out.
 */
export function enginePairs(witnesses: readonly Witness[]): EnginePair[] {
  const [first, ...others] = witnesses;
  if (first === undefined) return [];
  const pairs = others.flatMap((other) => agreedMetrics.flatMap((metric) => pairsOf(first, other, metric)));
  return pairs.sort((a, b) => orderOf(a).localeCompare(orderOf(b)) || agreedMetrics.indexOf(a.metric) - agreedMetrics.indexOf(b.metric));
}

const orderOf = ({ site, condition, view, protocol }: Cell & { protocol: Protocol }) => [site, condition, view, protocol].join('\n');

function pairsOf(first: Witness, second: Witness, metric: EnginePair['metric']): EnginePair[] {
  const seconds = new Map(valuesOf(second, metric).map(({ key, value }) => [key, value]));
  const both = valuesOf(first, metric).flatMap(({ key, value, visit }) => {
    const other = seconds.get(key);
    return other === undefined ? [] : [{ visit, pair: [value, other] as [number, number] }];
  });
  const cells = Map.groupBy(both, ({ visit }) => JSON.stringify([siteOf(first, visit), visit.condition, visit.view, visit.protocol]));
  return [...cells].map(([cell, all]) => {
    const [site, condition, view, protocol] = JSON.parse(cell) as [string, string, View, Protocol];
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

/** The first visit of each round and protocol that counts and has a number; other engines' visits of the round have the same key. */
function valuesOf(witness: Witness, metric: EnginePair['metric']): { key: string; value: number; visit: Visit }[] {
  return witness.visits.flatMap((visit) => {
    const value = visit.counted && visit.outcome.verdict === 'valid' ? metricOf(visit.outcome.metrics, metric) : null;
    const { condition, view, slot, roundNumber } = visit;
    return value === null ? [] : [{ key: JSON.stringify([siteOf(witness, visit), condition, view, slot, roundNumber]), value, visit }];
  });
}

const siteOf = ({ campaign }: Witness, { siteId }: Pick<Visit, 'siteId'>): string =>
  campaign.sites.find(({ id }) => id === siteId)?.name ?? siteId;

/** Two engines over all pages, under one condition and in one view: for one protocol, or for the ratio of HTTP/3 to HTTP/2. */
export interface AcrossPages extends Omit<Cell, 'site'>, Pick<EnginePair, 'metric' | 'engines'> {
  over: Protocol | 'h3 ÷ h2';
  pages: number;
  /** Of logarithms, one for each page; null for fewer than three. */
  inLogs: Agreement | null;
}

/**
 * A page is one value, the mean of its rounds: pages differ by more than loads do, so only their number supports statements about pages in general. The
 * limits include the remaining noise of single loads in these means.
 *
 * `h3 ÷ h2`: the second engine's ratio of HTTP/3 to HTTP/2 over the first's. It excludes a bias that both protocols share.
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

/** What an engine loaded of a page over one protocol: medians of its valid visits. */
export interface LoadedPage extends Cell {
  protocol: Protocol;
  engine: Engine;
  visits: number;
  requests: number;
  /** Encoded bodies only, since engines count headers differently. Null where an engine lacks a size. */
  bodyBytes: number | null;
  /** Failed requests of all these visits together. */
  failed: number;
  /** Share of the objects of either engine that both loaded; by URL without query. */
  sameObjects: number;
  /** Share of these objects that came over the same protocol. */
  sameProtocol: number;
}

export function loadedPages(witnesses: readonly Witness[]): LoadedPage[] {
  const [first] = witnesses;
  if (first === undefined) return [];
  const pages = witnesses.flatMap((witness) => {
    const valid = witness.visits.filter((visit) => visit.counted && visit.outcome.verdict === 'valid');
    const cells = Map.groupBy(valid, (visit) => JSON.stringify([siteOf(witness, visit), visit.condition, visit.view, visit.protocol]));
    return [...cells].map(([cell, visits]): LoadedPage => {
      const [site, condition, view, protocol] = JSON.parse(cell) as [string, string, View, Protocol];
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

/** Null where the size of a received body is unknown. */
function bodyBytesOf(resources: readonly Resource[]): number | null {
  let sum = 0;
  for (const { cache, failure, encodedBodyBytes } of resources) {
    if (cache !== 'none' || failure != null) continue;
    if (encodedBodyBytes == null) return null;
    sum += encodedBodyBytes;
  }
  return sum;
}

/** The protocols of each object, over all visits. */
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

/** Each engine's verdict, in each cell with a question. */
export interface Verdicts extends Cell {
  of: { engine: Engine; outcome: string; shift: number | null }[];
  /** yes: all agree; no: two name different winners; open: some are inconclusive. */
  agree: 'yes' | 'open' | 'no';
}

export function verdictsOf(witnesses: readonly Witness[]): Verdicts[] {
  const all = witnesses.flatMap((witness) =>
    witness.results.cells.flatMap((group) => {
      const question = group.comparisons.find(({ confirmatory }) => confirmatory);
      if (question === undefined) return [];
      const { condition, view } = group;
      const shift = question.shift?.value ?? null;
      return [{ site: siteOf(witness, group), condition, view, engine: witness.engine, outcome: question.verdict.outcome, shift }];
    }),
  );
  return [...Map.groupBy(all, ({ site, condition, view }) => JSON.stringify([site, condition, view])).values()].map((its) => {
    const [{ site, condition, view } = { site: '', condition: '', view: 'cold' as const }] = its;
    const clear = new Set<string>(
      its.map(({ outcome }) => outcome).filter((outcome) => outcome !== 'inconclusive' && outcome !== 'not-shown-yet'),
    );
    const agree = clear.size > 1 ? 'no' : its.every(({ outcome }) => clear.has(outcome)) ? 'yes' : 'open';
    return { site, condition, view, of: its.map(({ engine, outcome, shift }) => ({ engine, outcome, shift })), agree };
  });
}
