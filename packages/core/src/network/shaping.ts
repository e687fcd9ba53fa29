// The demands of a condition on a link.
import type { Condition, ConditionNumbers, Loss, Shape } from '../schemas/condition.ts';

export const directions = ['up', 'down'] as const;
export type Direction = (typeof directions)[number];

/** Mean share of packets lost; for bursts, that of the two-state chain in equilibrium: it is bad p ÷ (p + r) of the time. */
export function lossShareOf({ loss }: Shape): number {
  if (loss === undefined) return 0;
  return loss.model === 'independent' ? loss.share : meanOfBursts(loss);
}

function meanOfBursts({ p, r, lossBad = 1, lossGood = 0 }: Extract<Loss, { model: 'gilbert-elliott' }>): number {
  if (p === 0) return lossGood;
  const bad = p / (p + r);
  return bad * lossBad + (1 - bad) * lossGood;
}

/** Whether packets in a direction must pass a shaper. */
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

/** Whether a link needs a shaper. */
export const needsShaping = (condition: Condition): boolean => directions.some((direction) => isShaped(condition, direction));

/** Whether a condition adds nothing to the path, so that any link can do it. */
export const isNative = (condition: Condition): boolean => !needsShaping(condition);

/** Whether it loses packets in either direction. */
export const isLossy = (condition: Condition): boolean => directions.some((direction) => lossShareOf(condition[direction]) > 0);

/** The added round-trip time, milliseconds, without jitter. */
export const rttOf = (condition: Condition): number => delayOf(condition, 'up') + delayOf(condition, 'down');

/** The bottleneck's queue in bytes: as given, or 100 ms at the rate and at least 32 KB. Without a rate no queue builds up: 0. */
export function queueBytesOf({ rateKbps, queueBytes }: Shape): number {
  if (rateKbps === undefined) return 0;
  return queueBytes ?? Math.max(32_768, Math.round((rateKbps * 1000 * 0.1) / 8));
}

/** The delay that a direction adds to every packet in milliseconds: its own and half of the base RTT. */
export function delayOf(condition: Condition, direction: 'up' | 'down'): number {
  return (condition[direction].delayMs ?? 0) + (condition.baseRttMs ?? 0) / 2;
}

/** The effect of a condition, without its name and description: a stored one may change under its name. Equal numbers, equal text. */
export const conditionKey = ({ baseRttMs = 0, up, down }: Pick<Condition, 'baseRttMs' | 'up' | 'down'>): string =>
  JSON.stringify({ baseRttMs, up, down }, (_, nested: unknown) =>
    nested !== null && typeof nested === 'object' && !Array.isArray(nested)
      ? Object.fromEntries(Object.entries(nested).sort(([a], [b]) => (a < b ? -1 : 1)))
      : nested,
  );

/** Whether two conditions have the same effect, whatever their names. */
export const doTheSame = (one: Condition, other: Condition): boolean => conditionKey(one) === conditionKey(other);

/** A condition's numbers, with defaults filled in. */
export function numbersOf(condition: Condition): ConditionNumbers {
  const ofDirection = (direction: Direction) => {
    const shape = condition[direction];
    return {
      delayMs: delayOf(condition, direction),
      jitterMs: shape.jitter?.ms ?? null,
      lossShare: lossShareOf(shape),
      rateKbps: shape.rateKbps ?? null,
      queueBytes: queueBytesOf(shape),
    };
  };
  return { rttMs: rttOf(condition), up: ofDirection('up'), down: ofDirection('down') };
}
