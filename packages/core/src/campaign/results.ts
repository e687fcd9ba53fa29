import { median } from '../math/quantile.ts';
import type { CampaignSpec } from '../schemas/campaign.ts';
import type { MetricName } from '../schemas/metrics.ts';
import type { CampaignResults, CellResults, SelfComparison, SlotResults } from '../schemas/results.ts';
import { orderCaution } from '../text/calibration.ts';
import { describeCondition } from '../text/condition.ts';
import { counted, listed, protocolName } from '../text/numbers.ts';
import { alpha, compareCells } from '../verdict/cell-comparisons.ts';
import { roundsOf, type SlotVisits } from '../verdict/cell-samples.ts';
import { pairedTest } from '../verdict/comparison.ts';
import { atLeastMsOf, type ResultVisit } from '../verdict/counted-visits.ts';
import { failureRate } from '../verdict/failures.ts';
import { deltaOfMedians, h3Delta } from '../verdict/h3-delta.ts';
import { mainMetrics } from '../verdict/questions.ts';
import { type Look, looksOf } from '../verdict/sequential.ts';
import { summariseLoads } from '../verdict/summary.ts';
import { notLoaded, reasonCounts } from '../verdict/unmeasured.ts';
import { metricNamesOf } from '../vocabulary/metric.ts';
import type { Protocol } from '../vocabulary/protocol.ts';
import { orderEffect } from './calibration.ts';
import { measuredLink, type ResultLinkCheck } from './measured/link.ts';
import { type MeasuredCampaign, type MeasuredCell, measure } from './measured/measured.ts';

/**
 * The results of a campaign: for each cell, in the campaign's own order, the summary of every metric in each slot, the H3-Delta of every
 * metric, and the comparisons of protocols with their verdicts; and for each condition, the measurements of its link.
 *
 * @param complete true if every round had its turn: with pending or cancelled rounds, no winner is named.
 * @throws RangeError as `measure`.
 */
export function campaignResults(
  campaign: MeasuredCampaign['campaign'],
  visits: Iterable<ResultVisit>,
  linkChecks: Iterable<ResultLinkCheck> = [],
  complete = true,
): CampaignResults {
  const { cells, ...results } = streamResults(measure(campaign, visits, linkChecks), complete);
  return { ...results, cells: [...cells] };
}

/**
 * As `campaignResults`, but the results of each cell are generated on demand and can be read once: those of 1,000 sites are 400 MB of JSON.
 */
export function streamResults(
  { campaign, cells, linkChecks }: MeasuredCampaign,
  complete = true,
): Omit<CampaignResults, 'cells'> & { cells: Iterable<CellResults> } {
  const { spec } = campaign;
  const looks = looksOf(spec, campaign.sites.length);
  const comparisons = compareCells(cells, { ...spec, looks, complete });
  return {
    campaignId: campaign.id,
    primaryMetric: spec.primaryMetric,
    conditions: spec.conditions.map((condition) => ({
      condition: condition.name,
      words: describeCondition(condition),
      link: measuredLink(linkChecks.get(condition.name) ?? []),
    })),
    cells: comparisons.map((ofCell, index): CellResults => {
      const { siteId, condition, view, slots, finished } = cells[index] as MeasuredCell;
      const numbers = numbersOf(slots, spec);
      return {
        ...{ siteId, condition, view },
        ...numbers,
        connectionNote: connectionNote({ view, slots: numbers.slots }, spec),
        sinceLook: sinceLook(finished, looks, complete),
        orderEffect: orderOf(slots, spec, cells.length),
        comparisons: ofCell,
        selfComparisons: selfComparisons(slots, spec),
      };
    }),
  };
}

/**
 * Whether the place of a visit in its round decides its value: what the first one pays, as for a cold cache at the server's edge, no protocol pays more
 * often than another, but it hides the difference between them.
 *
 * @param cells of the campaign, each of which may have one by chance
 */
