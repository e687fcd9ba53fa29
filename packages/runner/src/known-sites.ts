// What discovery found of each site of a campaign, made once before its first round.
import type { Lease, SiteDiscovery } from '@pronghorn/core';
import type { AgentEvents } from './agent.ts';
import { discoverSite } from './discovery/discover.ts';
import type { LeaseTools } from './perform-lease.ts';
import { discoveryUpload, type Upload } from './uploads.ts';

/** A force list in one flag has to fit into one argument of a process, which Linux bounds at 128 KiB. */
const longestForceList = 100_000;
/** A runner that works for months forgets what it has not used for long. */
const mostCampaigns = 50;

export interface FoundSite {
  discovery: SiteDiscovery;
  /** host:port of all hosts of the campaign that Chrome must reach over HTTP/3. */
  forced: readonly string[];
}

/** By campaign. Failed discoveries are made again: a network may come back. */
export class KnownSites {
  readonly #runner: string;
  readonly #events: AgentEvents;
  readonly #byCampaign = new Map<string, Map<string, SiteDiscovery>>();

  constructor(runner: string, events: AgentEvents) {
    this.#runner = runner;
    this.#events = events;
  }

  /**
   * Discovers all sites of a campaign before its first round, so that one Chrome with one force list serves them all.
   * @param signal breaks off between two sites
   */
  async get(lease: Lease, tools: LeaseTools, deliver: (upload: Upload) => Promise<void>, signal: AbortSignal): Promise<FoundSite> {
    const { campaignId } = lease.round;
    const sites = this.#of(campaignId);
    const missing = lease.sites.filter(({ id }) => !sites.has(id) || (id === lease.site.id && sites.get(id)?.failure !== null));
    // What a page is made of doesn't depend on the condition; whether it can be loaded in time does.
    if (missing.length > 0) await tools.link.clear();
    for (const site of missing) {
      const watched = tools.link.watch();
      const { engine } = tools;
      const campaign = { id: campaignId, spec: lease.spec };
      const discovery = await (engine.discover?.(site, campaign, this.#runner) ?? discoverSite(engine, site, campaign, this.#runner));
      this.#tellRefusals((await watched())?.refused ?? [], discovery, site.name);
      // A load that was broken off tells of a failure that the site doesn't have.
      signal.throwIfAborted();
      await deliver(discoveryUpload(discovery));
      sites.set(site.id, discovery);
      this.#events.discovered?.(discovery, lease);
    }
    const discovery = sites.get(lease.site.id);
    if (discovery === undefined) throw new Error(`Site ${lease.site.id} of round ${lease.round.id} is not among the campaign's sites.`);
    const all = [...new Set([...sites.values()].flatMap(({ forced }) => forced))].sort();
    return { discovery, forced: all.join(',').length <= longestForceList ? all : discovery.forced };
  }

  /** The api has lost what it was told, or will not have it. */
  forget(): void {
    this.#byCampaign.clear();
  }

  #of(campaignId: string): Map<string, SiteDiscovery> {
    const sites = this.#byCampaign.get(campaignId) ?? new Map<string, SiteDiscovery>();
    // The last used is the last of the map.
    this.#byCampaign.delete(campaignId);
    this.#byCampaign.set(campaignId, sites);
    for (const oldest of [...this.#byCampaign.keys()].slice(0, -mostCampaigns)) this.#byCampaign.delete(oldest);
    return sites;
  }

  /** A site that lacks what it may not reach measures something else than its visitors get: the operator must know. */
  #tellRefusals(refused: readonly string[], discovery: SiteDiscovery, site: string): void {
    if (refused.length === 0) return;
    const some = refused.slice(0, 5).join(', ');
    const more = refused.length > 5 ? ` and ${refused.length - 5} more` : '';
    const advice = 'Visits reach public addresses only; --allow-net opens others.';
    if (discovery.failure === null) this.#events.warned?.(`${site}: refused ${some}${more}. ${advice}`);
    else discovery.failure.detail += ` Refused: ${some}${more}. ${advice}`;
  }
}
