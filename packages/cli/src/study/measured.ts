// What a report of a study is made of: everything of a campaign that its numbers need, read from the api of this machine or of a service.

import type { Adoption, Campaign, Environment, LinkCheck, Page, Resource, Runner, SiteDiscovery, Visit } from '@pronghorn/core/schemas';
import type { ResultVisit } from '@pronghorn/core/verdict';
import { Refusal, type RemoteApi } from '../remote.ts';

/** What statistics need of a visit, and when it was. */
export type StudyVisit = ResultVisit & { id: string; startedAt: string; wallMs: number };

export interface Measured {
  campaign: Campaign;
  /** Of the campaign's first view: studies have one. */
  visits: readonly StudyVisit[];
  discoveries: readonly SiteDiscovery[];
  linkChecks: readonly LinkCheck[];
  /** Of a visit; undefined: none was performed. */
  environment: Environment | undefined;
  /** Of HAR files that were imported beside it. */
  adoption: Adoption;
}

const of = (campaignId: string) => `/campaigns/${encodeURIComponent(campaignId)}`;

/** @throws UsageError where there is no such campaign; and as `remoteApi` */
export async function readMeasured(api: RemoteApi, campaignId: string): Promise<Measured> {
  const path = of(campaignId);
  const campaign = await api.get<Campaign>(path);
  const visits: StudyVisit[] = [];
  let environmentId: string | null = null;
  for await (const visit of itemsOf<Visit>(api, `${path}/visits`)) {
    environmentId ??= visit.environmentId;
    const kept = studyVisit(visit);
    if (kept !== undefined && kept.view === campaign.spec.views[0]) visits.push(kept);
  }
  const [discoveries, linkChecks, adoption, environment] = await Promise.all([
    Array.fromAsync(itemsOf<SiteDiscovery>(api, `${path}/discoveries`)),
    Array.fromAsync(itemsOf<LinkCheck>(api, `${path}/link-checks`)),
    api.get<Adoption>('/adoption'),
    environmentId === null ? undefined : api.get<Environment>(`/environments/${encodeURIComponent(environmentId)}`),
  ]);
  return { campaign, visits, discoveries, linkChecks, environment, adoption };
}

/** Undefined for a valid visit that does not count, of an attempt that did not finish its round, and for an extra one that records a netlog. */
export function studyVisit(visit: Visit): StudyVisit | undefined {
  const { id, siteId, condition, view, roundNumber, slot, startedAt, wallMs, outcome, counted, loadTimeoutMs = null } = visit;
  const place = { id, startedAt, wallMs, siteId, condition, view, roundNumber, slot };
  if (visit.netlog !== undefined) return undefined;
  if (outcome.verdict === 'invalid') return { ...place, verdict: 'invalid', reason: outcome.reason, counted, loadTimeoutMs };
  const receiveDrops = visit.link?.receiveDrops ?? null;
  return counted ? { ...place, verdict: 'valid', metrics: outcome.metrics, receiveDrops } : undefined;
}

/** Null: they were removed since. */
export async function resourcesOf(api: RemoteApi, visitId: string): Promise<Resource[] | null> {
  try {
    return await api.get<Resource[]>(`/visits/${encodeURIComponent(visitId)}/resources`);
  } catch (error) {
    if (error instanceof Refusal && error.problem.status === 410) return null;
    throw error;
  }
}

/** Whether a runner of the service is there that gives each visit a container of its own. */
export async function hasContainers(api: RemoteApi): Promise<boolean> {
  for await (const { state, capabilities } of itemsOf<Runner>(api, '/runners')) {
    if ((state === 'alive' || state === 'busy') && capabilities.isolations?.includes('container')) return true;
  }
  return false;
}

async function* itemsOf<T>(api: RemoteApi, path: string): AsyncGenerator<T> {
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page<T> = await api.get(`${path}?limit=500${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    yield* page.items;
    cursor = page.nextCursor;
  }
}
