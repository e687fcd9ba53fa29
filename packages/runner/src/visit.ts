// A visit from load to record: gathered, derived, judged.
import { randomUUID } from 'node:crypto';
import {
  type CampaignSpec,
  type InvalidReason,
  type Lease,
  type Protocol,
  type SiteDiscovery,
  transientReasons,
  type VisitUpload,
} from '@pronghorn/core';
import type { AgentLink } from './agent.ts';
import { deriveOutcome } from './derive/outcome.ts';
import { unavailable } from './discovery/discover.ts';
import type { Engine } from './engines/engine.ts';
import type { EvidenceDocument } from './evidence-document.ts';
import type { Asked } from './gather/evidence.ts';

export interface VisitPlan {
  lease: Lease;
  slot: number;
  protocol: Protocol;
  position: number;
  retry: number;
  discovery: SiteDiscovery;
  /** host:port that Chrome must reach over HTTP/3. */
  forced: readonly string[];
}

/** What a visit is made with. */
export interface Tools {
  engine: Engine;
  link: Pick<AgentLink, 'watch'>;
}

/** A visit's record, with the evidence that it was derived from and the environment it ran in. */
export interface PerformedVisit {
  visit: VisitUpload;
  evidence: EvidenceDocument | null;
  environment: Awaited<ReturnType<Engine['load']>>['environment'] | null;
}

/**
 * Performs one visit. Never throws: what goes wrong is an invalid visit with its reason.
 *
 * Where discovery has already shown that the visit can't succeed, nothing is loaded.
 */
export async function performVisit({ engine, link }: Tools, plan: VisitPlan): Promise<PerformedVisit> {
  const { lease, slot, protocol, position, retry, discovery } = plan;
  const startedAt = new Date().toISOString();
  const start = performance.now();
  const record = (rest: Pick<VisitUpload, 'outcome'> & Partial<VisitUpload>): VisitUpload => ({
    id: randomUUID(),
    roundId: lease.round.id,
    attempt: lease.round.attempt,
    slot,
    protocol,
    position,
    retry,
    startedAt,
    wallMs: performance.now() - start,
    finalUrl: null,
    cpu: null,
    link: null,
    environmentId: null,
    discoveryId: discovery.id,
    resources: [],
    ...rest,
  });
  const invalid = (reason: InvalidReason, detail: string, rest: Partial<VisitUpload> = {}): PerformedVisit => ({
    visit: record({ ...rest, outcome: { verdict: 'invalid', reason, detail } }),
    evidence: null,
    environment: null,
  });

  const known = discovery.failure ?? unavailable(protocol, discovery);
  if (known !== null) return invalid(known.reason as InvalidReason, known.detail);

  const asked = toAsked(plan, lease.spec);
  const watched = link.watch();
  try {
    const { evidence, environment } = await engine.load({
      ...asked,
      isolation: lease.spec.isolation,
      browser: lease.spec.browser,
      limits: lease.spec.limits,
    });
    const [seen, { outcome, resources, progress }] = await Promise.all([
      watched(),
      deriveOutcome(asked, evidence, lease.spec.limits.foreignCpuShare),
    ]);
    const visit = record({
      startedAt: evidence.startedAt,
      finalUrl: evidence.page?.url ?? null,
      cpu: evidence.cpu,
      link: seen,
      environmentId: environment.id,
      resources,
      outcome,
    });
    return { visit, evidence: { asked, evidence, progress }, environment };
  } catch (error) {
    return invalid('engine-error', error instanceof Error ? error.message : String(error), { link: await watched().catch(() => null) });
  }
}

/** Whether another try may end otherwise. */
export function worthRetrying({ outcome }: VisitUpload): boolean {
  return outcome.verdict === 'invalid' && transientReasons.has(outcome.reason);
}

function toAsked({ lease, protocol, discovery, forced }: VisitPlan, spec: CampaignSpec): Asked {
  return {
    url: lease.site.url,
    protocol,
    discovery: spec.discovery,
    view: lease.round.view,
    forced: protocol === 'h3' ? forced : [],
    expectStatus: lease.site.expectStatus,
    finalHost: new URL(discovery.finalUrl ?? lease.site.url).host,
  };
}
