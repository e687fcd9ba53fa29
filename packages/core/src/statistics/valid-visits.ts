import { type MetricName, type Metrics, metricNames } from '../schemas/metrics.ts';

const columnOf = new Map(metricNames.map((name, column) => [name, column]));

/**
 * The visits of a slot that count, as a table of numbers: a large campaign has hundreds of thousands, and to keep each visit's
 * metrics as an object takes three times the memory and the time to move it about.
 */
export class ValidVisits {
  /** The round of each visit. */
  readonly rounds: number[] = [];
  /** Datagrams that each visit lost in the browser's receive buffer; null: not measured. */
  readonly receiveDrops: (number | null)[] = [];
  /** Visit by visit, in the order of `metricNames`; NaN for what a page lacks. */
  readonly #numbers: number[] = [];

  get count(): number {
    return this.rounds.length;
  }

  add({ roundNumber, metrics, receiveDrops }: { roundNumber: number; metrics: Metrics; receiveDrops: number | null }): void {
    this.rounds.push(roundNumber);
    this.receiveDrops.push(receiveDrops);
    for (const name of metricNames) this.#numbers.push(metrics[name] ?? Number.NaN);
  }

  /** Of each visit, in the order of `rounds`; NaN for what a page lacks. */
  valuesOf(metric: MetricName): number[] {
    const values: number[] = [];
    for (let at = columnOf.get(metric) as number; at < this.#numbers.length; at += metricNames.length)
      values.push(this.#numbers[at] as number);
    return values;
  }

  /** Of those visits that have one. */
  sampleOf(metric: MetricName): number[] {
    const values = this.valuesOf(metric);
    return values.some(Number.isNaN) ? values.filter((value) => !Number.isNaN(value)) : values;
  }
}
