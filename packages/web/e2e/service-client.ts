// What a runner and its user do with a service: make campaigns, perform their rounds with made visits, store evidence.
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Client, Route } from '@pronghorn/core/client';
import type {
  Campaign,
  CampaignRequest,
  CreatedToken,
  Environment,
  EvidenceKind,
  Lease,
  Role,
  SiteDiscovery,
} from '@pronghorn/core/schemas';
import { linkCheckOf, validOnce, visitsOf } from './made-rounds.ts';

export type ServiceClient = ReturnType<typeof serviceClient>;

/** @param client of an admin. @param when its visits are made. */
export function serviceClient(client: Client, when: () => string) {
  let environmentId: string | null = null;
  const discovered: SiteDiscovery[] = [];
  /** @param path of a route, with its values in it */
  const send = async (method: string, path: string, body?: object): Promise<ReturnType<typeof JSON.parse>> =>
    (await client.ask(`${method} /${path}` as Route, (body === undefined ? {} : { body }) as never)).body;

  return {
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
     * @param found what else it found.
     */
    discover(campaign: Campaign, at = 0, server: string | null = null, found: Partial<SiteDiscovery> = {}): void {
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
        ...found,
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
  };
}
