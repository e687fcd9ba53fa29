// The discovery visit: which hosts a page uses, and which of them speak HTTP/3.
import { randomUUID } from 'node:crypto';
import {
  type CampaignSpec,
  type DiscoveredHost,
  type InvalidReason,
  type Limits,
  offersH3,
  type Resource,
  type Site,
  type SiteDiscovery,
} from '@pronghorn/core';
import { deriveResources } from '../derive/resources.ts';
import { hostWithPort, judge, mainDocument } from '../derive/verdict.ts';
import type { Engine, Load } from '../engines/engine.ts';

/** Hosts probed at once. A host whose UDP is silent takes 4 s to fail. */
const probesAtOnce = 4;
const probeLimits = (limits: Limits): Limits => ({ ...limits, loadTimeoutMs: 10_000, quietMs: 0, settleMaxMs: 0 });

/**
 * Loads the site once over HTTP/2 (or what it speaks), lists the hosts, and asks each host that offers HTTP/3 by Alt-Svc
 * whether it truly answers there, by one request over forced HTTP/3.
 *
 * A site that can't be loaded has `failure`; this function throws only when the engine does.
 */
export async function discoverSite(
  engine: Engine,
  site: Site,
  campaign: { id: string; spec: CampaignSpec },
  runner: string,
): Promise<SiteDiscovery> {
  const { spec } = campaign;
  const load: Load = {
    url: site.url,
    protocol: 'h2',
    discovery: 'forced',
    forced: [],
    view: 'cold',
    isolation: spec.isolation,
    browser: spec.browser,
    limits: spec.limits,
  };
  const { evidence } = await engine.load(load);
  const resources = deriveResources(evidence);
  const finalUrl = evidence.page?.url ?? null;
  const found = {
    id: randomUUID(),
    campaignId: campaign.id,
    siteId: site.id,
    runner,
    discoveredAt: evidence.startedAt,
    finalUrl,
    redirects: redirectsOf(resources),
  };
  const asked = { ...load, expectStatus: site.expectStatus, finalHost: finalUrl === null ? '' : new URL(finalUrl).host };
  const fault = judge(asked, evidence, resources, 1);
  // A document over h1 is no fault here: it is what discovery finds.
  if (fault !== null && fault.reason !== 'wrong-protocol') {
    return { ...found, hosts: [], forced: [], objectCoverage: 0, byteCoverage: 0, failure: fault };
  }

  const hosts = hostsOf(resources);
  if (spec.protocols.includes('h3')) await probe(engine, load, hosts, resources);
  const forced = hosts.filter(({ h3 }) => h3 === 'proven').map(({ host }) => host);
  return { ...found, hosts, forced, ...coverage(hosts), failure: null };
}

/** Why a protocol can't be measured on this site, as far as discovery tells; null when it can. */
export function unavailable(
  protocol: 'h1' | 'h2' | 'h3',
  { finalUrl, hosts }: SiteDiscovery,
): { reason: InvalidReason; detail: string } | null {
  if (protocol === 'h1' || finalUrl === null) return null;
  const key = hostWithPort(finalUrl);
  const host = hosts.find((one) => one.host === key);
  if (host === undefined) return null;
  const unavailableBecause = (detail: string) => ({ reason: 'protocol-unavailable' as const, detail });
  if (protocol === 'h2') {
    return host.protocol === 'h2' ? null : unavailableBecause(`${key} speaks ${host.protocol}, not HTTP/2.`);
  }
  switch (host.h3) {
    case 'proven':
      return null;
    case 'failed':
      return unavailableBecause(`${key} offers HTTP/3 (${host.altSvc}) and does not answer there: ${host.probeError}.`);
    case 'not-offered':
      return unavailableBecause(
        `${key} does not offer HTTP/3: ${host.altSvc === null ? 'no Alt-Svc header' : `its Alt-Svc is ${host.altSvc}`}.`,
      );
  }
}

function redirectsOf(resources: readonly Resource[]): string[] {
  const document = mainDocument(resources);
  const end = document === undefined ? 0 : resources.indexOf(document);
  return resources.slice(0, end).map(({ url }) => url);
}

function hostsOf(resources: readonly Resource[]): DiscoveredHost[] {
  const hosts = new Map<string, DiscoveredHost>();
  for (const { url, transferBytes, protocol, server, altSvc, remoteAddress, cache, status } of resources) {
    if (!url.startsWith('https:') || cache !== 'none' || status === null || protocol === null) continue;
    const host = hostWithPort(url);
    const known = hosts.get(host) ?? {
      host,
      requests: 0,
      transferBytes: 0,
      protocol,
      server,
      altSvc: null,
      remoteAddress,
      offersH3: false,
      h3: 'not-offered' as const,
      probeError: null,
    };
    const { hostname, port } = new URL(url);
    hosts.set(host, {
      ...known,
      requests: known.requests + 1,
      transferBytes: known.transferBytes + transferBytes,
      altSvc: known.altSvc ?? altSvc,
      offersH3: known.offersH3 || offersH3(altSvc, hostname, Number(port || 443)),
    });
  }
  return [...hosts.values()];
}

async function probe(engine: Engine, load: Load, hosts: DiscoveredHost[], resources: readonly Resource[]): Promise<void> {
  const candidates = hosts.filter((host) => host.offersH3);
  const forced = candidates.map(({ host }) => host);
  const waiting = [...candidates];
  const worker = async () => {
    for (let host = waiting.shift(); host !== undefined; host = waiting.shift()) {
      const name = host.host;
      const url = resources.find((resource) => hostWithPort(resource.url) === name && resource.method === 'GET')?.url ?? `https://${name}/`;
      const error = await probeOne(engine, { ...load, url, protocol: 'h3', forced, limits: probeLimits(load.limits) });
      host.h3 = error === null ? 'proven' : 'failed';
      host.probeError = error;
    }
  };
  // The first alone: it starts the Chrome that the others share.
  const first = waiting.splice(1);
  await worker();
  waiting.push(...first);
  await Promise.all(Array.from({ length: probesAtOnce }, worker));
}

async function probeOne(engine: Engine, load: Load): Promise<string | null> {
  const { evidence } = await engine.load(load);
  const answer = deriveResources(evidence).find(({ status }) => status !== null);
  if (answer?.protocol === 'h3') return null;
  if (answer !== undefined) return `answered over ${answer.protocol}`;
  return evidence.end.kind === 'navigation-failed' ? evidence.end.error : `no answer (${evidence.end.kind})`;
}

function coverage(hosts: readonly DiscoveredHost[]): { objectCoverage: number; byteCoverage: number } {
  const proven = hosts.filter(({ h3 }) => h3 === 'proven');
  const share = (of: (host: DiscoveredHost) => number) => {
    const all = hosts.reduce((sum, host) => sum + of(host), 0);
    return all === 0 ? 0 : proven.reduce((sum, host) => sum + of(host), 0) / all;
  };
  return { objectCoverage: share(({ requests }) => requests), byteCoverage: share(({ transferBytes }) => transferBytes) };
}
