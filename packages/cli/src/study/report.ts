// Reads a study’s campaign from an api and writes its report as one file.

import { join } from 'node:path';
import { allItems, itemsOf } from '@pronghorn/core/client';
import type { Adoption, Campaign, Environment, LinkCheck, Resource, Runner, SiteDiscovery, Visit } from '@pronghorn/core/schemas';
import type { ResultVisit } from '@pronghorn/core/verdict';
import type { LocalService } from '../connection/local-service.ts';
import { type RemoteApi, remoteApi } from '../connection/remote-service.ts';
import type { Occasion } from '../measure/perform.ts';
import { Refusal } from '../program/errors.ts';
import { type DataFolder, writeText } from '../program/files.ts';
import { type KiweeLoad, kiweeDownload, kiweeReport } from './kiwee.ts';
import { paperReport } from './paper-report.ts';
import { type StudyName, studyOf } from './studies.ts';

/** The parts of a visit that statistics need, and its time. */
export type StudyVisit = ResultVisit & { id: string; startedAt: string; wallMs: number };

export interface Measured {
  campaign: Campaign;
  /** Visits of the campaign's first view: studies have only one. */
  visits: readonly StudyVisit[];
  discoveries: readonly SiteDiscovery[];
  linkChecks: readonly LinkCheck[];
  environment: Environment | undefined;
  /** Adoption by the imported HAR files. */
  adoption: Adoption;
}

/** @throws UsageError where there is no such campaign; and as `remoteApi` */
export async function readMeasured(api: RemoteApi, id: string): Promise<Measured> {
  const campaign = await api.ask('GET /campaigns/{id}', { id });
  const visits: StudyVisit[] = [];
  let environmentId: string | null = null;
  for await (const visit of itemsOf<Visit>((query) => api.ask('GET /campaigns/{id}/visits', { id, query }))) {
    environmentId ??= visit.environmentId;
    const counting = studyVisit(visit);
    if (counting !== undefined && counting.view === campaign.spec.views[0]) visits.push(counting);
  }
  const [discoveries, linkChecks, adoption, environment] = await Promise.all([
    allItems<SiteDiscovery>((query) => api.ask('GET /campaigns/{id}/discoveries', { id, query })),
    allItems<LinkCheck>((query) => api.ask('GET /campaigns/{id}/link-checks', { id, query })),
    api.ask('GET /adoption'),
    environmentId === null ? undefined : api.ask('GET /environments/{id}', { id: environmentId }),
  ]);
  return { campaign, visits, discoveries, linkChecks, environment, adoption };
}

/** Undefined for valid visits that don't count, from unfinished rounds, and for extra ones that record a netlog. */
export function studyVisit(visit: Visit): StudyVisit | undefined {
  const { id, siteId, condition, view, roundNumber, slot, startedAt, wallMs, outcome, counted, loadTimeoutMs = null } = visit;
  const place = { id, startedAt, wallMs, siteId, condition, view, roundNumber, slot };
  if (visit.netlog !== undefined) return undefined;
  if (outcome.verdict === 'invalid') return { ...place, verdict: 'invalid', reason: outcome.reason, counted, loadTimeoutMs };
  const receiveDrops = visit.link?.receiveDrops ?? null;
  return counted ? { ...place, verdict: 'valid', metrics: outcome.metrics, receiveDrops } : undefined;
}

/** Null: they have been removed. */
export async function resourcesOf(api: RemoteApi, visitId: string): Promise<Resource[] | null> {
  try {
    return await api.ask('GET /visits/{id}/resources', { id: visitId });
  } catch (error) {
    if (error instanceof Refusal && error.problem.status === 410) return null;
    throw error;
  }
}

/** True where an active runner of the service can give each visit a container. */
export async function hasContainers(api: RemoteApi): Promise<boolean> {
  for await (const { state, capabilities } of itemsOf<Runner>((query) => api.ask('GET /runners', { query }))) {
    if ((state === 'alive' || state === 'busy') && capabilities.isolations?.includes('container')) return true;
  }
  return false;
}

/** @throws UsageError where it can't be written; and as `remoteApi` */
export async function writeReport(api: RemoteApi, campaignId: string, study: StudyName, out: string): Promise<void> {
  const measured = await readMeasured(api, campaignId);
  const text = study === 'paper' ? paperReport(measured) : kiweeReport(measured, await kiweeLoads(api, measured));
  writeText(out, text, 'Name another path with --out.');
}

/** Always within the data folder, whatever the campaign's id. */
export const reportPath = (data: Pick<DataFolder, 'path'>, campaignId: string, study: StudyName): string =>
  join(data.path, `${study}-${campaignId.replace(/[^a-z0-9-]/gi, '-')}.html`);

/**
 * Adds the study's report at the end, where the campaign repeats a study.
 *
 * @param out undefined: in the data folder
 */
export function withReport<T extends object>(occasion: T, data: DataFolder, out?: string): T & Required<Pick<Occasion, 'afterwards'>> {
  return {
    ...occasion,
    afterwards: async (service: LocalService, campaign: Campaign) => {
      const study = studyOf(campaign);
      if (study === undefined || campaign.progress.visitsValid === 0) return;
      const path = out ?? reportPath(data, campaign.id, study);
      await writeReport(remoteApi(service), campaign.id, study, path);
      console.log(`\nThe report beside the study: ${path}`);
    },
  };
}

/** For each load that counts, what Kiwee's notebook makes of its requests. */
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
