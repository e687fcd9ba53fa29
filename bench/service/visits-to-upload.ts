// Bodies of visits with 70 resources, made before the clock runs: the generator of the load must not be what is measured.
import { sampleMetrics, sampleResource, sampleVisit } from '../../packages/api/src/testing/samples.ts';
import { type RandomSource, shuffle } from '../../packages/core/src/math/index.ts';
import type { Lease, Resource } from '../../packages/core/src/schemas/index.ts';

export const resourcesEach = 70;

/** Chrome's times have three decimals. */
const ms = (random: RandomSource, most: number) => Math.round(random() * most * 1000) / 1000;

/** What differs from visit to visit: every time, the connections, the bytes of headers, the order. */
export function resourcesOf(random: RandomSource, protocol: string): Resource[] {
  return shuffle([...Array(resourcesEach).keys()], random).map((asset, seq) => {
    const startMs = ms(random, 2000);
    const first = random() < 0.1;
    return sampleResource(asset, {
      seq,
      protocol,
      remoteAddress: '192.0.2.1:443',
      connectionId: Math.floor(random() * 100_000),
      connectionReused: !first,
      startMs,
      queueingMs: ms(random, 5),
      dnsMs: first ? ms(random, 20) : null,
      connectMs: first ? ms(random, 80) : null,
      tlsMs: first ? ms(random, 60) : null,
      sendMs: ms(random, 1),
      waitMs: ms(random, 200),
      receiveMs: ms(random, 300),
      endMs: startMs + ms(random, 500),
      transferBytes: 20_000 + Math.floor(random() * 300),
    });
  });
}

/** Every metric with a number of its own. */
export function metricsOf(random: RandomSource) {
  const metrics = Object.fromEntries(
    Object.keys(sampleMetrics()).map((name) => [name, name.endsWith('Share') ? random() : ms(random, 3000)]),
  );
  const counts = { requests: resourcesEach, transferBytes: 1_400_000, finishedBytes: 1_400_000, connections: 6, hosts: 1 };
  return sampleMetrics({ ...metrics, ...counts, failedRequests: 0, blockedRequests: 0, webSockets: 0 });
}

/** Makes bodies by joining texts: a head of each visit's own, and one of these lists of resources. */
export function bodyMaker(random: RandomSource, variants = 200): (lease: Lease, slot: number) => { id: string; body: string } {
  const lists = Array.from({ length: variants }, () => JSON.stringify(resourcesOf(random, 'h3')));
  const metrics = Array.from({ length: variants }, () => metricsOf(random));
  let next = 0;
  return (lease, slot) => {
    const at = next++ % variants;
    const outcome = { verdict: 'valid' as const, metrics: metrics[at] ?? sampleMetrics() };
    const { resources: _, ...head } = sampleVisit(lease, slot, { outcome, wallMs: ms(random, 5000) });
    return { id: head.id, body: `${JSON.stringify(head).slice(0, -1)},"resources":${lists[at]}}` };
  };
}
