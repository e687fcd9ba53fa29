// A visit as a row of the table visits, and back.
import type { MetricName, Metrics, Outcome, Visit, VisitUpload } from '@pronghorn/core/schemas';
import { type InvalidReason, metricNames, metricOf, pageMetricNames, transactionMetricNames, type View } from '@pronghorn/core/vocabulary';

/** Either all numbers with no reason, or the other way round: the table checks it. */
type OutcomeRow = { verdict: Outcome['verdict']; reason: InvalidReason | null; detail: string | null } & Record<MetricName, number | null>;

type VisitRow = Omit<ReturnType<typeof toVisitRow>, 'roundId'> & {
  seq: number;
  eventId: number;
  roundId: number;
  /** As values. */
  counted: 0 | 1;
  /** As a failure: the other way to count. */
  failed: 0 | 1;
};

/** A visit beside its round's place in the campaign. */
export type VisitInRoundRow = VisitRow & {
  campaignId: number;
  siteId: number;
  condition: string;
  view: View;
  roundNumber: number;
  watchedEqually: 0 | 1;
};

const noMetrics = Object.fromEntries(metricNames.map((name) => [name, null])) as Record<MetricName, null>;

const toOutcomeRow = (outcome: Outcome): OutcomeRow =>
  outcome.verdict === 'valid'
    ? { verdict: 'valid', reason: null, detail: null, ...pickMetrics(outcome.metrics) }
    : { verdict: 'invalid', reason: outcome.reason, detail: outcome.detail, ...noMetrics };

const pickMetrics = (metrics: Metrics) =>
  Object.fromEntries(metricNames.map((name) => [name, metricOf(metrics, name)])) as Record<MetricName, number | null>;

/** The metrics of a row that is valid; that none is null which must not be is the upload's schema's doing. */
export const metricsOf = (row: Record<MetricName, number | null>): Metrics =>
  Object.fromEntries((row.onLoad === null ? transactionMetricNames : pageMetricNames).map((name) => [name, row[name]])) as Metrics;

export const toVisitRow = ({ cpu, link, settled, watch, likeness, netlog, run, outcome, resources: _, ...same }: VisitUpload) => ({
  ...same,
  loadTimeoutMs: same.loadTimeoutMs ?? null,
  cpuOwnShare: cpu?.ownShare ?? null,
  cpuForeignShare: cpu?.foreignShare ?? null,
  refused: link && JSON.stringify(link.refused),
  receiveDrops: link?.receiveDrops ?? null,
  settled: settled ? JSON.stringify(settled) : null,
  watch: watch ? JSON.stringify(watch) : null,
  likeness: likeness ? JSON.stringify(likeness) : null,
  netlog: netlog ? JSON.stringify(netlog) : null,
  run: run ? JSON.stringify(run) : null,
  ...toOutcomeRow(outcome),
});

export const toVisit = (row: VisitInRoundRow): Visit => ({
  id: row.id,
  roundId: String(row.roundId),
  attempt: row.attempt,
  slot: row.slot,
  protocol: row.protocol,
  position: row.position,
  retry: row.retry,
  startedAt: row.startedAt,
  wallMs: row.wallMs,
  loadTimeoutMs: row.loadTimeoutMs,
  finalUrl: row.finalUrl,
  documentAddress: row.documentAddress,
  cpu: row.cpuOwnShare === null || row.cpuForeignShare === null ? null : { ownShare: row.cpuOwnShare, foreignShare: row.cpuForeignShare },
  link: row.refused === null || row.receiveDrops === null ? null : { refused: JSON.parse(row.refused), receiveDrops: row.receiveDrops },
  settled: row.settled === null ? null : JSON.parse(row.settled),
  environmentId: row.environmentId,
  discoveryId: row.discoveryId,
  outcome:
    row.verdict === 'valid'
      ? { verdict: 'valid', metrics: metricsOf(row) }
      : { verdict: 'invalid', reason: row.reason ?? 'engine-error', detail: row.detail ?? '' },
  ...(row.watch === null ? {} : { watch: JSON.parse(row.watch) }),
  ...(row.likeness === null ? {} : { likeness: JSON.parse(row.likeness) }),
  ...(row.netlog === null ? {} : { netlog: JSON.parse(row.netlog) }),
  ...(row.run === null ? {} : { run: JSON.parse(row.run) }),
  campaignId: String(row.campaignId),
  siteId: String(row.siteId),
  condition: row.condition,
  view: row.view,
  roundNumber: row.roundNumber,
  counted: row.counted === 1 || row.failed === 1,
  ...(row.watchedEqually === 0 && { watchedEqually: false }),
});

/** As lists have it: what a run says beside its metrics may be as long as the rest of a page of visits. */
export const withoutRun = ({ run: _run, ...visit }: Visit): Visit => visit;
