import type { Resource } from '@pronghorn/core/schemas';
import { protocolOf } from '@pronghorn/core/vocabulary';
import { isLost, neverLeft } from './holes.ts';

/**
 * Counts what went over the network, by protocol. Shares are of objects (bytes) that came over a connection; what a
 * cache served came over none. What a policy stopped before it was sent is no request.
 *
 * The share of the largest connection is that of Trevisan et al. 2021, figure 9.
 */
export function traffic(resources: readonly Resource[]) {
  const sent = resources.filter((resource) => resource.cache === 'none' && !neverLeft(resource));
  const answered = sent.filter(({ status, protocol }) => status !== null && protocol !== null);
  const byConnection = new Map<number, number>();
  for (const { connectionId } of answered) {
    if (connectionId !== null) byConnection.set(connectionId, (byConnection.get(connectionId) ?? 0) + 1);
  }
  const bytes = (some: readonly Resource[]) => some.reduce((sum, { transferBytes }) => sum + transferBytes, 0);
  const over = (version: 1 | 2 | 3) => answered.filter(({ protocol }) => majorVersion(protocol) === version);
  const ofObjects = (some: readonly Resource[]) => (answered.length === 0 ? 0 : some.length / answered.length);
  const ofBytes = (some: readonly Resource[]) => (bytes(answered) === 0 ? 0 : bytes(some) / bytes(answered));
  return {
    requests: sent.length,
    transferBytes: bytes(sent),
    finishedBytes: bytes(sent.filter(({ endMs, failure, blocked }) => endMs !== null && failure === null && blocked === null)),
    connections: byConnection.size,
    hosts: new Set(answered.map(({ host }) => host)).size,
    failedRequests: sent.filter(isLost).length,
    blockedRequests: resources.filter(({ blocked }) => blocked !== null).length,
    h1Share: ofObjects(over(1)),
    h2Share: ofObjects(over(2)),
    h3Share: ofObjects(over(3)),
    h1ByteShare: ofBytes(over(1)),
    h2ByteShare: ofBytes(over(2)),
    h3ByteShare: ofBytes(over(3)),
    largestConnectionShare: answered.length === 0 ? 0 : Math.max(0, ...byConnection.values()) / answered.length,
    ipv6Share: ofObjects(answered.filter(({ remoteAddress }) => isIpv6(remoteAddress))),
  };
}

/** 1, 2 or 3. */
export function majorVersion(alpn: string | null): 1 | 2 | 3 | undefined {
  const protocol = protocolOf(alpn);
  return protocol === null ? undefined : ({ h1: 1, h2: 2, h3: 3 } as const)[protocol];
}

/** @param remoteAddress with its port, such as `[2001:db8::1]:443` */
const isIpv6 = (remoteAddress: string | null): boolean => remoteAddress?.startsWith('[') === true;
