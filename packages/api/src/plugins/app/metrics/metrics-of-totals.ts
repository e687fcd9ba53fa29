// Counters and histograms whose numbers are totals of the database, in the form in which prom-client's registry reads a metric.
import type { Metric, MetricValue, Registry } from 'prom-client';
import type { Total } from './totals-repository.ts';

type Labels = Record<string, string>;
type Value = MetricValue<string> & { metricName?: string };

type Described = { name: string; help: string; what: string; labels: readonly string[] };
/** @param always label sets that are told from the start, with 0: a rate over a counter that appears late misses its first steps. */
export type CounterOfTotals = Described & { always?: readonly Labels[] };
/** @param bounds of the buckets, seconds, ascending, as the trigger has them. @param of only totals with these labels. */
export type HistogramOfTotals = Described & { bounds: readonly number[]; of?: Labels };

/** @param totals reads what this scrape tells. */
export function registerCounter(registry: Registry, { name, help, what, labels, always = [] }: CounterOfTotals, totals: () => Total[]) {
  register(registry, name, help, 'counter', () => {
    const groups = grouped(totals(), what, labels, always);
    return [...groups.values()].map(({ labels, rows }) => ({ labels, value: sum(rows, 'count') }));
  });
}

/** As `registerCounter`. */
export function registerHistogram(registry: Registry, metric: HistogramOfTotals, totals: () => Total[]): void {
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
