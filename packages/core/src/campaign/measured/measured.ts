// A campaign as it was measured: its visits, gathered into cells once. All results of a campaign are functions of this.
import type { Campaign } from '../../schemas/campaign.ts';
import type { Comparison } from '../../schemas/comparison.ts';
import { currentDiscoveries, type DiscoveredAnswer, type SiteDiscovery } from '../../schemas/discovery.ts';
import type { MetricName } from '../../schemas/metrics.ts';
import { compareCells } from '../../verdict/cell-comparisons.ts';
import { type ComparedCell, type Rounds, type Side, type SlotVisits, sideOf } from '../../verdict/cell-samples.ts';
import { atLeastMsOf, CountedVisits, minLimit, type ResultVisit } from '../../verdict/counted-visits.ts';
import { LoadedPages, ofOneRequest } from '../../verdict/parity.ts';
import { looksOf } from '../../verdict/sequential.ts';
import { type Cell, cellKey, cellsOf } from '../../vocabulary/cell.ts';
import { isBetterHigh } from '../../vocabulary/metric.ts';
import type { Protocol } from '../../vocabulary/protocol.ts';
import type { InvalidReason } from '../../vocabulary/reason.ts';
import { linkDoubt, type ResultLinkCheck } from './link.ts';

interface MeasuredSlot extends SlotVisits {
  pages: LoadedPages;
  invalid: Map<InvalidReason, number>;
  details: Map<InvalidReason, string>;
}

/** A cell with the visits of its finished rounds. */
export interface MeasuredCell extends Cell, ComparedCell {
  slots: MeasuredSlot[];
  /** Numbers of its finished rounds. */
  finished: Set<number>;
}

export interface MeasuredCampaign {
  campaign: Pick<Campaign, 'id' | 'spec' | 'sites'>;
  /** In the order of the campaign, including cells without visits. */
  cells: readonly MeasuredCell[];
  /** Checks of the links, by condition. */
  linkChecks: ReadonlyMap<string, readonly ResultLinkCheck[]>;
  /** The current discovery of each site that has one, by the site's id. */
  discoveries: ReadonlyMap<string, DiscoveryFacts>;
}

/** What limits need of a site's discovery: of its answers those that never came. */
export type DiscoveryFacts = Pick<SiteDiscovery, 'id' | 'siteId' | 'finalUrl' | 'failure' | 'replaces' | 'broken'> & {
  answers?: Pick<DiscoveredAnswer, 'url' | 'answer'>[];
};

/**
 * Gathers the visits of a campaign into its cells.
 *
 * @param visits of finished rounds: the valid ones that count, and every invalid one; one for each round and slot counts, as values or as a
 *   failure. A metric that a page lacks (null) is left out of its sample.
 * @param linkChecks all of the campaign.
 * @param discoveries all of the campaign, in the order in which they were stored.
 * @throws RangeError on a visit that fits no cell or slot of the campaign.
 */
export function measure(
  campaign: MeasuredCampaign['campaign'],
  visits: Iterable<ResultVisit>,
  linkChecks: Iterable<ResultLinkCheck> = [],
  discoveries: Iterable<DiscoveryFacts> = [],
): MeasuredCampaign {
  const { id, sites, spec } = campaign;
  const checks = Map.groupBy(linkChecks, ({ condition }) => condition);
  const doubts = new Map(spec.conditions.map(({ name }) => [name, linkDoubt(checks.get(name) ?? [])]));
  const cells = cellsOf({ ...spec, sites }).map((cell): MeasuredCell => {
    const slots = spec.protocols.map((protocol): MeasuredSlot => {
      return { protocol, counted: new CountedVisits(), pages: new LoadedPages(), invalid: new Map(), details: new Map() };
    });
    return { ...cell, slots, finished: new Set(), linkDoubt: doubts.get(cell.condition) ?? null };
  });
  const byKey = new Map(cells.map((cell) => [cellKey(cell), cell]));
  for (const visit of visits) {
    const cell = byKey.get(cellKey(visit));
    const slot = cell?.slots[visit.slot];
    if (!cell || !slot) throw new RangeError(`results: campaign ${id} has no slot ${visit.slot} of ${cellKey(visit)}`);
    cell.finished.add(visit.roundNumber);
    if (visit.verdict === 'valid') {
      slot.counted.add(visit);
      slot.pages.add(visit.roundNumber, spec.engine === 'transaction' ? ofOneRequest(visit.page) : visit.page);
    } else {
      slot.invalid.set(visit.reason, (slot.invalid.get(visit.reason) ?? 0) + 1);
      if (visit.detail && !slot.details.has(visit.reason)) slot.details.set(visit.reason, visit.detail);
      if (visit.counted) slot.counted.addFailure(visit);
    }
  }
  return { campaign, cells, linkChecks: checks, discoveries: currentDiscoveries(discoveries) };
}

