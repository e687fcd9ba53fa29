// The report of a study’s campaign: reads what it needs from an api, and writes one file.

import { join } from 'node:path';
import { allItems, itemsOf } from '@pronghorn/core/client';
import type { Adoption, Campaign, Environment, LinkCheck, Resource, Runner, SiteDiscovery, Visit } from '@pronghorn/core/schemas';
import type { ResultVisit } from '@pronghorn/core/verdict';
import { type DataFolder, writeText } from '../program/files.ts';
import type { LocalService } from '../connection/local-service.ts';
import type { Occasion } from '../measure/perform.ts';
import { type RemoteApi, remoteApi } from '../connection/remote-service.ts';
import { type KiweeLoad, kiweeDownload, kiweeReport } from './kiwee.ts';
import { paperReport } from './paper-report.ts';
import { type StudyName, studyOf } from './studies.ts';
import { Refusal } from '../program/errors.ts';

/** What statistics need of a visit, and when it was. */
export type StudyVisit = ResultVisit & { id: string; startedAt: string; wallMs: number };

export interface Measured {
  campaign: Campaign;
  /** Of the campaign's first view: studies have one. */
  visits: readonly StudyVisit[];
  discoveries: readonly SiteDiscovery[];
  linkChecks: readonly LinkCheck[];
  environment: Environment | undefined;
  /** Of HAR files that were imported beside it. */
  adoption: Adoption;
}

/** @throws UsageError where there is no such campaign; and as `remoteApi` */
export async function readMeasured(api: RemoteApi, id: string): Promise<Measured> {
  const campaign = await api.ask('GET /campaigns/{id}', { id });
  const visits: StudyVisit[] = [];
  let environmentId: string | null = null;
  for await (const visit of itemsOf<Visit>((query) => api.ask('GET /campaigns/{id}/visits', { id, query }))) {
    environmentId ??= visit.environmentId;
    const kept = studyVisit(visit);
    if (kept !== undefined && kept.view === campaign.spec.views[0]) visits.push(kept);
  }
  const [discoveries, linkChecks, adoption, environment] = await Promise.all([
    allItems<SiteDiscovery>((query) => api.ask('GET /campaigns/{id}/discoveries', { id, query })),
    allItems<LinkCheck>((query) => api.ask('GET /campaigns/{id}/link-checks', { id, query })),
    api.ask('GET /adoption'),
    environmentId === null ? undefined : api.ask('GET /environments/{id}', { id: environmentId }),
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
    return await api.ask('GET /visits/{id}/resources', { id: visitId });
  } catch (error) {
    if (error instanceof Refusal && error.problem.status === 410) return null;
    throw error;
  }
}

/** Whether a runner of the service is there that gives each visit a container of its own. */
export async function hasContainers(api: RemoteApi): Promise<boolean> {
  for await (const { state, capabilities } of itemsOf<Runner>((query) => api.ask('GET /runners', { query }))) {
    if ((state === 'alive' || state === 'busy') && capabilities.isolations?.includes('container')) return true;
  }
  return false;
}
/** @param out where it is written; undefined: into the data folder. @returns where that is. @throws UsageError where it can't be written; and as `remoteApi` */
export async function writeReport(api: RemoteApi, campaignId: string, study: StudyName, out: string): Promise<void> {
  const measured = await readMeasured(api, campaignId);
  const text = study === 'paper' ? paperReport(measured) : kiweeReport(measured, await kiweeLoads(api, measured));
  writeText(out, text, 'Name another path with --out.');
}

/** Within the data folder, whatever a service calls its campaign. */
export const reportPath = (data: Pick<DataFolder, 'path'>, campaignId: string, study: StudyName): string =>
  join(data.path, `${study}-${campaignId.replace(/[^a-z0-9-]/gi, '-')}.html`);

/**
 * The same occasion with a report of the study at its end, where the campaign is one of a study.
 *
 * @param out undefined: into the data folder
 */
export function withReport<T extends Partial<Pick<Occasion, 'afterwards'>>>(occasion: T, data: DataFolder, out?: string): T {
  return {
    ...occasion,
    afterwards: async (service: LocalService, campaign: Campaign) => {
      await occasion.afterwards?.(service, campaign);
      const study = studyOf(campaign);
      if (study === undefined || campaign.progress.visitsValid === 0) return;
      const path = out ?? reportPath(data, campaign.id, study);
      await writeReport(remoteApi(service), campaign.id, study, path);
      console.log(`\nThe report beside the study: ${path}`);
    },
  };
}

/** Of each load that counts, what Kiwee's notebook makes of its requests. */
async function kiweeLoads(api: RemoteApi, { campaign, visits }: Measured): Promise<KiweeLoad[]> {
  const loads: KiweeLoad[] = [];
  for (const { id, siteId, condition, slot, roundNumber, verdict } of visits) {
    const protocol = campaign.spec.protocols[slot];
    if (verdict !== 'valid' || protocol === undefined) continue;
    const resources = await resourcesOf(api, id);
    const downloadMs = resources === null ? null : kiweeDownload(resources);
    loads.push({ siteId, condition, protocol, roundNumber, downloadMs, requests: resources?.length ?? 0 });
  }
  return loads;
}
