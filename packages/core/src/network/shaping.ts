// What a condition asks of a link.
import { type Condition, delayOf, type Loss, type Shape } from '../schemas/condition.ts';

export const directions = ['up', 'down'] as const;
export type Direction = (typeof directions)[number];

/** Mean share of packets lost; for bursts, of the two-state chain in its equilibrium: p ÷ (p + r) of the time is bad. */
export function lossShareOf({ loss }: Shape): number {
  if (loss === undefined) return 0;
  return loss.model === 'independent' ? loss.share : meanOfBursts(loss);
}

function meanOfBursts({ p, r, lossBad = 1, lossGood = 0 }: Extract<Loss, { model: 'gilbert-elliott' }>): number {
  if (p === 0) return lossGood;
  const bad = p / (p + r);
  return bad * lossBad + (1 - bad) * lossGood;
}

/** Whether packets of a direction must pass a shaper. */
export function isShaped(condition: Condition, direction: Direction): boolean {
  const shape = condition[direction];
  return (
    delayOf(condition, direction) > 0 ||
    shape.jitter !== undefined ||
    shape.rateKbps !== undefined ||
    lossShareOf(shape) > 0 ||
    (shape.reorder?.share ?? 0) > 0 ||
    (shape.duplicateShare ?? 0) > 0
  );
}

/** Whether a link needs something that shapes. */
export const needsShaping = (condition: Condition): boolean => directions.some((direction) => isShaped(condition, direction));

/** Whether nothing at all is added to the path, so that any link can do it. */
export const isNative = (condition: Condition): boolean => !needsShaping(condition);

/** Whether it loses packets in any direction. */
export const isLossy = (condition: Condition): boolean => directions.some((direction) => lossShareOf(condition[direction]) > 0);

/** What a condition adds to the round trip, milliseconds, jitter aside. */
export const rttOf = (condition: Condition): number => delayOf(condition, 'up') + delayOf(condition, 'down');

/** The bottleneck's queue in bytes: as given, or 100 ms at the rate and at least 32 KB. Without a rate no queue builds up: 0. */
export function queueBytesOf({ rateKbps, queueBytes }: Shape): number {
  if (rateKbps === undefined) return 0;
  return queueBytes ?? Math.max(32_768, Math.round((rateKbps * 1000 * 0.1) / 8));
}

/** Whether two conditions do the same to packets, whatever they are called. */
export const doTheSame = (one: Condition, other: Condition): boolean => effectOf(one) === effectOf(other);

const effectOf = ({ baseRttMs = 0, up, down }: Condition) => JSON.stringify([baseRttMs, up, down].map(sorted));

/** With keys in one order, so that equal values give equal text. */
function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, nested]) => [key, sorted(nested)]),
  );
}
