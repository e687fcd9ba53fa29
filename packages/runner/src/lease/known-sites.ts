// Knows each site of a campaign: reads the discoveries that the api has, from any runner, and adds those that are missing.

import { ApiUnavailable } from '@pronghorn/core/client';
import { currentDiscoveries, forceListOf, type Lease, type Site, type SiteDiscovery, type VisitUpload } from '@pronghorn/core/schemas';
import type { ApiClient } from '../api/api-client.ts';
import { discoveryUpload, type Upload } from '../api/uploads.ts';
import { hostWithPort } from '../derive/document.ts';
import { discoverSite } from '../discovery/discover.ts';
import { type DiscoveryRequest, failedDiscovery, type HostVerdicts } from '../engines/engine.ts';
import { refusalText } from '../link/agent-link.ts';
import { FailingHosts } from './failing-hosts.ts';
import { type AgentEvents, isRejected, type LeaseTools } from './lease-tools.ts';
import { conditionOf } from './visit.ts';

/** A force list in one flag has to fit into one argument of a process, which Linux bounds at 128 KiB. */
const maxForceList = 100_000;
/** A runner that works for months forgets what it has not used for long. */
const maxCampaigns = 50;
/** The hosts of a site, and those that speak HTTP/3, change from day to day. */
const renewAfterMs = 24 * 3_600_000;
/** A failure may have been the network's: it is looked at again sooner, but not before every round. */
const renewFailedAfterMs = 3_600_000;

export interface DiscoveredSite {
  discovery: SiteDiscovery;
  /** host:port of all hosts of the campaign that Chrome must reach over HTTP/3. */
  forced: readonly string[];
}

export interface KnownSitesOptions {
  runner: string;
  events: AgentEvents;
  api: Pick<ApiClient, 'sites' | 'discoveries'>;
  now?: () => number;
}

interface KnownCampaign {
  /** They never change; null: not requested yet. */
  sites: readonly Site[] | null;
  /** Discoveries that the api has, one for each site. */
  stored: Map<string, SiteDiscovery>;
  newest: string | null;
  /** Sent by this process, and not seen in the api yet: it may be away. */
  sent: SiteDiscovery[];
  failing: FailingHosts;
  /** Times of the last failed renewals, by site id. */
  triedAt: Map<string, number>;
}

/**
 * Discovers what the campaign lacks before its first round, so that one Chrome with one force list serves all sites. Another runner, a restart
 * and a resumed campaign find it in the api; of two that discover a site at once, both go on with what was stored first.
 */
export class KnownSites {
  readonly #options: KnownSitesOptions;
  readonly #byCampaign = new Map<string, KnownCampaign>();

  constructor(options: KnownSitesOptions) {
    this.#options = options;
  }

  /** All sites of the lease's campaign, requested once; while the api is unavailable, only its own. */
  async sitesOf(lease: Lease): Promise<readonly Site[]> {
    const campaign = this.#of(lease.round.campaignId);
    try {
      campaign.sites ??= await this.#options.api.sites(lease.id);
    } catch (error) {
      if (!(error instanceof ApiUnavailable)) throw error;
    }
    return campaign.sites ?? [lease.site];
  }

