// The loop of a runner: lease a round, perform it, upload, again; until there is nothing to do or it is told to stop.
import type { Condition, Lease, LinkCheck, SiteDiscovery, VisitLink, VisitUpload } from '@pronghorn/core';
import { ApiClient, ApiRefusal } from './api-client.ts';
import { sweep } from './chrome/run-folder.ts';
import { discoverSite } from './discovery/discover.ts';
import type { Engine } from './engines/engine.ts';
import { performRound } from './round.ts';
import type { PerformedVisit } from './visit.ts';

export interface AgentEvents {
  checked?(check: LinkCheck, lease: Lease): void;
  discovered?(discovery: SiteDiscovery, lease: Lease): void;
  visited?(visit: VisitUpload, lease: Lease): void;
  /** Something that the runner gets over by itself, and the operator should know. */
  warned?(message: string): void;
}

/** A link as the loop uses it. */
export interface AgentLink {
  /** Puts a condition on and proves it, telling each check; null where there is nothing to prove. See Preparation. */
  prepare(condition: Condition, report: (check: LinkCheck) => Promise<void>): Promise<LinkCheck | null>;
  /** Takes every condition off. */
  clear(): Promise<void>;
  /** Begins to watch. @returns what ends it and tells what was seen; null where there is nothing to see */
  watch(): () => Promise<VisitLink | null>;
}

export interface AgentOptions {
  apiUrl: string;
  /** Names this runner at the api. */
  name: string;
  engine: Engine;
  /** What the engine's browsers stand behind. */
  link: AgentLink;
  /** Only rounds of this campaign. */
  campaignId?: string;
  /** Takes back what an earlier process of the same name had leased of the campaign; its owner knows that it is gone. */
  reclaim?: boolean;
  /** Stores the raw evidence of each visit, so that it can be derived again (about 50 KB each). */
  keepEvidence: boolean;
  events: AgentEvents;
  /** Stops between visits and gives the round back. */
  signal: AbortSignal;
}

const toldToStop = 'The runner was told to stop.';

/** A force list in one flag has to fit into one argument of a process, which Linux bounds at 128 KiB. */
const longestForceList = 100_000;

/**
 * Works until the queue has nothing for this runner, or the signal says stop. The engine stays open: its owner closes it.
 *
 * @throws Error when the api can't be reached or refuses the runner's own requests, or the link does not do what a condition says
 */
export async function runAgent(options: AgentOptions): Promise<void> {
  sweep();
  const api = new ApiClient(options.apiUrl);
  if (options.reclaim === true && options.campaignId !== undefined) await api.reclaim(options.name, options.campaignId);
  const known = new KnownSites(options, api);
  const environments = new Set<string>();

  while (!options.signal.aborted) {
    const lease = await api.lease({
      runner: options.name,
      ...(options.campaignId === undefined ? {} : { campaignId: options.campaignId }),
    });
    if (lease === null) return;
    const lost = new AbortController();
    const heartbeat = setInterval(() => {
      api.heartbeat(lease.id).catch((error) => {
        if (error instanceof ApiRefusal) lost.abort();
      });
    }, lease.heartbeatMs);
    const upload = async ({ visit, evidence, environment }: PerformedVisit) => {
      if (environment !== null && !environments.has(environment.id)) {
        await api.uploadEnvironment(environment);
        environments.add(environment.id);
      }
      await api.uploadVisit(lease.id, visit);
      if (options.keepEvidence && evidence !== null) await api.uploadEvidence(visit.id, evidence);
      options.events.visited?.(visit, lease);
    };
    try {
      const site = await known.get(lease);
      await options.link.prepare(conditionOf(lease), async (check) => {
        await api.uploadLinkCheck(lease.id, check);
        options.events.checked?.(check, lease);
      });
      const whole = await performRound(options, lease, site, upload, AbortSignal.any([options.signal, lost.signal]));
      if (whole) await api.complete(lease.id);
      else if (!lost.signal.aborted) await api.release(lease.id, toldToStop);
    } catch (error) {
      if (options.signal.aborted) {
        // Its owner closed the engine under a load: what failed says nothing.
        await api.release(lease.id, toldToStop).catch(() => {});
        return;
      }
      if (error instanceof ApiRefusal && error.status === 409) {
        options.events.warned?.(`Round ${lease.round.id} was lost: ${error.message}`);
        continue;
      }
      await api.release(lease.id, `The runner failed: ${error instanceof Error ? error.message : error}`).catch(() => {});
      throw error;
    } finally {
      clearInterval(heartbeat);
    }
  }
}

function conditionOf({ round, spec }: Lease): Condition {
  const condition = spec.conditions.find(({ name }) => name === round.condition);
  if (condition === undefined) throw new Error(`Round ${round.id} names condition ${round.condition}, which its campaign does not have.`);
  return condition;
}

/** What discovery found of each site, by campaign. Failed discoveries are made again: a network may come back. */
class KnownSites {
  readonly #options: AgentOptions;
  readonly #api: ApiClient;
  readonly #byCampaign = new Map<string, Map<string, SiteDiscovery>>();

  constructor(options: AgentOptions, api: ApiClient) {
    this.#options = options;
    this.#api = api;
  }

  /** Discovers all sites of a campaign before its first round, so that one Chrome with one force list serves them all. */
  async get(lease: Lease): Promise<{ discovery: SiteDiscovery; forced: readonly string[] }> {
    const { campaignId } = lease.round;
    const sites = this.#byCampaign.get(campaignId) ?? new Map<string, SiteDiscovery>();
    this.#byCampaign.set(campaignId, sites);
    const missing = lease.sites.filter(({ id }) => !sites.has(id) || (id === lease.site.id && sites.get(id)?.failure !== null));
    // What a page is made of doesn't depend on the condition; whether it can be loaded in time does.
    if (missing.length > 0) await this.#options.link.clear();
    for (const site of missing) {
      const watched = this.#options.link.watch();
      const discovery = await discoverSite(this.#options.engine, site, { id: campaignId, spec: lease.spec }, this.#options.name);
      this.#tellRefusals((await watched())?.refused ?? [], discovery, site.name);
      // A load that was broken off tells of a failure that the site doesn't have.
      this.#options.signal.throwIfAborted();
      await this.#api.uploadDiscovery(discovery);
      sites.set(site.id, discovery);
      this.#options.events.discovered?.(discovery, lease);
    }
    const discovery = sites.get(lease.site.id);
    if (discovery === undefined) throw new Error(`Site ${lease.site.id} of round ${lease.round.id} is not among the campaign's sites.`);
    const all = [...new Set([...sites.values()].flatMap(({ forced }) => forced))].sort();
    return { discovery, forced: all.join(',').length <= longestForceList ? all : discovery.forced };
  }

  /** A site that lacks what it may not reach measures something else than its visitors get: the operator must know. */
  #tellRefusals(refused: readonly string[], discovery: SiteDiscovery, site: string): void {
    if (refused.length === 0) return;
    const some = refused.slice(0, 5).join(', ');
    const more = refused.length > 5 ? ` and ${refused.length - 5} more` : '';
    const advice = 'Visits reach public addresses only; --allow-net opens others.';
    if (discovery.failure === null) this.#options.events.warned?.(`${site}: refused ${some}${more}. ${advice}`);
    else discovery.failure.detail += ` Refused: ${some}${more}. ${advice}`;
  }
}
