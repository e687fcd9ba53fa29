// How fast loss is repaired depends on the path's RTT, so a lossy condition is measured at several.
import type { Condition } from '../schemas/condition.ts';
import { isLossy } from './shaping.ts';

/**
 * A lossy condition with another base RTT, under the name that says so: loss-2 at 50 ms is `loss-2.rtt-50`.
 *
 * @param ms milliseconds of the round trip, half in each direction; replaces the condition's own base RTT
 * @throws RangeError when the condition loses nothing, or the RTT is no time between 0 and 10,000 ms
 */
export function withBaseRtt(condition: Condition, ms: number): Condition {
  if (!isLossy(condition)) {
    throw new RangeError(`${condition.name} loses no packets; only lossy conditions have a base RTT. Give it a delay instead.`);
  }
  if (!(ms >= 0 && ms <= 10_000)) throw new RangeError(`base RTT of ${condition.name}: ${ms} ms; expected 0 to 10000`);
  const name = `${condition.name.replace(/\.rtt-[\d.]+$/, '')}.rtt-${ms}`;
  const { source, up, down } = condition; // and nothing else: one that was listed says more of itself than a condition may
  return { name, description: `${condition.name} with a base RTT of ${ms} ms.`, ...(source ? { source } : {}), baseRttMs: ms, up, down };
}
