export { checkCondition } from './check-condition.ts';
export { folderDomain, frontHeader, isOfThisMachine, serverDomain } from './front.ts';
export { autoLoadTimeoutMs, minAutoTimeoutMs } from './load-timeout.ts';
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
export { conditionNamed, presets, withBaseRtt } from './presets.ts';
export {
  conditionKey,
  type Direction,
  delayOf,
  directions,
  isLossy,
  lossShareOf,
  needsShaping,
  numbersOf,
  queueBytesOf,
  rttOf,
} from './shaping.ts';
export {
  metadata4,
  metadata6,
  rangeBounds,
  type SpecialKind,
  type SpecialRanges,
  special4,
  special6,
  specialKindOf,
  specialKinds,
} from './special-ranges.ts';
