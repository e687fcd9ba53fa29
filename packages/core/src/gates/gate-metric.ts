// What a gate can hold against a limit: the metrics of a visit, and how many loads fail.
import type { GateMetric } from '../schemas/gate.ts';
import { metricTitle } from '../statistics/metric-title.ts';

export const gateMetricTitle = (metric: GateMetric): string =>
  metric === 'failedShare' ? 'the share of failed loads' : metricTitle(metric);
