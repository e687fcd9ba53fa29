// One round whose visits are given: real ones derived from stored evidence, or pages of any size.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { randomSource } from '@pronghorn/core/math';
import type { Campaign, Lease, Outcome, ProgressPoint, Resource, VisitNetlog } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import type { Browser, Page } from 'puppeteer-core';
import type { GoldenNetlog } from '../../runner/fixtures/make-netlogs.ts';
import { deriveNetlog } from '../../runner/src/derive/netlog/findings.ts';
import { deriveOutcome } from '../../runner/src/derive/outcome.ts';
import type { EvidenceDocument } from '../../runner/src/gather/evidence.ts';
import { madeMetrics } from './made-visits.ts';
import { openPage } from './pages.ts';
import type { Service } from './service.ts';

export interface GivenVisit {
  protocol: Protocol;
  outcome: Outcome;
  resources: Resource[];
  evidence?: object;
  /** Of an extra visit. */
  netlog?: VisitNetlog;
}

/** @returns the ids of the visits, in the order given. They count, but for extra ones, which come behind all others. */
export async function makeRound(
  service: Service,
  visits: readonly GivenVisit[],
  name = 'one round',
): Promise<{ campaign: Campaign; ids: string[] }> {
  const protocols = visits.flatMap(({ protocol, netlog }) => (netlog === undefined ? [protocol] : []));
  const netlogs = protocols.length < visits.length;
  const campaign = await service.makeCampaign({ name, sites: [{ url: 'https://93.184.216.34/' }], protocols, rounds: 1, netlogs });
  const lease: Lease = await service.send('POST', 'leases', { runner: 'made', campaignId: campaign.id });
  const ids: string[] = [];
  for (const [position, { protocol, outcome, resources, evidence, netlog }] of visits.entries()) {
    const slot = netlog === undefined ? position : protocols.indexOf(protocol);
    const id = randomUUID();
    ids.push(id);
    await service.send('PUT', `leases/${lease.id}/visits/${id}`, {
      ...{ id, roundId: lease.round.id, attempt: lease.round.attempt, slot, protocol, position, retry: 0 },
      ...{
        startedAt: '2026-01-02T03:04:05.000Z',
        wallMs: 1200,
        finalUrl: lease.site.url,
        documentAddress: '192.0.2.1',
        cpu: { ownShare: 0.4, foreignShare: 0.02 },
      },
      ...{ link: { refused: ['10.0.0.1 (tcp 80)'], receiveDrops: 3 }, environmentId: null, discoveryId: null, outcome, resources, netlog },
    });
    if (evidence) await service.storeEvidence(id, evidence);
  }
  await service.send('POST', `leases/${lease.id}/complete`);
  return { campaign, ids };
}

/** A real visit of a page with three hosts over three protocols, as a runner would store it now. */
export async function realVisit(): Promise<GivenVisit & { evidence: EvidenceDocument; progress: ProgressPoint[] }> {
  const fixture = new URL('../../runner/fixtures/sharded.evidence.json.gz', import.meta.url);
  const { asked, evidence } = JSON.parse(gunzipSync(readFileSync(fixture)).toString()) as EvidenceDocument;
  const { outcome, resources, progress } = await deriveOutcome(asked, evidence, 1);
  if (progress === null) throw new Error('The stored visit shows nothing.');
  return { protocol: 'h3', outcome, resources, progress, evidence: { asked, evidence, progress } };
}

/** The same page, as if it had taken so many times as long, over another protocol; some resources were not asked for. */
export function stretched(visit: Awaited<ReturnType<typeof realVisit>>, protocol: Protocol, factor: number): GivenVisit {
  const times = (value: number | null) => (value === null ? null : value * factor);
  const alpn = { h1: 'http/1.1', h2: 'h2', h3: 'h3' }[protocol];
  const resources = visit.resources
    .filter(({ seq }) => seq % 7 !== 6)
    .map((resource, seq) => ({
      ...resource,
      ...{ seq, protocol: alpn, startMs: resource.startMs * factor, endMs: times(resource.endMs) },
      ...{ queueingMs: times(resource.queueingMs), waitMs: times(resource.waitMs), receiveMs: times(resource.receiveMs) },
      ...{
        dnsMs: times(resource.dnsMs),
        connectMs: times(resource.connectMs),
        tlsMs: times((resource.tlsMs ?? 0) * 0.6),
        sendMs: times(resource.sendMs),
      },
    }));
  const { asked, evidence } = visit.evidence;
  const origin = evidence.page?.timeOrigin ?? 0;
  const frames = evidence.frames.map((frame) => ({ ...frame, timestamp: origin + (frame.timestamp - origin) * factor }));
  const progress = visit.progress.map(({ atMs, completeness }) => ({ atMs: atMs * factor, completeness }));
  const outcome: Outcome =
    visit.outcome.verdict === 'invalid'
      ? visit.outcome
      : {
          verdict: 'valid',
          metrics: Object.fromEntries(
            Object.entries(visit.outcome.metrics).map(([name, value]) => [
              name,
              value !== null && value > 1 && !/requests|Bytes|connections|hosts|Requests/.test(name) ? value * factor : value,
            ]),
          ) as Extract<Outcome, { verdict: 'valid' }>['metrics'],
        };
  return { protocol, outcome, resources, evidence: { asked, evidence: { ...evidence, frames }, progress } };
}

/** What a golden netlog of the runner's says, as that of an extra visit. */
export function extraVisit(golden: string): GivenVisit {
  const fixture = new URL(`../../runner/fixtures/netlogs/${golden}.json.gz`, import.meta.url);
  const { protocol, resources, netlog } = JSON.parse(gunzipSync(readFileSync(fixture)).toString()) as GoldenNetlog;
  return { ...valid(protocol, resources), netlog: { findings: deriveNetlog(netlog, resources, { protocol }) } };
}

/** A valid one, of these resources. */
export const valid = (protocol: Protocol, resources: Resource[]): GivenVisit => ({
  ...{ protocol, resources },
  outcome: { verdict: 'valid', metrics: madeMetrics(protocol, randomSource(1)) },
});

/** The page of a visit once all of it is drawn. @param hash its id, with parameters. */
export async function openVisit(browser: Browser, service: Service, hash: string) {
  const page = await openPage(browser, `${service.url}/#/visits/${hash}`);
  await page.setViewport({ width: 1280, height: 900 });
  await page.waitForSelector('.waterfall tbody tr, .nothing');
  await page.waitForSelector('.metrics tbody tr, .files');
  return page;
}
/** Those of the waterfall that are drawn. */
export const rows = '.waterfall tbody tr:has(.name)';
/** Of the page's address. */
export const parameter = (page: Page, name: string) => new URLSearchParams(page.url().split('?')[1] ?? '').get(name);
