// The connections of a visit, numbered as they were first used.
import type { Resource } from '@pronghorn/core/schemas';
import { protocolOf } from '../../text/vocabulary.ts';

export interface Connection {
  /** Chrome's own. */
  id: number;
  /** From 1, in the order of first use. */
  number: number;
  /** More than one where Chrome coalesced them. */
  hosts: string[];
  protocol: ReturnType<typeof protocolOf>;
  requests: number;
  transferBytes: number;
}

/** So many colours there are; the next connection begins with the first again, and its number tells it apart. */
const connectionColours = 8;
export const colourOf = ({ number }: Pick<Connection, 'number'>): number => (number - 1) % connectionColours;

export function connectionsOf(resources: readonly Resource[]): Map<number, Connection> {
  const found = new Map<number, Connection>();
  for (const { connectionId, host, protocol, transferBytes } of resources.toSorted((a, b) => a.startMs - b.startMs || a.seq - b.seq)) {
    if (connectionId === null) continue;
    const known = found.get(connectionId);
    if (known === undefined) {
      const number = found.size + 1;
      found.set(connectionId, { id: connectionId, number, hosts: [host], protocol: protocolOf(protocol), requests: 1, transferBytes });
      continue;
    }
    if (!known.hosts.includes(host)) known.hosts.push(host);
    known.requests += 1;
    known.transferBytes += transferBytes;
  }
  return found;
}
