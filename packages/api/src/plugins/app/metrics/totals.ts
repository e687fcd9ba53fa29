// Counters and histograms whose numbers are totals of the database, in the form in which prom-client's registry reads a metric.
import type { Metric, MetricValue, Registry } from 'prom-client';
import type { Total } from '../../../tables/readings-repository.ts';

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

/** @param totals what the scrape that is going on tells. */
export function registerTotals(registry: Registry, totals: () => readonly Total[]): void {
  for (const counter of counters) registerCounter(registry, counter, totals);
  for (const histogram of histograms) registerHistogram(registry, histogram, totals);
}

type Labels = Record<string, string>;
type Value = MetricValue<string> & { metricName?: string };

type Described = { name: string; help: string; what: string; labels: readonly string[] };
/** @param always label sets that are told from the start, with 0: a rate over a counter that appears late misses its first steps. */
type CounterOfTotals = Described & { always?: readonly Labels[] };
/** @param bounds of the buckets, seconds, ascending, as the trigger has them. @param of only totals with these labels. */
type HistogramOfTotals = Described & { bounds: readonly number[]; of?: Labels };

function registerCounter(registry: Registry, { name, help, what, labels, always = [] }: CounterOfTotals, totals: () => readonly Total[]) {
  register(registry, name, help, 'counter', () => {
    const groups = grouped(totals(), what, labels, always);
    return [...groups.values()].map(({ labels, rows }) => ({ labels, value: sum(rows, 'count') }));
  });
}

function registerHistogram(registry: Registry, metric: HistogramOfTotals, totals: () => readonly Total[]): void {
  const { name, help, what, labels, bounds, of = {} } = metric;
  register(registry, name, help, 'histogram', () => {
    const rows = totals().filter((row) => Object.entries(of).every(([label, value]) => row.labels[label] === value));
    return [...grouped(rows, what, labels, labels.length === 0 ? [{}] : []).values()].flatMap(({ labels, rows }) => {
      const buckets = bounds.map((le) => ({
        metricName: `${name}_bucket`,
        labels: { ...labels, le: String(le) },
        value: sum(
          rows.filter((row) => row.le !== null && row.le <= le),
          'count',
        ),
      }));
      const count = sum(rows, 'count');
      return [
        ...buckets,
        { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
        { metricName: `${name}_sum`, labels, value: sum(rows, 'seconds') },
        { metricName: `${name}_count`, labels, value: count },
      ];
    });
  });
}

function register(registry: Registry, name: string, help: string, type: 'counter' | 'histogram', values: () => Value[]): void {
  const metric = { name, help, type, aggregator: 'first', get: async () => ({ name, help, type, aggregator: 'first', values: values() }) };
  registry.registerMetric(metric as unknown as Metric);
}

function grouped(totals: readonly Total[], what: string, names: readonly string[], always: readonly Labels[]) {
  const groups = new Map<string, { labels: Labels; rows: Total[] }>();
  for (const labels of always) groups.set(JSON.stringify(names.map((name) => labels[name])), { labels, rows: [] });
  for (const row of totals.filter((each) => each.what === what)) {
    const key = JSON.stringify(names.map((name) => row.labels[name]));
    const group = groups.get(key) ?? { labels: Object.fromEntries(names.map((name) => [name, row.labels[name] ?? ''])), rows: [] };
    group.rows.push(row);
    groups.set(key, group);
  }
  return groups;
}

const sum = (rows: readonly Total[], field: 'count' | 'seconds') => rows.reduce((total, row) => total + row[field], 0);
