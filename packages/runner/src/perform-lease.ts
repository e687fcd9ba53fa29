// A lease from the condition on the link to the last visit that is sent. Whether the round is then complete is for the caller to say.
import type { Condition, Lease, LinkCheck } from '@pronghorn/core';
import type { AgentEvents, AgentLink } from './agent.ts';
import type { ApiClient } from './api-client.ts';
import { ApiRefusal } from './api-errors.ts';
import type { Engine } from './engines/engine.ts';
import type { KnownSites } from './known-sites.ts';
import { performRound } from './round.ts';
import { environmentUpload, evidenceUpload, linkCheckUpload, type Upload, visitUpload } from './uploads.ts';
import type { PerformedVisit } from './visit.ts';

/** What the visits of a lease are made with. */
export interface LeaseTools {
  engine: Engine;
  link: AgentLink;
}

export interface LeaseOptions {
  lease: Lease;
  tools: LeaseTools;
  known: KnownSites;
  /** Ids of environments that the api has. */
  environments: Set<string>;
  /** Stores an upload, or sees to it that it will be. */
  deliver(upload: Upload): Promise<void>;
  keepEvidence: boolean;
  events: AgentEvents;
  /** Stops before the next visit. */
  signal: AbortSignal;
}

/** @returns whether every slot had its turn */
export async function performLease(options: LeaseOptions): Promise<boolean> {
  const { lease, tools, known, environments, deliver, keepEvidence, events, signal } = options;
  const site = await known.get(lease, tools, deliver, signal);
  const onCheck = async (check: LinkCheck) => {
    await deliver(linkCheckUpload(lease.id, check));
    events.checked?.(check, lease);
  };
  await tools.link.prepare(conditionOf(lease), onCheck);
  const onVisit = async ({ visit, evidence, environment }: PerformedVisit) => {
    for (const check of tools.link.takeChecks?.() ?? []) await onCheck(check);
    if (environment !== null && !environments.has(environment.id)) {
      await deliver(environmentUpload(environment));
      environments.add(environment.id);
    }
    await deliver(visitUpload(lease.id, visit));
    if (keepEvidence && evidence !== null) await deliver(await evidenceUpload(lease.id, visit.id, evidence));
    events.visited?.(visit, lease);
  };
  return await performRound(tools, lease, site, onVisit, signal);
}

/** Extends a lease again and again. */
export interface Keeping {
  /** Aborted when the api says that the lease is lost. */
  readonly lost: AbortSignal;
  stop(): void;
}

export function keepLease(api: ApiClient, { id, heartbeatMs }: Lease): Keeping {
  const lost = new AbortController();
  const timer = setInterval(() => {
    api.heartbeat(id).catch((error) => {
      // A token that was revoked says nothing of the lease: whoever asks next is told.
      if (isLost(error)) lost.abort();
    });
  }, heartbeatMs);
  return { lost: lost.signal, stop: () => clearInterval(timer) };
}

/** Whether an error says that the lease is gone: lost, ended, or of an api that does not know it. */
export const isLost = (error: unknown): boolean =>
  error instanceof ApiRefusal && !error.foreign && (error.status === 404 || /:lease-(lost|ended)$/.test(error.type));

function conditionOf({ round, spec }: Lease): Condition {
  const condition = spec.conditions.find(({ name }) => name === round.condition);
  if (condition === undefined) throw new Error(`Round ${round.id} names condition ${round.condition}, which its campaign does not have.`);
  return condition;
}
