// What a gate can hold against a limit: the metrics of a visit, and how many visits fail.
import type { GateMetric } from '../../schemas/gate.ts';
import { type MetricName, metricNamesOf } from '../../schemas/metrics.ts';
import { metricMeant } from '../../text/assertion.ts';
import type { Engine } from '../../vocabulary/engine.ts';
import { metricTitle } from '../../vocabulary/metric.ts';

export const gateMetricTitle = (metric: GateMetric): string =>
  metric === 'failedShare' ? 'the share of failed visits' : metricTitle(metric);

/** What a campaign of this engine can be asked for. */
export const gateMetricsOf = ({ engine }: { engine: Engine }): readonly GateMetric[] => [...metricNamesOf({ engine }), 'failedShare'];

/** Of pages and of runs of REST calls, where names alone don't show it. */
const counterparts: Partial<Record<MetricName, MetricName>> = {
  onLoad: 'responseTime',
  loadEventEnd: 'responseTime',
  documentHeaders: 'ttfb',
  responseTime: 'onLoad',
  responseTimeP99: 'onLoad',
  latency: 'onLoad',
  sentBytes: 'transferBytes',
};

/**
 * Why a campaign of this engine can't be asked for a metric, with the one that was likely meant; null: it can.
 *
 * @param expected what may stand there, where that is not all that is measured
 */
export function lackingMetric(metric: GateMetric, engine: Engine, expected = gateMetricsOf({ engine })): string | null {
  const names = gateMetricsOf({ engine });
  if (names.includes(metric)) return null;
  const [whose, others] = engine === 'transaction' ? ['A run of REST calls', 'pages'] : ['A page', 'runs of REST calls'];
  const meant = counterparts[metric as MetricName] ?? metricMeant(metric, expected);
  return `${whose} has no ${metric}, which is measured of ${others}${meant === undefined ? `. Expected one of ${expected.join(', ')}.` : `; did you mean ${meant}?`}`;
}
