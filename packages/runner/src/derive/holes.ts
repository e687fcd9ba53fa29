// Objects that failed: decides when a page with holes is another page, by one rule for all protocols.
import type { Resource } from '@pronghorn/core/schemas';
import { isOwn, ownHosts } from '@pronghorn/core/visitor';
import type { Protocol as Cdp } from 'devtools-protocol';
import type { Evidence, VisitRequest } from '../gather/evidence.ts';
import { answerOf, answersOf, nameOf, unseen } from './answers.ts';
import { hostWithPort } from './document.ts';

/** Share of a visit's objects of other parties that may fail: one advertisement of thirty that is down is no other page. */
const maxTrifles = 0.05;
/** A single one is negligible even on the smallest page. */
const minGrave = 2;
/** Types whose HTTP errors count as losses. Requests of scripts may fail by design. */
const parts: ReadonlySet<string> = new Set(['Stylesheet', 'Script', 'Image', 'Font']);
/**
 * The reason why a finished load lacks too much of its page; null if it does not. A page that lacks an object loads faster, and
 * neither which protocol lost it nor how must matter.
 *
 * An object counts as lost when discovery had it and the visit has not: its answer is an error now, a policy blocks it, or none came. One that
 * discovery did not request is lost when the network failed it, or its server did (5xx, or 429: too many requests), and its host answered at
 * discovery. Then too much is lost where one of them blocks rendering or is the page's own (`ownHosts` of its document), or where
 * those of others are two or more and over 5 % of all objects. What only forcing made (a 421 over HTTP/3) is no failure of the page.
 */
export function holesOf(
  { usual, discovery }: Pick<VisitRequest, 'usual' | 'discovery'>,
  network: Evidence['network'],
  resources: readonly Resource[],
  documentUrl: string,
) {
  if (usual === null) return null;
  const known = new Map(usual.answers?.map(({ url, answer }) => [url, answer]));
  for (const url of usual.broken) known.set(url, 'failed');
  const now = answersOf(resources);
  const failed = resources.filter((resource) => {
    const name = nameOf(resource.url);
    const before = known.get(name);
    if (before !== undefined) return before === 'ok' && (answerOf(resource) ?? 'ok') !== 'ok' && now.get(name)?.answer !== 'ok';
    return isLost(resource) && hostWithPort(resource.url) in usual.hosts;
  });
  const detailOf = (lost: readonly Resource[]) => tooMuch(lost, network, resources, documentUrl);
  const detail = detailOf(failed.filter((resource) => !isByForce(resource, discovery)));
  if (detail !== null) return { reason: 'incomplete' as const, detail };
  const byForce = detailOf(failed);
  return byForce === null ? null : { reason: 'protocol-unavailable' as const, detail: `${byForce} ${forcedWords}` };
}

/** Chrome asks again after a 421, without HTTP/3: where that is forced it can't. */
export const isByForce = ({ status, protocol }: Resource, discovery: VisitRequest['discovery']): boolean =>
  status === 421 && protocol === 'h3' && discovery === 'forced';
export const forcedWords =
  'The server takes no requests for this host on the connection of another (421). A visitor’s browser asks again over HTTP/2; one that is forced to ' +
  'HTTP/3 can’t. --discovery alt-svc measures what visitors get.';

/** What says that a page lacks too much; null: it does not. */
function tooMuch(
  failed: readonly Resource[],
  network: Evidence['network'],
  resources: readonly Resource[],
  documentUrl: string,
): string | null {
  if (failed.length === 0) return null;
  const blocking = new Set(
    network.flatMap((event) =>
      event.method === 'Network.requestWillBeSent' && event.params.renderBlockingBehavior === 'Blocking' ? [event.params.request.url] : [],
    ),
  );
  const blocks = failed.find(({ url }) => blocking.has(url));
  if (blocks !== undefined) return `${blocks.url}, which blocks the page’s first paint, failed: ${lossOf(blocks)}.`;
  const hosts = ownHosts(documentUrl, {});
  const own = failed.find(({ url }) => isOwn(url, hosts));
  if (own !== undefined) return `${own.url}, the page’s own, failed: ${lossOf(own)}. It had loaded at discovery.`;
  if (failed.length < minGrave || failed.length <= maxTrifles * resources.length) return null;
  const [first] = failed as [Resource];
  return `${failed.length} of ${resources.length} objects failed that had loaded at discovery, such as ${first.url}: ${lossOf(first)}.`;
}

/** True if the page lacks it. A page never lacks invisible objects. */
export const isLost = (resource: Resource): boolean =>
  failureOf(resource) !== null && resource.cache === 'none' && !unseen.has(resource.type);

/** How an object was lost whatever discovery had; null when it was not. */
function failureOf({ type, failure, status }: Resource): string | null {
  if (failure !== null) return failure;
  return status !== null && (status >= 500 || status === 429) && parts.has(type) ? `status ${status}` : null;
}

/** How it was lost, in a word. */
const lossOf = ({ failure, blocked, status }: Resource): string =>
  failure ?? (blocked === null || (status !== null && status >= 400) ? `status ${status}` : `blocked (${blocked})`);

// Requests that ended without an answer and failed nowhere: a policy forbade them, or the page took them back.

/**
 * Says what stopped a request: Chrome's name of the policy (`csp`, `mixed-content`, …), `cors: …`, `aborted` for what the page took
 * back, or the error of a block (`net::ERR_BLOCKED_BY_ORB`). Null: nothing stopped it, and if it failed, the network failed.
 */
export function stoppedBy(failed: Cdp.Network.LoadingFailedEvent | undefined): string | null {
  if (failed === undefined) return null;
  if (failed.blockedReason !== undefined) return failed.blockedReason;
  if (failed.corsErrorStatus !== undefined) return `cors: ${failed.corsErrorStatus.corsError}`;
  if (failed.canceled === true || failed.errorText === 'net::ERR_ABORTED') return 'aborted';
  return /ERR_(BLOCKED_BY|UNSAFE_PORT|UNKNOWN_URL_SCHEME|DISALLOWED_URL_SCHEME)/.test(failed.errorText) ? failed.errorText : null;
}

/** Reasons that apply before Chrome sends anything; CORS mostly applies to the answer. */
const beforeSending =
  /^(csp|mixed-content|origin|inspector|subresource-filter|other|net::ERR_(BLOCKED_BY_(CLIENT|CSP|ADMINISTRATOR)|UNSAFE_PORT|UNKNOWN_URL_SCHEME|DISALLOWED_URL_SCHEME))$|^cors: (Preflight|DisallowedByMode|CorsDisabledScheme|MethodDisallowed|HeaderDisallowed)/;

/** True if a stopped request never left the browser. */
export function neverLeft({ blocked, status }: { blocked: string | null; status: number | null }): boolean {
  return blocked !== null && status === null && beforeSending.test(blocked);
}
