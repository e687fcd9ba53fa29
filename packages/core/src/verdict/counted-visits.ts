import { minAutoTimeoutMs } from '../network/load-timeout.ts';
import type { CampaignSpec } from '../schemas/campaign.ts';
import type { MetricName, Metrics } from '../schemas/metrics.ts';
import type { View } from '../vocabulary/cell.ts';
import { isTime, metricOf } from '../vocabulary/metric.ts';
import type { InvalidReason } from '../vocabulary/reason.ts';
import type { PageFacts } from './parity.ts';

/** The value of a failed load in every statistic: above all measured ones. */
export const failed = Number.POSITIVE_INFINITY;

/**
 * The visits of a slot that count, one for each round, as a table of numbers: a large campaign has hundreds of thousands, and keeping each
 * visit's metrics as an object takes three times the memory and the time to move it.
 *
 * This is the one place that gives failures their value: of each round's first try that was not a failure of the measurement itself, a
 * valid one has its values, and a failed one is a right-censored value, +∞, of each metric that is a time. It has no value of other
 * metrics.
 */
export class CountedVisits {
  /** The round of each visit. */
  readonly rounds: number[] = [];
  /** The index of each in its round's visits; NaN: unknown. */
  readonly positions: number[] = [];
  /** True for each one that failed. */
  readonly failures: boolean[] = [];
  /** Datagrams that each visit lost in the browser's receive buffer; null: not measured. */
  readonly receiveDrops: (number | null)[] = [];
  /** Values of the successful visits, one after the other, in the order of `#columns`; NaN for missing ones. */
  readonly #numbers: number[] = [];
  /** All visits of a slot measure the same, as the first one shows. */
  #columns: ReadonlyMap<string, number> = new Map();
  #failed = 0;
  /** The shortest time limit of the failed ones; null: unknown. */
  minLimitMs: number | null = null;

  get count(): number {
    return this.rounds.length;
  }
  get failed(): number {
    return this.#failed;
  }
  get valid(): number {
    return this.count - this.#failed;
  }

  add({ roundNumber, metrics, receiveDrops, position = Number.NaN }: Omit<ValidVisit, 'verdict' | 'page'>): void {
    this.rounds.push(roundNumber);
    this.positions.push(position);
    this.failures.push(false);
    this.receiveDrops.push(receiveDrops);
    if (this.#columns.size === 0) this.#columns = new Map(Object.keys(metrics).map((name, column) => [name, column]));
    for (const name of this.#columns.keys()) this.#numbers.push(metricOf(metrics, name as MetricName) ?? Number.NaN);
  }

  addFailure({ roundNumber, loadTimeoutMs = null }: { roundNumber: number; loadTimeoutMs?: number | null }): void {
    this.minLimitMs = minLimit(this.minLimitMs, loadTimeoutMs);
    this.rounds.push(roundNumber);
    this.positions.push(Number.NaN);
    this.failures.push(true);
    this.receiveDrops.push(null);
    this.#failed += 1;
  }

  /** One for each visit, in the order of `rounds`; NaN for a missing one, +∞ for the time of a failed one. */
  valuesOf(metric: MetricName): number[] {
    const column = this.#columns.get(metric) ?? Number.NaN;
    const ofFailure = isTime(metric) ? failed : Number.NaN;
    const values: number[] = [];
    let at = column;
    for (const hasFailed of this.failures) {
      values.push(hasFailed ? ofFailure : (this.#numbers[at] ?? Number.NaN));
      if (!hasFailed) at += this.#columns.size;
    }
    return values;
  }

  /** The values of the visits that have one. */
  sampleOf(metric: MetricName): number[] {
    const values = this.valuesOf(metric);
    // Like `sampleOf`, but faster with what is known here.
    if (this.#failed === 0 && !values.some(Number.isNaN)) return values;
    return withoutLacking(values, this.valid > 0);
  }
}

/**
 * The value of a visit for `sampleOf`: +∞ for the time of a failed one; NaN for one that does not count, −∞ for a valid one that lacks the
 * metric.
 */
export function valueOfVisit(visit: ResultVisit, metric: MetricName): number {
  if (visit.verdict === 'valid') return metricOf(visit.metrics, metric) ?? lacking;
  return visit.counted && isTime(metric) ? failed : Number.NaN;
}

/** A valid visit without the metric. */
const lacking = Number.NEGATIVE_INFINITY;

/** The numbers among the values that `valueOfVisit` gives for a slot's visits. */
export const sampleOf = (values: readonly number[]): number[] =>
  withoutLacking(
    values.map((value) => (value === lacking ? Number.NaN : value)),
    values.some((value) => !Number.isNaN(value) && value !== failed),
  );

/** If loads succeeded and none of them has the metric, the page lacks it, and failed loads say nothing about it. */
function withoutLacking(values: readonly number[], anyValid: boolean): number[] {
  const sample = values.filter((value) => !Number.isNaN(value));
  return anyValid && sample.every((value) => value === failed) ? [] : sample;
}

/**
 * Lower bound of the time that a failed load would have taken, if its own limit is unknown: that time passed, or the load was over before.
 * Limits by condition and size are never shorter.
 */
export const atLeastMsOf = ({ limits: { loadTimeoutMs } }: Pick<CampaignSpec, 'limits'>): number =>
  loadTimeoutMs === 'auto' ? minAutoTimeoutMs : loadTimeoutMs;

/** The shorter limit of failed loads; null: unknown. */
export const minLimit = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

/** Lower bound of a failed load's time that is above all measured ones. @param values +∞ for a failed load. */
export const atLeastAll = (atLeastMs: number, values: readonly number[]): number =>
  values.reduce((most, value) => (value === Number.POSITIVE_INFINITY ? most : Math.max(most, value)), atLeastMs);

/** A visit for results: its place in the campaign, and its numbers or why it has none. */
export type ResultVisit = { siteId: string; condition: string; view: View; roundNumber: number; slot: number } & (
  | Omit<ValidVisit, 'roundNumber'>
  | {
      verdict: 'invalid';
      reason: InvalidReason;
      /** Why this visit failed; absent or null: unknown. */
      detail?: string | null;
      /** True if it counts as a failure. */
      counted: boolean;
      /** Time limit of its load; absent or null: unknown. */
      loadTimeoutMs?: number | null;
    }
);

interface ValidVisit {
  verdict: 'valid';
  roundNumber: number;
  metrics: Metrics;
  receiveDrops: number | null;
  /** Index in the round's visits, retries included; absent: unknown. */
  position?: number;
  /** Absent: nothing else is known of it. */
  page?: PageFacts;
}
