// Performs a lease, from the condition on the link to the last sent visit. The caller decides if the round is complete.

import { ApiDenied } from '@pronghorn/core/client';
import { isEvidenceSent, type Lease, type LeaseComplete, type LinkCheck, type SiteDiscovery, type Watch } from '@pronghorn/core/schemas';
import { visitorOf } from '@pronghorn/core/visitor';
import type { ApiClient } from '../api/api-client.ts';
import { environmentUpload, evidenceUpload, fileUpload, linkCheckUpload, type Upload, visitUpload } from '../api/uploads.ts';
import { longer, missed, type Seen } from '../derive/equally-watched.ts';
import { CalmGate } from '../machine/cpu-gauge.ts';
import { pagesBefore } from '../visitor/load-visitor.ts';
import { noSecrets, type SecretSource } from '../visitor/resolve.ts';
import type { KnownSites } from './known-sites.ts';
import { type AgentEvents, isLost, isRejected, type LeaseTools } from './lease-tools.ts';
import { conditionOf, type PerformedVisit, performVisit, type Tools, type VisitPlan, watchFor, worthRetrying } from './visit.ts';
import { visitingEngine } from './visiting-engine.ts';

export interface LeaseOptions {
  lease: Lease;
  tools: LeaseTools;
  known: KnownSites;
  environments: Set<string>;
  /** Stores an upload, now or later. */
  deliver(upload: Upload): Promise<void>;
  /** Keeps the evidence of visits for which the campaign wants it; false: of none. */
  keepEvidence: boolean;
  /** Resolves references to secrets; without it, none can be resolved. */
  secretOf?: SecretSource;
  events: AgentEvents;
  signal: AbortSignal;
}

const stopped = 'The runner was stopped.';

/** How a lease ended; an error: the runner itself failed, and the round was given back. */
export type LeaseEnd = 'complete' | 'stopped' | 'lost' | Error;

/**
 * Keeps a lease while its round is performed, and ends it: complete, given back, or lost to another runner.
 *
 * @param perform returns null where the round is not whole, or not all of it is stored
 * @throws ApiDenied
 */
export async function carryOut(
  api: ApiClient,
  lease: Lease,
  { stop, events, perform }: { stop: AbortSignal; events: AgentEvents; perform(signal: AbortSignal): Promise<LeaseComplete | null> },
): Promise<LeaseEnd> {
  const keeping = keepLease(api, lease);
  const lost = (reason: string) => {
    events.warned?.(`Round ${lease.round.id} was lost: ${reason}`);
    return 'lost' as const;
  };
  try {
    const whole = await perform(AbortSignal.any([stop, keeping.lost]));
    if (whole !== null) {
      await api.complete(lease.id, whole);
      return 'complete';
    }
    if (keeping.lost.aborted) return lost('the api gave it to somebody else.');
    await api.release(lease.id, stopped);
    return 'stopped';
  } catch (error) {
    if (error instanceof ApiDenied) throw error;
    if (stop.aborted) {
      // Engines are closed under a load then: what failed says nothing.
      await api.release(lease.id, stopped).catch(() => {});
      return 'stopped';
    }
    const failure = error instanceof Error ? error : new Error(String(error));
    if (keeping.lost.aborted || isLost(error)) return lost(failure.message);
    await api.release(lease.id, `The runner failed: ${failure.message}`, true).catch(() => {});
    return failure;
  } finally {
    keeping.stop();
  }
}

/** @returns null: stopped before every slot had its turn */
export async function performLease(options: LeaseOptions): Promise<LeaseComplete | null> {
  const { lease, known, environments, deliver, keepEvidence, events, signal } = options;
  const sites = await known.sitesOf(lease);
  await tellWarnings(options.tools.link.beginCampaign?.(sites.map(({ url }) => url)), events);
  const visiting = visitingEngine(options.tools.engine, lease, sites, options.secretOf ?? noSecrets);
  const tools = visiting === null ? options.tools : { engine: visiting, link: options.tools.link };
  if (visiting !== null) {
    // Steps are no measurement: whatever the condition is, they have its time for themselves.
    await tools.link.clear();
    await visiting.begin();
  }
  const site = await known.get(lease, sites, tools, deliver, signal);
  const onCheck = async (check: LinkCheck) => {
    await deliver(linkCheckUpload(lease.id, check));
    events.checked?.(check, lease);
  };
  await tools.link.prepare(conditionOf(lease), onCheck);
  await tellWarnings(tools.link.beginRound?.(hostsOfPage(lease, site.discovery)), events);
  const onVisit = async ({ visit, evidence, environment, files }: PerformedVisit) => {
    for (const check of tools.link.takeChecks?.() ?? []) await onCheck(check);
    if (environment !== null && !environments.has(environment.id)) {
      await deliver(environmentUpload(environment));
      environments.add(environment.id);
    }
    known.note(visit, lease, site.forced);
    await deliver(visitUpload(lease.id, visit, environment));
    if (keepEvidence && isEvidenceSent(lease.spec.evidence, visit)) {
      const uploads = [
        ...(evidence === null ? [] : [evidenceUpload(lease.id, visit.id, evidence)]),
        ...files.map((file) => fileUpload(lease.id, visit.id, file)),
      ];
      for (const upload of uploads) {
        const lost = await deliverEvidence(deliver, await upload);
        if (lost !== null) events.warned?.(`${lease.site.name}: ${lost} The visit itself is stored; --no-evidence keeps none.`);
      }
    }
    events.visited?.(visit, lease);
  };
  return await performRound(tools, lease, site, onVisit, signal);
}

/**
 * Evidence is for later analysis: losing it costs no visit, no round and no campaign.
 *
 * @returns why it is not kept; null: it is
 */
