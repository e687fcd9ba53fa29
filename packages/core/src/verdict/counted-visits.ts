import { shortestAutoTimeoutMs } from '../network/load-timeout.ts';
import type { CampaignSpec } from '../schemas/campaign.ts';
import type { MetricName, Metrics } from '../schemas/metrics.ts';
import type { View } from '../vocabulary/cell.ts';
import { isTime, metricOf } from '../vocabulary/metric.ts';
import type { InvalidReason } from '../vocabulary/reason.ts';
import type { PageFacts } from './parity.ts';

/** What a load that failed stands for in every statistic: above whatever was measured. */
export const failed = Number.POSITIVE_INFINITY;

/**
 * The visits of a slot that count, one of each round, as a table of numbers: a large campaign has hundreds of thousands, and to keep each visit's
 * metrics as an object takes three times the memory and the time to move it about.
 *
 * This is the one place that says what a failure is worth: of each round's first try that was not a failure of the measurement itself, a
 * valid one has its values, and one that failed is a right-censored value, +∞, of each metric that is a time. Of other metrics it has none.
 */
export class CountedVisits {
  /** The round of each visit. */
  readonly rounds: number[] = [];
  /** Whether each one failed. */
  readonly failures: boolean[] = [];
  /** Datagrams that each visit lost in the browser's receive buffer; null: not measured. */
  readonly receiveDrops: (number | null)[] = [];
  /** Of the visits that did not fail, one after the other, in the order of `#columns`; NaN for what one has not. */
  readonly #numbers: number[] = [];
  /** All visits of a slot measure the same, which the first one shows. */
  #columns: ReadonlyMap<string, number> = new Map();
  #failed = 0;
  /** The shortest time that one of those that failed had to load; null: known of none. */
  shortestLimitMs: number | null = null;

  get count(): number {
    return this.rounds.length;
  }
  get failed(): number {
    return this.#failed;
  }
  get valid(): number {
    return this.count - this.#failed;
  }

  add({ roundNumber, metrics, receiveDrops }: { roundNumber: number; metrics: Metrics; receiveDrops: number | null }): void {
    this.rounds.push(roundNumber);
    this.failures.push(false);
    this.receiveDrops.push(receiveDrops);
    if (this.#columns.size === 0) this.#columns = new Map(Object.keys(metrics).map((name, column) => [name, column]));
    for (const name of this.#columns.keys()) this.#numbers.push(metricOf(metrics, name as MetricName) ?? Number.NaN);
  }

  addFailure({ roundNumber, loadTimeoutMs = null }: { roundNumber: number; loadTimeoutMs?: number | null }): void {
    this.shortestLimitMs = shorterLimit(this.shortestLimitMs, loadTimeoutMs);
    this.rounds.push(roundNumber);
    this.failures.push(true);
    this.receiveDrops.push(null);
    this.#failed += 1;
  }

  /** Of each visit, in the order of `rounds`; NaN for what it has not, +∞ for the time of one that failed. */
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

  /** Of those visits that have one. */
  sampleOf(metric: MetricName): number[] {
    const values = this.valuesOf(metric);
    // As `sampleOf` does, with what is known already.
    if (this.#failed === 0 && !values.some(Number.isNaN)) return values;
    return withoutLacking(values, this.valid > 0);
  }
}

/** What one visit gives of a metric, for `sampleOf`: a value, +∞ for the time of one that failed; NaN for one that does not count, −∞ for a valid one that lacks it. */
export function valueOfVisit(visit: ResultVisit, metric: MetricName): number {
  if (visit.verdict === 'valid') return metricOf(visit.metrics, metric) ?? lacking;
  return visit.counted && isTime(metric) ? failed : Number.NaN;
}

/** A valid visit without the metric. */
const lacking = Number.NEGATIVE_INFINITY;

/** Of the values that `valueOfVisit` gives of a slot's visits those that are numbers. */
export const sampleOf = (values: readonly number[]): number[] =>
  withoutLacking(
    values.map((value) => (value === lacking ? Number.NaN : value)),
    values.some((value) => !Number.isNaN(value) && value !== failed),
  );

/** Where loads succeeded and none of them has the metric, the page lacks it, and those that failed say nothing of it. */
function withoutLacking(values: readonly number[], anyValid: boolean): number[] {
  const sample = values.filter((value) => !Number.isNaN(value));
  return anyValid && sample.every((value) => value === failed) ? [] : sample;
}

/**
 * What a load that failed would have taken at least, where its own limit is not known: it was waited for so long, or was over before. Limits by
 * condition and size are no shorter.
 */
export const atLeastMsOf = ({ limits: { loadTimeoutMs } }: Pick<CampaignSpec, 'limits'>): number =>
  loadTimeoutMs === 'auto' ? shortestAutoTimeoutMs : loadTimeoutMs;

/** Of the limits that loads had which failed; null: not known of any. */
export const shorterLimit = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

/** What a load that failed would have taken where what others took may be more: a load that failed is above whatever was measured. @param values +∞ for a load that failed. */
export const atLeastAll = (atLeastMs: number, values: readonly number[]): number =>
  values.reduce((most, value) => (value === Number.POSITIVE_INFINITY ? most : Math.max(most, value)), atLeastMs);

/** What results need to know of a visit: where it belongs, and its numbers or why it has none. */
export type ResultVisit = { siteId: string; condition: string; view: View; roundNumber: number; slot: number } & (
  | { verdict: 'valid'; metrics: Metrics; receiveDrops: number | null /** Absent: nothing else is known of it. */; page?: PageFacts }
  | {
      verdict: 'invalid';
      reason: InvalidReason;
      /** Why, of this visit; absent or null: not known. */
      detail?: string | null;
      /** As a failure. */
      counted: boolean;
      /** What it had to load; absent or null: not known. */
      loadTimeoutMs?: number | null;
    }
);
