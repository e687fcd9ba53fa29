export { withBaseRtt } from './base-rtt.ts';
export { checkCondition } from './check-condition.ts';
export { conditionKey } from './condition-key.ts';
export { autoLoadTimeoutMs, shortestAutoTimeoutMs } from './load-timeout.ts';
export {
  addressDigits,
  addressFamily,
  addressWithoutPort,
  isSingleAddress,
  type Network,
  networkBounds,
  networksOverlap,
  networkText,
  parseNetwork,
} from './network.ts';
export { numbersOf } from './numbers.ts';
export { conditionNamed, presets } from './presets.ts';
export { type Direction, directions, isLossy, lossShareOf, needsShaping, queueBytesOf, rttOf } from './shaping.ts';
export { rangeBounds, specialKindOf } from './special-kind.ts';
export { metadata4, metadata6, type SpecialKind, type SpecialRanges, special4, special6, specialKinds } from './special-ranges.ts';