async function deliverEvidence(deliver: LeaseOptions['deliver'], upload: Upload | null): Promise<string | null> {
  if (upload === null) return 'The evidence of a visit is dropped: it is too large to store (more than 512 MB of JSON).';
  try {
    await deliver(upload);
    return null;
  } catch (error) {
    if (!isRejected(error)) throw error;
    return `The evidence of a visit is dropped, ${megabytes(upload.body.length)} compressed: ${error.message}`;
  }
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(bytes < 1e6 ? 3 : 0)} MB`;

/** URLs whose hosts visits of a page are known to use. */
const hostsOfPage = ({ site, spec, round }: Lease, { finalUrl, redirects, hosts }: SiteDiscovery): string[] => [
  ...[site.url, ...redirects, ...(finalUrl === null ? [] : [finalUrl])],
  ...pagesBefore({ url: site.url, view: round.view, visitor: { visitor: visitorOf(spec, site) } }),
  ...hosts.map(({ host }) => `https://${host}/`),
];

async function tellWarnings(warnings: Promise<string[]> | undefined, events: AgentEvents): Promise<void> {
  for (const warning of (await warnings) ?? []) events.warned?.(warning);
}

/** Keeps a lease extended. */
interface Keeping {
  /** Aborted when the api says that the lease is lost. */
  readonly lost: AbortSignal;
  stop(): void;
}

function keepLease(api: ApiClient, { id, heartbeatMs }: Lease): Keeping {
  const lost = new AbortController();
  const timer = setInterval(() => {
    api.heartbeat(id).catch((error) => {
      // A revoked token says nothing about the lease: the next request reports it.
      if (isLost(error)) lost.abort();
    });
  }, heartbeatMs);
  return { lost: lost.signal, stop: () => clearInterval(timer) };
}

/**
 * Performs the visits of a round, each once the machine is calm. A visit that failed by the measurement itself is tried again at once,
 * within its place in the block; one that failed by the page or its protocol is an outcome.
 *
 * A visit that was not watched long enough to see what another one of the round saw is made again at the round's end, once, watched for longer,
 * unless it was watched to the limit: docs/decisions/0004-end-of-visit.md.
 *
 * With `prime`, one load comes before them all, whose record is thrown away.
 *
 * If netlogs are requested, the first round of a cell ends with an extra visit of each slot: behind all that count, so that it can change none.
 *
 * @param onVisit stores a visit before the next one starts
 * @param signal stops before the next visit
 * @returns null: stopped before every slot had its turn
 */
async function performRound(
  { engine, link }: Tools,
  lease: Lease,
  site: { discovery: SiteDiscovery; forced: readonly string[] },
  onVisit: (performed: PerformedVisit) => Promise<void>,
  signal: AbortSignal,
): Promise<LeaseComplete | null> {
  const gate = new CalmGate();
  let position = 0;
  const { round, spec } = lease;
  const planOf = (slot: number, retry: number): VisitPlan => {
    const protocol = spec.protocols[slot];
    if (protocol === undefined) throw new Error(`Round ${round.id} names slot ${slot}; the campaign has ${spec.protocols.length}.`);
    return { lease, slot, protocol, position, retry, ...site };
  };
  /** @returns the last try of a slot; null: stopped */
  const visitSlot = async (slot: number, options: Pick<VisitPlan, 'watch' | 'withNetlog'>): Promise<PerformedVisit | null> => {
    for (let retry = 0; ; retry++) {
      await gate.pass(spec.limits.foreignCpuShare, signal);
      if (signal.aborted) return null;
      const performed = await performVisit({ engine, link }, { ...planOf(slot, retry), ...options });
      gate.close();
      if (signal.aborted) return null;
      position += 1;
      await onVisit(performed);
      if (options.withNetlog || retry === spec.limits.retries || !worthRetrying(performed.visit)) return performed;
    }
  };
  const seen = new Map<number, Seen>();
  const watchedToTheLimit = new Set<number>();
  /** @returns false: stopped */
  const visitAndNote = async (slot: number, watch: VisitPlan['watch']): Promise<boolean> => {
    const performed = await visitSlot(slot, { watch });
    if (performed === null) return false;
    if (performed.seen !== null) seen.set(slot, performed.seen);
    if ((performed.visit.settled?.ms ?? 0) >= spec.limits.settleMaxMs) watchedToTheLimit.add(slot);
    return true;
  };
  const [leader = 0] = round.order;
  // Whatever comes of it: the visits themselves tell if the page does not load.
  if (spec.prime === true) await performVisit({ engine, link }, planOf(leader, 0));
  if (signal.aborted) return null;
  const watch = watchFor(site.discovery, lease.watch);
  for (const slot of round.order) if (!(await visitAndNote(slot, watch && { ...watch, again: false }))) return null;
  for (const [slot, needed] of missedIn(seen))
    if (!watchedToTheLimit.has(slot) && !(await visitAndNote(slot, { ...longer(watch ?? needed, needed), again: true }))) return null;
  const isRecorded = spec.netlogs === true && round.number === 1;
  for (const slot of isRecorded ? round.order : []) if ((await visitSlot(slot, { withNetlog: true })) === null) return null;
  return { watchedEqually: missedIn(seen).length === 0 };
}

/** The slots whose visit was not watched long enough, and for how long it should have been. */
function missedIn(seen: ReadonlyMap<number, Seen>): (readonly [slot: number, Watch])[] {
  return [...seen].flatMap(([slot, one]) => {
    const needed = [...seen].flatMap(([other, its]) => (other === slot ? [] : (missed(one, its) ?? [])));
    return needed.length === 0 ? [] : [[slot, needed.reduce(longer)] as const];
  });
}