  /**
   * @param sites as `sitesOf` gave them: those that the tools are made ready for
   * @param signal breaks off between two sites
   */
  async get(
    lease: Lease,
    sites: readonly Site[],
    tools: LeaseTools,
    deliver: (upload: Upload) => Promise<void>,
    signal: AbortSignal,
  ): Promise<DiscoveredSite> {
    const campaign = this.#of(lease.round.campaignId);
    await this.#read(campaign, lease);
    let isClear = false;
    // Its own first: runners that begin together divide the others, since each looks before each.
    const at = sites.findIndex(({ id }) => id === lease.site.id);
    for (const site of [...sites.slice(at), ...sites.slice(0, Math.max(at, 0))]) {
      if (!this.#isWanted(campaign, site, lease)) continue;
      if (isClear) await this.#read(campaign, lease);
      if (!this.#isWanted(campaign, site, lease)) continue;
      // The content of a page doesn't depend on the condition, but the condition may keep it from loading in time.
      if (!isClear) await tools.link.clear();
      isClear = true;
      const discovery = await this.#discover(campaign, site, lease, tools, signal);
      if (discovery === null) continue;
      const taken = await delivered(lease.id, discovery, deliver);
      campaign.sent.push(taken);
      this.#options.events.discovered?.(taken, site);
    }
    if (isClear) await this.#read(campaign, lease);
    const known = currentOf(campaign);
    const discovery = known.get(lease.site.id);
    if (discovery === undefined) throw new Error(`Site ${lease.site.id} of round ${lease.round.id} is not among the campaign's sites.`);
    const all = forceListOf(known.values());
    return { discovery, forced: all.join(',').length <= maxForceList ? all : all.filter((host) => discovery.forced.includes(host)) };
  }

  /**
   * Forced hosts that fail in several visits are left to HTTP/2 by the next discovery. What fails where the condition itself loses
   * packets is what the campaign is there to see, and an extra visit, which records a netlog, is no sample of anything.
   */
  note(visit: VisitUpload, lease: Lease, forced: readonly string[]): void {
    const { up, down } = conditionOf(lease);
    if (visit.netlog === undefined && lease.spec.discovery === 'forced' && up.loss === undefined && down.loss === undefined)
      this.#of(lease.round.campaignId).failing.note(lease.site, visit, forced);
  }

  /** The api has lost or rejected earlier uploads: everything is read and sent again. */
  forget(): void {
    this.#byCampaign.clear();
  }

  #isWanted(campaign: KnownCampaign, site: Site, lease: Lease): boolean {
    const known = currentOf(campaign).get(site.id);
    if (known === undefined) return true;
    // Only what this round needs is renewed.
    if (site.id !== lease.site.id) return false;
    const now = this.#now();
    // Each look at a page that hangs holds the runner for two time limits: after the second one its visits fail by what was seen.
    if (known.failure !== null)
      return known.failure.reason !== 'load-timeout' || !known.replaces || now - Date.parse(known.discoveredAt) > renewFailedAfterMs;
    if (now - (campaign.triedAt.get(site.id) ?? Number.NEGATIVE_INFINITY) < renewFailedAfterMs) return false;
    const document = known.hosts.find(({ host }) => known.finalUrl !== null && host === hostWithPort(known.finalUrl));
    const maxAgeMs = document?.h3 === 'failed' ? renewFailedAfterMs : renewAfterMs;
    return now - Date.parse(known.discoveredAt) > maxAgeMs || campaign.failing.of(site.id).some((host) => known.forced.includes(host));
  }

  /** @returns null where what is known is better: a page that could be loaded before */
  async #discover(campaign: KnownCampaign, site: Site, lease: Lease, { engine, link }: LeaseTools, signal: AbortSignal) {
    const { runner, events } = this.#options;
    const known = currentOf(campaign);
    const before = known.get(site.id);
    const failing = campaign.failing.of(site.id).filter((host) => before?.forced.includes(host));
    const request: DiscoveryRequest = {
      id: lease.round.campaignId,
      spec: lease.spec,
      verdicts: { ...this.#verdicts(known, site), ...Object.fromEntries(failing.map((host) => [host, unreliable])) },
      replaces: before?.id ?? null,
      ...(events.warned && { warned: events.warned }),
    };
    const watched = link.watch();
    const calls = lease.spec.engine === 'transaction' ? engine.transactions?.discover(site, lease, request, runner) : undefined;
    const discovery = await (calls ?? engine.discover?.(site, request, runner) ?? discoverSite(engine, site, request, runner));
    const refused = (await watched())?.refused ?? [];
    // An aborted load looks like a failure of the site.
    signal.throwIfAborted();
    campaign.failing.forget(site.id);
    if (discovery.failure !== null && before?.failure === null) {
      campaign.triedAt.set(site.id, this.#now());
      events.warned?.(
        `${site.name}: could not be discovered again, so the discovery of ${before.discoveredAt} stays in use. ${discovery.failure.detail}`,
      );
      return null;
    }
    if (failing.length > 0) {
      events.warned?.(`${site.name}: ${failing.join(', ')} failed over HTTP/3 repeatedly, and is left to HTTP/2 from now on.`);
    }
    // The first hints hold for the whole campaign: they decide if visits get a context or a Chrome of their own, which load at different speeds.
    if (before?.failure === null) discovery.hints = before.hints ?? [];
    this.#tellRefusals(refused, discovery, site.name);
    return discovery;
  }

  /** Fresh verdicts of other sites' discoveries on hosts. */
  #verdicts(known: ReadonlyMap<string, SiteDiscovery>, site: Site): HostVerdicts {
    const verdicts: HostVerdicts = {};
    for (const { siteId, discoveredAt, hosts } of known.values()) {
      if (siteId === site.id || this.#now() - Date.parse(discoveredAt) > renewAfterMs) continue;
      for (const { host, h3, probeError } of hosts) {
        // A host that failed once is forced nowhere.
        if (h3 !== 'not-offered' && (verdicts[host] === undefined || h3 !== 'proven')) verdicts[host] = { h3, probeError };
      }
    }
    return verdicts;
  }

  async #read(campaign: KnownCampaign, lease: Lease): Promise<void> {
    try {
      for await (const discovery of this.#options.api.discoveries(lease.id, campaign.newest)) {
        campaign.stored = currentDiscoveries([discovery], campaign.stored);
        campaign.newest = discovery.id;
        campaign.sent = campaign.sent.filter(({ id }) => id !== discovery.id);
      }
    } catch (error) {
      // While the api is away the round goes on with what is known here, and with what is discovered now.
      if (!(error instanceof ApiUnavailable)) throw error;
    }
  }

  #of(campaignId: string): KnownCampaign {
    const campaign: KnownCampaign = this.#byCampaign.get(campaignId) ?? {
      ...{ sites: null, stored: new Map(), newest: null, sent: [], failing: new FailingHosts(), triedAt: new Map() },
    };
    // The last used is the last of the map.
    this.#byCampaign.delete(campaignId);
    this.#byCampaign.set(campaignId, campaign);
    for (const oldest of [...this.#byCampaign.keys()].slice(0, -maxCampaigns)) this.#byCampaign.delete(oldest);
    return campaign;
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }

  /** A site that lacks what it may not reach measures something else than its visitors get: the operator must know. */
  #tellRefusals(refused: readonly string[], discovery: SiteDiscovery, site: string): void {
    const words = refusalText(refused);
    if (words === undefined) return;
    if (discovery.failure === null) this.#options.events.warned?.(`${site}: ${words}`);
    else discovery.failure.detail += ` ${words}`;
  }
}

/** @returns what the api accepted: if it refuses a discovery, the site counts as unmeasurable, rather than being discovered again each round */
async function delivered(leaseId: string, discovery: SiteDiscovery, deliver: (upload: Upload) => Promise<void>): Promise<SiteDiscovery> {
  try {
    await deliver(discoveryUpload(leaseId, discovery));
    return discovery;
  } catch (error) {
    if (!isRejected(error)) throw error;
    if (!error.message.includes(discovery.id)) throw error; // of what was kept before it
    const { id, campaignId, siteId, runner, discoveredAt, replaces = null } = discovery;
    const detail = `The service rejects the page’s discovery: ${error.message.slice(0, 1_000)}`;
    const failed = { ...failedDiscovery({ campaignId, siteId, runner, replaces }, { reason: 'page-too-big', detail }), id, discoveredAt };
    await deliver(discoveryUpload(leaseId, failed));
    return failed;
  }
}

const unreliable = { h3: 'unreliable', probeError: 'failed in two or more of ten visits' } as const;

const currentOf = ({ stored, sent }: KnownCampaign): Map<string, SiteDiscovery> => currentDiscoveries(sent, stored);
