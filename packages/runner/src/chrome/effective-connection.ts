// What a page is told of the network: Chrome's own estimate, replaced by what the condition says.
import { rttOf } from '@pronghorn/core/network';
import type { Condition } from '@pronghorn/core/schemas';

/** From the slowest to the fastest, as `navigator.connection.effectiveType` has them. */
const effectiveConnections = ['slow-2g', '2g', '3g', '4g'] as const;
export type EffectiveConnection = (typeof effectiveConnections)[number];

/** The least round trip and the most downlink of each type: https://wicg.github.io/netinfo/#effective-connection-types */
const slower: readonly { type: EffectiveConnection; rttMs: number; downKbps: number }[] = [
  { type: 'slow-2g', rttMs: 2_000, downKbps: 50 },
  { type: '2g', rttMs: 1_400, downKbps: 70 },
  { type: '3g', rttMs: 270, downKbps: 700 },
];

/**
 * The type that a page shall see under a condition; native is 4g. The path behind the link is not part of it.
 *
 * Chrome estimates it from all that a process has loaded before, and the estimate outlives browser contexts: after a slow condition a page
 * of a fast one would load other lazy images, and be told another network, than before it.
 */
export function effectiveConnectionOf(condition: Condition): EffectiveConnection {
  const rttMs = rttOf(condition);
  const downKbps = condition.down.rateKbps ?? Number.POSITIVE_INFINITY;
  return slower.find((bound) => rttMs >= bound.rttMs || downKbps <= bound.downKbps)?.type ?? '4g';
}

/** As Chrome's switch writes them (net/nqe/effective_connection_type.cc). */
const names: Readonly<Record<EffectiveConnection, string>> = { 'slow-2g': 'Slow-2G', '2g': '2G', '3g': '3G', '4g': '4G' };

export const effectiveConnectionFlag = (type: EffectiveConnection): string => `--force-effective-connection-type=${names[type]}`;
