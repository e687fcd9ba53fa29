// Over what a visit's objects came.
import type { Resource } from '@pronghorn/core/schemas';
import { many, quantity } from '../../text/format.ts';
import { protocolNames, protocolOf } from '../../text/vocabulary.ts';

/** Such as: 50 over HTTP/3, 16 over HTTP/2, 1 failed, 2 blocked, 3 from a cache. */
export function mixWords(resources: readonly Resource[]): string | null {
  const counts = new Map<string, number>();
  for (const { protocol, cache, failure, blocked } of resources) {
    const known = protocolOf(protocol);
    const kind =
      cache !== 'none'
        ? 'from a cache'
        : known !== 'other'
          ? `over ${protocolNames[known]}`
          : failure !== null
            ? 'failed'
            : blocked !== null
              ? 'blocked'
              : 'over something else';
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  if (counts.size === 0) return null;
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');
}

/** Such as: 2,094 kB of 82 resources from 6 hosts. */
export function amountWords(resources: readonly Resource[]): string | null {
  if (resources.length === 0) return null;
  const bytes = resources.reduce((sum, { transferBytes }) => sum + transferBytes, 0);
  const hosts = new Set(resources.map(({ host }) => host)).size;
  return `${quantity(bytes, 'bytes')} of ${many(resources.length, 'resource')} from ${many(hosts, 'host')}`;
}
