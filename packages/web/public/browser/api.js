// The REST API that this page reads; docs/api.md describes it.

/** @import { Campaign, CampaignResults, Resource, Session, SiteDiscovery, Visit } from '@pronghorn/core' */

const base = new URL('api/v1/', document.baseURI);

/** An answer other than 2xx, with the API's own message; status 0 when there was no answer. */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * @param {string} path
 * @param {RequestInit} request
 */
async function ask(path, request) {
  const response = await fetch(new URL(path, base), request).catch(() => {
    throw new ApiError(0, 'The Pronghorn service does not answer.');
  });
  if (response.ok) return response;
  const problem = await response.json().catch(() => null);
  throw new ApiError(response.status, problem?.detail ?? `The service answered ${response.status} to ${path}.`);
}

/**
 * @param {string} path
 * @param {AbortSignal} signal
 */
async function read(path, signal) {
  const response = await ask(path, { signal, headers: { accept: 'application/json' } });
  return response.json();
}

/**
 * Who is asking.
 * @param {AbortSignal} signal
 * @returns {Promise<Session>}
 */
export function readSession(signal) {
  return read('session', signal);
}

/**
 * The browser then has a cookie that scripts can't read.
 * @param {string} token
 * @param {AbortSignal} signal
 * @returns {Promise<Session>}
 */
export async function signIn(token, signal) {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const response = await ask('session', { method: 'POST', signal, headers, body: JSON.stringify({ token }) });
  return response.json();
}

/** @param {AbortSignal} signal */
export async function signOut(signal) {
  await ask('session', { method: 'DELETE', signal });
}

/**
 * A list that the API gives a page at a time.
 * @template T
 * @param {string} path
 * @param {URLSearchParams} query
 * @param {number} most stops there
 * @param {AbortSignal} signal
 * @returns {Promise<T[]>}
 */
async function readList(path, query, most, signal) {
  const items = [];
  query.set('limit', String(Math.min(1000, most)));
  for (let cursor = ''; cursor !== null && items.length < most; ) {
    if (cursor !== '') query.set('cursor', cursor);
    const page = await read(`${path}?${query}`, signal);
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

/**
 * The newest first.
 * @param {number} most at most so many
 * @param {AbortSignal} signal
 * @returns {Promise<Campaign[]>}
 */
export function readCampaigns(most, signal) {
  return readList('campaigns', new URLSearchParams(), most, signal);
}

/**
 * @param {string} id
 * @param {AbortSignal} signal
 * @returns {Promise<Campaign>}
 */
export function readCampaign(id, signal) {
  return read(`campaigns/${encodeURIComponent(id)}`, signal);
}

/**
 * @param {string} id
 * @param {AbortSignal} signal
 * @returns {Promise<CampaignResults>}
 */
export function readResults(id, signal) {
  return read(`campaigns/${encodeURIComponent(id)}/results`, signal);
}

/**
 * @param {string} id of the campaign
 * @param {Record<string, string>} filter such as a siteId
 * @param {number} most at most so many
 * @param {AbortSignal} signal
 * @returns {Promise<Visit[]>}
 */
export function readVisits(id, filter, most, signal) {
  return readList(`campaigns/${encodeURIComponent(id)}/visits`, new URLSearchParams(filter), most, signal);
}

/**
 * @param {string} id
 * @param {AbortSignal} signal
 * @returns {Promise<Visit>}
 */
export function readVisit(id, signal) {
  return read(`visits/${encodeURIComponent(id)}`, signal);
}

/**
 * @param {string} id of the visit
 * @param {AbortSignal} signal
 * @returns {Promise<Resource[]>}
 */
export function readResources(id, signal) {
  return read(`visits/${encodeURIComponent(id)}/resources`, signal);
}

/**
 * What the discovery visits of a campaign found, in the order of their arrival.
 * @param {string} id of the campaign
 * @param {AbortSignal} signal
 * @returns {Promise<SiteDiscovery[]>}
 */
export function readDiscoveries(id, signal) {
  return readList(`campaigns/${encodeURIComponent(id)}/discoveries`, new URLSearchParams(), Number.POSITIVE_INFINITY, signal);
}

/**
 * Where a visit's HTTP Archive is.
 * @param {string} id
 */
export function harUrl(id) {
  return new URL(`visits/${encodeURIComponent(id)}/har`, base).href;
}
