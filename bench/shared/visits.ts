// Visits of 70 resources as real repeats have them: two pages that Chrome loaded, where times, connections, sizes of headers, the order of
// requests and some query strings differ from visit to visit.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sampleMetrics, sampleVisit } from '../../packages/api/src/testing/samples.ts';
import type { RandomSource } from '../../packages/core/src/math/index.ts';
import type { Lease, PageMetrics, Resource, VisitUpload } from '../../packages/core/src/schemas/index.ts';
import { pageMetricNames } from '../../packages/core/src/vocabulary/index.ts';
import { deriveResources } from '../../packages/runner/src/derive/resources.ts';

export const resourcesEach = 70;

/** Share of a page's requests with a random number in the query, such as a counter's pixel. */
const neverRepeated = 0.05;

const folder = join(import.meta.dirname, '../../packages/runner/fixtures');
const pages = ['sharded', 'revalidated'].map((name): Resource[] => {
  const { evidence } = JSON.parse(gunzipSync(readFileSync(join(folder, `${name}.evidence.json.gz`))).toString());
  return deriveResources(evidence).slice(0, resourcesEach);
});

/** Chrome's times have three decimals. */
const ms = (value: number) => Math.round(value * 1000) / 1000;

/** A repeat of one of the pages over a protocol. */
function resourcesOf(page: number, protocol: string, random: RandomSource): Resource[] {
  const pace = 0.8 + random() * 0.5;
  const vary = (time: number | null) => (time === null ? null : ms(Math.max(0, time * pace * (0.7 + random() * 0.6))));
  const firstConnection = 1000 + Math.floor(random() * 50_000);
  const varied = (pages[page % pages.length] ?? []).map((resource, place): Resource => {
    const startMs = vary(resource.startMs) ?? 0;
    const unique =
      place > 0 && place / resourcesEach > 1 - neverRepeated
        ? `?r=${Math.floor(random() * 1e16).toString(36)}&t=${Math.floor(random() * 1e12)}`
        : '';
    const varying = {
      queueingMs: vary(resource.queueingMs),
      dnsMs: vary(resource.dnsMs),
      connectMs: vary(resource.connectMs),
      sendMs: vary(resource.sendMs),
      waitMs: vary(resource.waitMs),
      receiveMs: vary(resource.receiveMs),
    };
    const moreOfHeaders = Math.floor(random() * 60);
    const spent = Object.values(varying).reduce<number>((sum, time) => sum + (time ?? 0), 0);
    return {
      ...resource,
      ...varying,
      url: resource.url + unique,
      protocol: resource.cache === 'none' ? protocol : resource.protocol,
      startMs,
      tlsMs: protocol === 'h3' ? varying.connectMs : vary(resource.tlsMs === null ? null : resource.tlsMs * 0.6),
      endMs:
        resource.endMs === null
          ? null
          : ms(startMs + (spent > 0 ? spent + random() * 0.4 : (vary(resource.endMs - resource.startMs) ?? 0))),
      connectionId: resource.connectionId === null ? null : firstConnection + (resource.connectionId % 40),
      transferBytes: resource.transferBytes === 0 ? 0 : resource.transferBytes + moreOfHeaders,
      headerBytes: resource.headerBytes == null ? null : resource.headerBytes + moreOfHeaders,
    };
  });
  // Requests of a page swap places a little from load to load.
  return varied.toSorted((a, b) => a.startMs - b.startMs).map((resource, seq) => ({ ...resource, seq }));
}

/** Every page metric with a number of its own. */
function metricsOf(random: RandomSource): PageMetrics {
  const measured = Object.fromEntries(
    pageMetricNames.map((name) => [
      name,
      name.endsWith('Share')
        ? random()
        : /requests|Bytes|connections|hosts|webSockets/i.test(name)
          ? Math.floor(random() * 100)
          : ms(random() * 3000),
    ]),
  );
  return sampleMetrics({ ...measured, requests: resourcesEach, transferBytes: 1_400_000 + Math.floor(random() * 4000) });
}

/** A valid visit of a slot of a lease. */
export function visitOf(lease: Lease, slot: number, page: number, random: RandomSource): VisitUpload {
  return sampleVisit(lease, slot, {
    outcome: { verdict: 'valid', metrics: metricsOf(random) },
    startedAt: new Date(Date.parse('2026-03-01T12:00:00Z') + Math.floor(random() * 1e9)).toISOString(),
    wallMs: ms(random() * 5000),
    cpu: { ownShare: random(), foreignShare: random() / 10 },
    link: { refused: [], receiveDrops: 0 },
    resources: resourcesOf(page, lease.spec.protocols[slot] ?? 'h2', random),
  });
}

/**
 * Makes bodies fast, for a generator of load: joins a head of each visit's own and one of `variants` lists of resources.
 *
 * @returns the visit's id and its JSON
 */
export function bodyMaker(random: RandomSource, variants = 200): (lease: Lease, slot: number) => { id: string; body: string } {
  const lists = Array.from({ length: variants }, (_, page) => JSON.stringify(resourcesOf(page, 'h3', random)));
  const metrics = Array.from({ length: variants }, () => metricsOf(random));
  let next = 0;
  return (lease, slot) => {
    const at = next++ % variants;
    const outcome = { verdict: 'valid' as const, metrics: metrics[at] ?? sampleMetrics() };
    const { resources: _, ...head } = sampleVisit(lease, slot, { outcome, wallMs: ms(random() * 5000) });
    return { id: head.id, body: `${JSON.stringify(head).slice(0, -1)},"resources":${lists[at]}}` };
  };
}