function orderOf(
  slots: readonly SlotVisits[],
  { primaryMetric: metric, prime, engine }: CampaignSpec,
  cells: number,
): CellResults['orderEffect'] {
  const rounds = new Map<number, { protocol: Protocol; position: number; value: number }[]>();
  for (const { protocol, counted: visits } of slots) {
    for (const [visit, value] of visits.valuesOf(metric).entries()) {
      const [round, position] = [visits.rounds[visit] as number, visits.positions[visit] as number];
      if (!(value > 0 && value < Number.POSITIVE_INFINITY) || Number.isNaN(position)) continue;
      rounds.set(round, [...(rounds.get(round) ?? []), { protocol, position, value }]);
    }
  }
  const effect = orderEffect([...rounds.values()].map((visits) => visits.sort((a, b) => a.position - b.position)));
  if (effect === null) return null;
  const [first = 0, ...others] = effect.positions;
  const cold = 'The first visit may find a cold cache at the server’s edge';
  const advice =
    first <= Math.max(...others) || engine === 'transaction'
      ? 'Later visits may meet a limit of the server, or a machine that is not at rest: ./pronghorn calibrate tells what the machine does.'
      : prime === true
        ? `${cold}, although each round begins with a load that does not count.`
        : `${cold}: --prime loads the page once before each round.`;
  return { ...effect, words: effect.p <= alpha / cells ? `${orderCaution(effect)} ${advice}` : null };
}

function sinceLook(numbers: ReadonlySet<number>, looks: readonly Look[] | null, complete: boolean): CellResults['sinceLook'] {
  const [judged, finished] = [roundsOf({ finished: numbers }, looks, complete).numbers.length, numbers.size];
  if (judged === finished) return null;
  const words = `The verdict and the comparisons are of the ${counted(judged, 'round')} until the last planned look; the medians are of all ${finished} so far.`;
  return { judged, finished, words };
}

function numbersOf(slots: readonly SlotVisits[], spec: CampaignSpec): Pick<CellResults, 'slots' | 'notLoaded' | 'h3Delta'> {
  const results = slots.map((visits, slot) => slotResults(visits, slot, spec));
  const deltaOf = (metric: MetricName) => {
    const [h3, h2] = [medianOf(slots, 'h3', metric), medianOf(slots, 'h2', metric)];
    return h3 === null || h2 === null ? null : deltaOfMedians(h3, h2);
  };
  return {
    slots: results,
    notLoaded: notLoaded(results),
    h3Delta: Object.fromEntries(metricNamesOf(spec).map((metric) => [metric, deltaOf(metric)])),
  };
}

/** Slots of one protocol (A/A) measure the same thing: the H3-Delta takes them together. */
function medianOf(slots: readonly SlotVisits[], protocol: Protocol, metric: MetricName): number | null {
  const values = slots.filter((slot) => slot.protocol === protocol).flatMap(({ counted }) => counted.sampleOf(metric));
  return values.length === 0 ? null : median(values);
}

function slotResults(visits: SlotVisits, slot: number, spec: CampaignSpec): SlotResults {
  const metrics: SlotResults['metrics'] = {};
  const atLeastMs = atLeastMsOf(spec);
  for (const metric of metricNamesOf(spec)) {
    const sample = visits.counted.sampleOf(metric);
    if (sample.length > 0) metrics[metric] = summariseLoads(sample, visits.counted.minLimitMs ?? atLeastMs);
  }
  return {
    slot,
    protocol: visits.protocol,
    valid: visits.counted.valid,
    failures: failureRate(visits.counted.failed, visits.counted.count),
    invalid: reasonCounts(visits.invalid),
    receiveDrops: receiveDropsOf(visits),
    metrics,
  };
}