export type AnsweredCell = MeasuredCell & {
  /** Null if the campaign doesn't compare h3 with h2. */
  comparison: Comparison | null;
};

/**
 * The campaign's question alone, for each cell: h3 against h2 on its primary metric. It takes about a tenth of the work of all results;
 * verdicts and their correction are the same. The comparison of quantiles is left out (`byQuantile` is null).
 *
 * @param measured the primary metric of its visits is enough.
 * @param options.mayGrow true if the answers may lead to more rounds.
 * @param options.resamples of the bootstrap of H3-Delta, which no verdict depends on.
 */
export function* answerQuestion(
  { campaign: { spec, sites }, cells }: MeasuredCampaign,
  { complete, mayGrow = false, resamples }: { complete: boolean; mayGrow?: boolean; resamples?: number },
): Generator<AnsweredCell> {
  const looks = looksOf(spec, sites.length);
  const comparisons = compareCells(cells, { ...spec, looks, complete, mayGrow, only: 'confirmatory', ...(resamples && { resamples }) });
  let index = 0;
  for (const [comparison = null] of comparisons) yield { ...(cells[index++] as MeasuredCell), comparison };
}

/** A campaign whose visits and link checks are still to be gathered. */
export interface Measurements {
  campaign: Pick<Campaign, 'id' | 'createdAt' | 'state' | 'spec' | 'sites' | 'annotations' | 'location'>;
  /** As for `measure`. */
  visits: Iterable<ResultVisit>;
  linkChecks: Iterable<ResultLinkCheck>;
  discoveries?: Iterable<DiscoveryFacts>;
}

/** A cell up to the first look at its campaign. */
export interface FirstLookCell extends MeasuredCell {
  /** The rounds that count, ascending. */
  rounds: Pick<Rounds, 'numbers' | 'places'>;
  /** Planned number of rounds. */
  planned: number;
  /** Lower bound of the time that a failed load would have taken. */
  atLeastMs: number;
  /** The values of one protocol and metric. */
  side(protocol: Protocol, metric: MetricName): Side;
}

/**
 * Cells by `cellKey`, for gates and comparisons of campaigns. If a campaign runs until settled, only the rounds of the first look count:
 * they decided whether there are others.
 *
 * @throws RangeError as `measure`.
 */
export function firstLook({ campaign, visits, linkChecks, discoveries }: Measurements): {
  measured: MeasuredCampaign;
  cells: ReadonlyMap<string, FirstLookCell>;
} {
  const { spec, sites } = campaign;
  const planned = looksOf(spec, sites.length)?.[0]?.rounds ?? spec.rounds;
  const counting = Iterator.from(visits).filter(({ roundNumber }) => roundNumber <= planned);
  const measured = measure(campaign, counting, linkChecks, discoveries);
  return { measured, cells: new Map(measured.cells.map((cell) => [cellKey(cell), firstLookCell(cell, planned, atLeastMsOf(spec))])) };
}

function firstLookCell(cell: MeasuredCell, planned: number, atLeastMs: number): FirstLookCell {
  const numbers = [...cell.finished].sort((a, b) => a - b);
  const rounds = { numbers, places: new Map(numbers.map((number, place) => [number, place])) };
  const limitMs = cell.slots.reduce<number | null>((least, { counted }) => minLimit(least, counted.minLimitMs), null);
  return {
    ...cell,
    rounds,
    planned,
    atLeastMs: limitMs ?? atLeastMs,
    side: (protocol, metric) => withoutSuccess(sideOf(cell, rounds, protocol, metric), metric),
  };
}

/** A failed run is slower than every other: 0 if more is better, +∞ for a time. */
function withoutSuccess(side: Side, metric: MetricName): Side {
  if (!isBetterHigh(metric)) return side;
  return { ...side, ofRound: side.ofRound.map((value, round) => (side.failures[round] === 1 ? 0 : value)) };
}

/** One value for each round that has one; +∞ for the time of a failed load. */
export const valuesOf = ({ ofRound }: Side): number[] => ofRound.filter((value) => !Number.isNaN(value));
/** 1 if the load failed, otherwise 0, for each round in which a visit counts. */
export const failuresOfSide = ({ failures }: Side): number[] => failures.filter((one) => !Number.isNaN(one));
