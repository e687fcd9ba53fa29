import { type Condition, type ConditionNumbers, delayOf } from '../schemas/condition.ts';
import { type Direction, lossShareOf, queueBytesOf, rttOf } from './shaping.ts';

/** A condition's numbers, with what it leaves open filled in. */
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
