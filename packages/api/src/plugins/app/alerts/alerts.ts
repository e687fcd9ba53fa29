import type { MetricName, Since } from '@pronghorn/core/schemas';
import type { Protocol, View } from '@pronghorn/core/vocabulary';

/** A series of medians that got worse, and is not back. */
export type WorseSeries = {
  /** What its medians are stored under. */
  key: string;
  condition: string;
  view: View;
  protocol: Protocol;
  metric: MetricName;
  /** Medians before and since. */
  before: number;
  level: number;
  /** How far `level` is above `before`, as a share of it. */
  share: number;
  since: Since;
  words: string;
};
export type RegressionFacts = { series: WorseSeries[] };