/** Losses that are not the network's, but would be blamed on a protocol. */
function receiveDropsOf({ protocol, counted: { receiveDrops, valid } }: SlotVisits): SlotResults['receiveDrops'] {
  const drops = receiveDrops.map((count) => count ?? 0).filter((count) => count > 0);
  if (drops.length === 0) return null;
  const datagrams = drops.reduce((sum, count) => sum + count, 0);
  const lost = `${datagrams.toLocaleString('en-US')} ${datagrams === 1 ? 'datagram' : 'datagrams'}`;
  const where = `${drops.length} of ${valid} ${valid === 1 ? 'visit' : 'visits'} over ${protocol}`;
  const words = `In ${where}, ${lost} crossed the link and were lost in the browser’s full receive buffer: a limit of the machine, not of the network.`;
  return { visits: drops.length, datagrams, words };
}

/** Compares each slot with the later ones of its protocol, round by round. */
function selfComparisons(slots: readonly SlotVisits[], spec: CampaignSpec): SelfComparison[] {
  const pairs = slots.flatMap((first, i) =>
    slots.slice(i + 1).flatMap((second, later) => (second.protocol === first.protocol ? [{ first, second, i, j: i + 1 + later }] : [])),
  );
  return pairs.flatMap(({ first, second, i, j }) =>
    [...new Set([spec.primaryMetric, ...mainMetrics(spec).slice(0, 2)])].flatMap((metric) => {
      const [firstValues, secondValues] = [first.counted.valuesOf(metric), second.counted.valuesOf(metric)];
      const indexOf = new Map(first.counted.rounds.map((round, i) => [round, i]));
      const paired = second.counted.rounds.flatMap((round, k): [number, number][] => {
        const [before, after] = [firstValues[indexOf.get(round) ?? -1] ?? Number.NaN, secondValues[k] as number];
        return Number.isNaN(before) || Number.isNaN(after) ? [] : [[before, after]];
      });
      if (paired.length === 0) return [];
      const delta = h3Delta(
        paired.map(([, after]) => after),
        paired.map(([before]) => before),
      );
      const p = pairedTest(paired.map(([baseline, candidate]) => ({ candidate, baseline })))?.p ?? 1;
      return [{ protocol: first.protocol, slots: [i, j], metric, rounds: paired.length, delta, p }];
    }),
  );
}

/** From this ratio of connections on, the numbers of a cold run are those of its handshakes. */
const notablyMore = 2;

/** Such as `50 connections over HTTP/2 and 1 connection over HTTP/3`, by medians, each protocol once; null: similar numbers, or a warm view. */
export function differingConnections({ view, slots }: Pick<CellResults, 'view' | 'slots'>): string | null {
  const opened = [...Map.groupBy(slots, ({ protocol }) => protocol)].flatMap(([protocol, its]) => {
    const counts = its.flatMap(({ metrics: { connections } }) => connections?.median ?? []);
    return counts.length === 0 ? [] : [{ protocol, count: median(counts) }];
  });
  const [most, least] = [Math.max(...opened.map(({ count }) => count)), Math.min(...opened.map(({ count }) => count))];
  if (view !== 'cold' || opened.length < 2 || least === 0 || most < notablyMore * least) return null;
  return listed(opened.map(({ protocol, count }) => `${counted(Math.round(count), 'connection')} over ${protocolName(protocol)}`));
}

/** What differing connections mean for the reader of the results; null if there is nothing to say, and for pages. */
export function connectionNote(
  cell: Pick<CellResults, 'view' | 'slots'>,
  { engine, workload }: Pick<CampaignSpec, 'engine' | 'workload'>,
): string | null {
  const counts = engine === 'transaction' ? differingConnections(cell) : null;
  if (counts === null) return null;
  const dials = cell.slots.some(({ protocol }) => protocol === 'h2') && workload?.connections === 'pool';
  const why = dials ? ' Go’s HTTP/2 client dials for each of many first requests, and its HTTP/3 client once.' : '';
  return `A cold run opened ${counts}.${why} So the number of handshakes differs first; the warm view shows how a protocol handles requests.`;
}
