// What /metrics tells of the service, beside its process: names and units as prometheus.io/docs/practices/naming has them.
import { version } from '@pronghorn/core/vocabulary';
import { Gauge, type Registry } from 'prom-client';
import { type CounterOfTotals, type HistogramOfTotals, registerCounter, registerHistogram } from './metrics-of-totals.ts';
import type { createReadings } from './readings.ts';
import type { Total } from './totals-repository.ts';

const counters: CounterOfTotals[] = [
  {
    name: 'pronghorn_campaigns_total',
    help: 'Campaigns that were made, done or cancelled.',
    what: 'campaigns',
    labels: ['priority', 'state'],
  },
  {
    name: 'pronghorn_visits_total',
    help: 'Visits that were stored; reason is empty for valid ones.',
    what: 'visits',
    labels: ['protocol', 'verdict', 'reason'],
  },
  {
    name: 'pronghorn_leases_total',
    help: 'Leases of rounds that ended: completed, released by their runner, or lost.',
    what: 'leases',
    labels: ['outcome'],
    always: [{ outcome: 'completed' }, { outcome: 'released' }, { outcome: 'lost' }],
  },
  {
    name: 'pronghorn_link_checks_total',
    help: 'Link checks; faulty: the link did not do what its condition says.',
    what: 'link-checks',
    labels: ['outcome'],
    always: [{ outcome: 'ok' }, { outcome: 'faulty' }],
  },
  {
    name: 'pronghorn_schedule_starts_total',
    help: 'What became of the times at which schedules were due.',
    what: 'schedule-starts',
    labels: ['outcome'],
    always: [{ outcome: 'started' }, { outcome: 'missed' }, { outcome: 'overlapping' }, { outcome: 'failed' }],
  },
  {
    name: 'pronghorn_evidence_removed_total',
    help: 'Evidence that went before it was old: for the budget, by its campaign’s policy, or lost as its file was missing or damaged.',
    what: 'evidence-removed',
    labels: ['why'],
    always: [{ why: 'budget' }, { why: 'policy' }, { why: 'lost' }],
  },
  {
    name: 'pronghorn_notification_deliveries_total',
    help: 'Notifications that were delivered, or given up after the last try.',
    what: 'deliveries',
    labels: ['result'],
    always: [{ result: 'delivered' }, { result: 'given-up' }],
  },
];

const histograms: HistogramOfTotals[] = [
  {
    name: 'pronghorn_visit_duration_seconds',
    help: 'What a visit took in all, from launch to record.',
    what: 'visits',
    labels: ['protocol'],
    bounds: [0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  },
  {
    name: 'pronghorn_round_duration_seconds',
    help: 'From the lease of a round to its completion.',
    what: 'leases',
    of: { outcome: 'completed' },
    labels: [],
    bounds: [5, 10, 30, 60, 120, 300, 900],
  },
];

type Sources = {
  totals: () => Total[];
  readings: ReturnType<typeof createReadings>;
  runners: () => Record<string, number>;
  evidenceBudgetBytes: number | null;
  /** How far the clock is from where it is believed, seconds; 0: it is believed. */
  clockDoubtSeconds: () => number;
};

/** @param sources.totals reads the totals of this scrape. @param sources.runners counts runners by state. */
export function registerServiceMetrics(
  registry: Registry,
  { totals, readings, runners, evidenceBudgetBytes, clockDoubtSeconds }: Sources,
): void {
  for (const counter of counters) registerCounter(registry, counter, totals);
  for (const histogram of histograms) registerHistogram(registry, histogram, totals);

  const gauge = <Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    collect: (self: Gauge<Label>) => void | Promise<void>,
  ) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        return collect(this);
      },
    });

  gauge('pronghorn_build_info', 'Which Pronghorn this process is; always 1.', ['version'], (self) => self.set({ version }, 1));
  gauge('pronghorn_queue_rounds', 'Rounds that wait (queued) or that runners have (leased).', ['priority', 'state'], (self) => {
    for (const { priority, queued, leased } of readings.queue()) {
      self.set({ priority, state: 'queued' }, queued);
      self.set({ priority, state: 'leased' }, leased);
    }
  });
  gauge('pronghorn_queue_oldest_age_seconds', 'Age of the oldest campaign with waiting rounds; 0: none waits.', ['priority'], (self) => {
    for (const { priority, oldestSeconds } of readings.queue()) self.set({ priority }, oldestSeconds);
  });
  gauge('pronghorn_runners', 'Runners by state.', ['state'], (self) => {
    for (const [state, count] of Object.entries(runners())) self.set({ state }, count);
  });
  gauge('pronghorn_clock_doubt_seconds', 'How far the clock is from its last believed time; 0: it is believed.', [], (self) =>
    self.set(clockDoubtSeconds()),
  );
  gauge(
    'pronghorn_database_size_bytes',
    'The database file; kind free: pages in it that wait for reuse; kind log: beside it.',
    ['kind'],
    (self) => {
      const { bytes, freeBytes, logBytes } = readings.database();
      self.set({ kind: 'file' }, bytes);
      self.set({ kind: 'free' }, freeBytes);
      self.set({ kind: 'log' }, logBytes);
    },
  );
  gauge('pronghorn_evidence_size_bytes', 'Files of evidence; kind incoming: that are being received.', ['kind'], (self) => {
    const { files, incoming } = readings.evidence();
    self.set({ kind: 'files' }, files);
    self.set({ kind: 'incoming' }, incoming);
  });
  if (evidenceBudgetBytes !== null) {
    gauge('pronghorn_evidence_budget_bytes', 'What evidence may take.', [], (self) => self.set(evidenceBudgetBytes));
  }
  gauge('pronghorn_disk_free_bytes', 'Left for the service on the disk of the data folder.', [], async (self) =>
    self.set(await readings.diskFreeBytes()),
  );
}
