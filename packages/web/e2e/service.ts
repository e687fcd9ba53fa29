// The real service, with campaigns put into it the way a runner does.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Campaign,
  type CampaignRequest,
  type CreatedToken,
  delayOf,
  type Lease,
  type LinkCheck,
  lossShareOf,
  type MeasuredDirection,
  needsShaping,
  type Outcome,
  type Protocol,
  type RandomSource,
  type Role,
  randomSource,
  type Shape,
  type SiteDiscovery,
  type VisitUpload,
} from '@pronghorn/core';
// By its path: the api depends on this package, and a package manager would call the two a cycle.
import { startApi } from '../../api/src/index.ts';
import { builtDashboard } from '../build/dashboard.ts';
import { madeMetrics, madeResources } from './made-visits.ts';

export type Service = Awaited<ReturnType<typeof startService>>;

/**
 * Starts the api on a database of its own, with this package's page at /.
 * @param access default: whoever reaches it is admin; with tokens, `adminToken` is the first.
 */
export async function startService(access: { kind: 'open' } | { kind: 'tokens'; publicReading?: boolean } = { kind: 'open' }) {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-web-'));
  let adminToken = '';
  const onFirstToken = (token: string) => {
    adminToken = token;
  };
  const api = await startApi({
    ...{ database: ':memory:', evidenceDirectory: join(folder, 'evidence'), webRoot: await builtDashboard() },
    access: access.kind === 'open' ? access : { ...access, onFirstToken },
  });

  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${api.url}/api/v1/${path}`, {
      method,
      headers: {
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(adminToken === '' ? {} : { authorization: `Bearer ${adminToken}` }),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  };

  return {
    url: api.url,
    adminToken,
    get: (path: string) => send('GET', path),
    delete: (path: string) => send('DELETE', path),
    /** @returns the token, and its id */
    makeToken: async (name: string, role: Role): Promise<CreatedToken> => send('POST', 'tokens', { name, role }),
    makeCampaign: (request: CampaignRequest): Promise<Campaign> => send('POST', 'campaigns', request),

    /**
     * Performs at most so many rounds of a campaign with made visits.
     * @param outcomes of one slot in one round, its tries in order; default: valid at the first.
     */
    async perform(campaign: Campaign, rounds: number, outcomes = validOnce): Promise<void> {
      for (let done = 0; done < rounds; done++) {
        const lease: Lease | null = await send('POST', 'leases', { runner: 'made', campaignId: campaign.id });
        if (lease === null) return;
        const check = linkCheckOf(lease);
        if (check) await send('PUT', `leases/${lease.id}/link-checks/${check.id}`, check);
        for (const visit of visitsOf(lease, outcomes)) await send('PUT', `leases/${lease.id}/visits/${visit.id}`, visit);
        await send('POST', `leases/${lease.id}/complete`);
      }
    },

    /** Stores what a discovery visit of the campaign's first site would have found: one of its two hosts speaks HTTP/3. */
    async discover(campaign: Campaign): Promise<void> {
      const id = randomUUID();
      const host = { requests: 10, transferBytes: 1000, protocol: 'h2', server: null, altSvc: null, probeError: null };
      const discovery: SiteDiscovery = {
        id,
        campaignId: campaign.id,
        siteId: campaign.sites[0]?.id ?? '',
        runner: 'made',
        discoveredAt: '2026-01-02T03:04:05.000Z',
        finalUrl: campaign.sites[0]?.url ?? null,
        redirects: [],
        hosts: [
          { ...host, host: 'shop.example:443', offersH3: true, h3: 'proven' },
          { ...host, host: 'images.example:443', offersH3: false, h3: 'not-offered' },
        ],
        forced: ['shop.example:443'],
        objectCoverage: 0.5,
        byteCoverage: 0.25,
        failure: null,
      };
      await send('PUT', `discoveries/${id}`, discovery);
    },

    /** Performs a round's visits and gives it back before it is complete, as a runner that dies does: they do not count. */
    async loseRound(campaign: Campaign): Promise<void> {
      const lease: Lease = await send('POST', 'leases', { runner: 'lost', campaignId: campaign.id });
      for (const visit of visitsOf(lease, validOnce)) await send('PUT', `leases/${lease.id}/visits/${visit.id}`, visit);
      await send('POST', `leases/${lease.id}/release`, { reason: 'made to be lost' });
    },

    async [Symbol.asyncDispose]() {
      await api.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type Outcomes = (protocol: Protocol, roundNumber: number, random: RandomSource, condition: string) => Outcome[];
const validOnce: Outcomes = (protocol, _roundNumber, random) => [{ verdict: 'valid', metrics: madeMetrics(protocol, random) }];

function visitsOf({ round, site, spec }: Lease, outcomes: Outcomes): VisitUpload[] {
  let position = 0;
  const random = randomSource(round.number);
  return round.order.flatMap((slot) => {
    const protocol = spec.protocols[slot] ?? 'h2';
    return outcomes(protocol, round.number, random, round.condition).map((outcome, retry) => ({
      id: randomUUID(),
      roundId: round.id,
      attempt: round.attempt,
      slot,
      protocol,
      position: position++,
      retry,
      startedAt: '2026-01-02T03:04:05.000Z',
      wallMs: 900,
      finalUrl: site.url,
      cpu: { ownShare: 0.4, foreignShare: 0.02 },
      link: { refused: ['10.0.0.1 (tcp 80)'], receiveDrops: protocol === 'h3' && round.number === 1 ? 12 : 0 },
      environmentId: null,
      discoveryId: null,
      outcome,
      resources: madeResources(protocol, new URL(site.url).origin, random),
    }));
  });
}

/** What a runner's check of the round trip would say of a link that does what it should; native is not checked here. */
function linkCheckOf({ round, spec }: Lease): LinkCheck | null {
  const condition = spec.conditions.find(({ name }) => name === round.condition);
  if (!condition || !needsShaping(condition)) return null;
  const requestedMs = delayOf(condition, 'up') + delayOf(condition, 'down');
  const p50Ms = requestedMs + 0.6;
  const toleranceMs = Math.max(2, requestedMs * 0.05);
  return {
    id: randomUUID(),
    checkedAt: '2026-01-02T03:04:05.000Z',
    condition: condition.name,
    backend: 'guest',
    kernel: '7.2.1',
    tcLines: ['qdisc add dev up0 root netem'],
    rtt: { requestedMs, meanMs: p50Ms, p50Ms, p99Ms: p50Ms + 1, toleranceMs, packets: 20, within: true },
    up: measured(condition.up),
    down: measured(condition.down),
    faults: [],
  };
}

function measured(shape: Shape): MeasuredDirection {
  const requestedShare = lossShareOf(shape);
  const requestedKbps = shape.rateKbps ?? null;
  const lost = Math.round(8000 * requestedShare * 1.03);
  return {
    delay: null,
    loss: { requestedShare, sent: 8000, lost, low: 0, high: 8000, duplicates: 0, reordered: 0, within: true },
    rates: (['udp', 'tcp'] as const).map((transport) => ({
      transport,
      requestedKbps,
      measuredKbps: (requestedKbps ?? 900_000) * (transport === 'udp' ? 0.998 : 0.96),
      within: requestedKbps === null ? null : true,
    })),
  };
}
