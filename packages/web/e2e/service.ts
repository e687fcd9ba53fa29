// The real service, with campaigns put into it the way a runner does.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
// By its path: the api depends on this package, and a package manager would call the two a cycle.
import { Client, type Route } from '@pronghorn/core/client';
import type {
  Campaign,
  CampaignRequest,
  CreatedToken,
  Environment,
  EvidenceKind,
  Lease,
  OfferedSite,
  Role,
  SiteDiscovery,
} from '@pronghorn/core/schemas';
import { openRetention, startApi } from '../../api/src/index.ts';
import { builtDashboard } from '../build/dashboard.ts';
import { linkCheckOf, validOnce, visitsOf } from './made-rounds.ts';

/** Where no clock is given, visits are of this moment. */
const madeAt = '2026-01-02T03:04:05.000Z';

export type Service = Awaited<ReturnType<typeof startService>>;

/**
 * Starts the api on a database of its own, with this package's page at /.
 * @param access default: whoever reaches it is admin; with tokens, `adminToken` is the first.
 * @param options.now the service's clock, and that of the made visits; default the machine's.
 * @param options.webRoot another page to serve at / than the dashboard.
 * @param options.isKept whether the database is a file, so that the service can be restarted; results are then computed ahead as well.
 * @param options.heartbeatMs how often runners give a sign.
 * @param options.notifications whether it delivers what it has to tell.
 * @param options.offeredSites pages of a demo origin beside it.
 * @param options.schedules whether it starts campaigns of schedules and looks for regressions.
 */
export async function startService(
  access: { kind: 'open'; ownToken?: string } | { kind: 'tokens'; publicReading?: boolean; publicLinkDays?: number } = { kind: 'open' },
  {
    now,
    schedules = false,
    notifications = false,
    webRoot,
    isKept = false,
    heartbeatMs = 15_000,
    offeredSites = [],
  }: {
    now?: () => number;
    schedules?: boolean;
    notifications?: boolean;
    webRoot?: string;
    isKept?: boolean;
    heartbeatMs?: number;
    offeredSites?: OfferedSite[];
  } = {},
) {
  let environmentId: string | null = null;
  const when = () => (now ? new Date(now()).toISOString() : madeAt);
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-web-'));
  let adminToken = '';
  const onFirstToken = (token: string) => {
    adminToken = token;
  };
  const database = isKept ? join(folder, 'pronghorn.db') : ':memory:';
  const page = webRoot ?? (await builtDashboard());
  const start = (port = 0) =>
    startApi({
      ...{ database, evidenceDirectory: join(folder, 'evidence'), webRoot: page, port },
      access: access.kind === 'open' ? access : { ...access, onFirstToken },
      schedules: { enabled: schedules },
      notifications: { enabled: notifications },
      runners: { heartbeatMs },
      offeredSites,
      ...(now ? { now } : {}),
    });
  let api = await start();
  const discovered: SiteDiscovery[] = [];

  const client = new Client({ service: api.url, token: adminToken || null, timeoutMs: 60_000 });
  /** @param path of a route, with its values in it */
  const send = async (method: string, path: string, body?: object): Promise<ReturnType<typeof JSON.parse>> =>
    (await client.ask(`${method} /${path}` as Route, (body === undefined ? {} : { body }) as never)).body;

  return {
    url: api.url,
    adminToken,
    /** Asks as an admin, with a body of JSON. */
    send,
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
        for (const discovery of discovered.splice(0)) await send('PUT', `leases/${lease.id}/discoveries/${discovery.id}`, discovery);
        const check = linkCheckOf(lease, when());
        if (check) await send('PUT', `leases/${lease.id}/link-checks/${check.id}`, check);
        for (const visit of visitsOf(lease, outcomes, { startedAt: when(), environmentId }))
          await send('PUT', `leases/${lease.id}/visits/${visit.id}`, visit);
        await send('POST', `leases/${lease.id}/complete`);
      }
    },

    /**
     * What a discovery visit of a site of the campaign would have found, stored with its next round: one of its two hosts speaks HTTP/3.
     * @param at which site, by its place; default the first.
     * @param server what both hosts say they are.
     */
    discover(campaign: Campaign, at = 0, server: string | null = null): void {
      const id = randomUUID();
      const main = server === null ? 'shop.example:443' : `${new URL(campaign.sites[at]?.url ?? '').hostname}:443`;
      const host = { requests: 10, transferBytes: 1000, protocol: 'h2', server, altSvc: null, probeError: null };
      const discovery: SiteDiscovery = {
        id,
        campaignId: campaign.id,
        siteId: campaign.sites[at]?.id ?? '',
        runner: 'made',
        discoveredAt: when(),
        finalUrl: campaign.sites[at]?.url ?? null,
        redirects: [],
        hosts: [
          { ...host, host: main, offersH3: true, h3: 'proven' },
          { ...host, host: 'images.example:443', offersH3: false, h3: 'not-offered' },
        ],
        forced: [main],
        objectCoverage: 0.5,
        byteCoverage: 0.25,
        failure: null,
      };
      discovered.push(discovery);
    },

    /** Visits from now on ran in it. */
    async storeEnvironment(environment: Environment): Promise<void> {
      await send('PUT', `environments/${environment.id}`, environment);
      environmentId = environment.id;
    },

    /** Stores raw evidence of a visit; frames are all that a page shows of it. */
    async storeEvidence(visitId: string, evidence: object, kind: EvidenceKind = 'evidence'): Promise<void> {
      await client.put(`/visits/${visitId}/evidence/${kind}`, gzipSync(JSON.stringify(evidence)), 'application/gzip', 60_000);
    },

    /** Performs a round's visits and gives it back before it is complete, as a runner that dies does: they do not count. */
    async loseRound(campaign: Campaign): Promise<void> {
      const lease: Lease = await send('POST', 'leases', { runner: 'lost', campaignId: campaign.id });
      for (const visit of visitsOf(lease, validOnce, { startedAt: when(), environmentId }))
        await send('PUT', `leases/${lease.id}/visits/${visit.id}`, visit);
      await send('POST', `leases/${lease.id}/release`, { reason: 'made to be lost' });
    },

    /** Ends the api and starts it again at the same address. @param meanwhile while nobody answers there */
    async restart(meanwhile: () => Promise<unknown> = async () => {}): Promise<void> {
      const { port } = new URL(api.url);
      await api.close();
      await meanwhile();
      api = await start(Number(port));
    },

    /** Removes the resources of all visits so far; of a database that is kept. */
    async removeResources(): Promise<void> {
      const retention = openRetention({ database, evidenceDirectory: join(folder, 'evidence') });
      await retention.run({ resourcesDays: 0, evidenceDays: null, logDays: null });
      retention.close();
    },

    async [Symbol.asyncDispose]() {
      await api.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
