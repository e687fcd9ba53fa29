// A runner's uploads to the api, as values: sent at once, or kept on disk while the api is away.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Environment, LinkCheck, SiteDiscovery, VisitUpload } from '@pronghorn/core/schemas';
import { cutText } from '../gather/network-log.ts';

/** An idempotent request. */
export interface Upload {
  path: string;
  contentType: 'application/json' | 'application/gzip' | 'video/mp4';
  body: Buffer;
  what: 'visit' | 'evidence' | 'environment' | 'discovery' | 'link check';
  /** The lease that must hold for it to be taken; null: none. */
  leaseId: string | null;
  environment?: Environment | null;
}

const compress = promisify(gzip);
type Replacer = (key: string, value: unknown) => unknown;
const json = (value: unknown, replacer?: Replacer) => ({
  contentType: 'application/json' as const,
  body: Buffer.from(JSON.stringify(value, replacer)),
});
/** Whichever engine made a visit: the api takes no longer texts. */
const cutTexts: Replacer = (_, value) => (typeof value === 'string' ? cutText(value) : value);

export const visitUpload = (leaseId: string, visit: VisitUpload, environment: Environment | null = null): Upload => ({
  path: `/leases/${leaseId}/visits/${visit.id}`,
  ...json(visit, cutTexts),
  what: 'visit',
  leaseId,
  environment,
});

export const linkCheckUpload = (leaseId: string, check: LinkCheck): Upload => ({
  path: `/leases/${leaseId}/link-checks/${check.id}`,
  ...json(check),
  what: 'link check',
  leaseId,
});

export const environmentUpload = (environment: Environment): Upload => ({
  path: `/environments/${environment.id}`,
  ...json(environment),
  what: 'environment',
  leaseId: null,
});

/** @param leaseId of its campaign; it is taken when the lease is over, too, since later rounds refer to it */
export const discoveryUpload = (leaseId: string, discovery: SiteDiscovery): Upload => ({
  path: `/leases/${leaseId}/discoveries/${discovery.id}`,
  ...json(discovery),
  what: 'discovery',
  leaseId: null,
});

/**
 * @param leaseId of the visit: without it, its evidence has nothing to belong to
 * @returns null where it is longer than a string can be (512 MB of JSON in V8), which no api would take
 */
export async function evidenceUpload(leaseId: string, visitId: string, evidence: unknown): Promise<Upload | null> {
  let text: string;
  try {
    text = JSON.stringify(evidence);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
  return await evidenceOf(`/visits/${visitId}/evidence`, text, leaseId);
}

/** Evidence besides that for metrics: Chrome's whole network log and its trace, Firefox's qlog, single REST calls, or a film as MP4. */
export type EvidenceFile = { kind: 'netlog' | 'trace' | 'qlog' | 'requests'; content: string } | { kind: 'video'; content: Buffer };

export async function fileUpload(leaseId: string, visitId: string, { kind, content }: EvidenceFile): Promise<Upload> {
  const path = `/visits/${visitId}/evidence/${kind}`;
  return kind === 'video'
    ? { path, contentType: 'video/mp4', body: content, what: 'evidence', leaseId }
    : await evidenceOf(path, content, leaseId);
}

const evidenceOf = async (path: string, text: string, leaseId: string): Promise<Upload> => ({
  path,
  contentType: 'application/gzip',
  body: await compress(text, { level: 1 }),
  what: 'evidence',
  leaseId,
});
