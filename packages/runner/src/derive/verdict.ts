// Judges whether a load measures what was requested. Pure: evidence in, reason or null out.
import { frontHeader, isOfThisMachine, serverDomain } from '@pronghorn/core/network';
import type { Resource } from '@pronghorn/core/schemas';
import { durationWords } from '@pronghorn/core/text';
import { isLoopbackHost } from '@pronghorn/core/visitor';
import { alpnOf, type InvalidReason, kindOf } from '@pronghorn/core/vocabulary';
import type { Evidence, LoadEnd, VisitRequest } from '../gather/evidence.ts';
import { cutText } from '../gather/network-log.ts';
import { neverAwaited, scripted } from '../gather/open-requests.ts';
import { challengeOf } from './challenge.ts';
import { differingToken, documentResponse, hostWithPort, loadedDocument, samePage, withoutQuery } from './document.ts';
import { forcedWords, holesOf, isByForce } from './holes.ts';
import { loginWords, netErrorHint, reasonOfNetError } from './net-error.ts';
import { majorVersion } from './traffic.ts';

export interface Fault {
  reason: InvalidReason;
  detail: string;
}

/**
 * Judges a load. Returns the first fault, in the order of cause: who answered, how it ended, with what, over which protocol,
 * how much of it, on what machine. On a busy machine neither a failed load nor a successful one is an outcome: both are repeated,
 * or only failures would count there.
 *
 * @param foreignCpuShare the most that other processes may have taken of the machine's CPU time
 * @returns null when the load is a valid measurement
 */
export function judge(request: VisitRequest, evidence: Evidence, resources: readonly Resource[], foreignCpuShare: number): Fault | null {
  const fault =
    faultOfArrival(request, evidence, resources) ??
    faultOfDocument(request, evidence, resources) ??
    faultOfProtocol(request, evidence, resources) ??
    faultOfHoles(request, evidence, resources);
  if (fault !== null && kindOf(fault.reason) !== 'failure') return fault;
  const busy = faultOfMachine(evidence, foreignCpuShare);
  if (fault === null || busy === null) return fault ?? busy;
  return { ...busy, detail: `${busy.detail} The load failed meanwhile: ${fault.detail}` };
}

/** Checks only that the page arrived: enough for a page that is opened before the one that is measured. */
export function faultOfArrival(request: Arriving, evidence: Evidence, resources: readonly Resource[]): Fault | null {
  return (
    faultOfReach(request, resources) ??
    faultOfWall(request, evidence, resources) ??
    faultOfEnd(evidence.end, request, resources) ??
    faultOfAnswer(request, evidence, resources)
  );
}

type Arriving = Pick<VisitRequest, 'url' | 'view' | 'expectStatus' | 'usual' | 'discovery'>;

/**
 * What a page lacks if it is missing. Not a WebSocket, an EventSource or a beacon, which reload a page during development or count its visitors:
 * the page is whole without them, and often nothing listens there any more.
 */
const needed: ReadonlySet<string> = new Set(['Document', 'Stylesheet', 'Script', 'Image', 'Font', 'Media', 'XHR', 'Fetch']);
/** By the page itself: its developer gets no answer either. */
const byPage: ReadonlySet<string | null> = new Set(['aborted', 'csp']);

/**
 * A page of this machine that asks the loopback for a part of itself: for its developer it is whole. In the network of visits nothing listens
 * there, so they would measure another page. Public pages ask the loopback too, and get as little from their visitors' machines.
 */
function faultOfReach({ url }: Arriving, resources: readonly Resource[]): Fault | null {
  if (!isOfThisMachine(url)) return null;
  const missed = resources.find(
    (one) => one.status === null && needed.has(one.type) && !byPage.has(one.blocked) && isLoopbackHost(URL.parse(one.url)?.hostname ?? ''),
  );
  if (missed === undefined) return null;
  const { origin } = new URL(missed.url);
  const isServer = new URL(url).hostname.endsWith(`.${serverDomain}`);
  return {
    reason: 'out-of-reach',
    detail: `The page needs ${missed.url}, which visits can’t reach: ${
      isServer
        ? `${origin} did not listen at the start, or no text of the page names it in full. Start it first, or write the address in full or ` +
          'relative; or measure over HTTP/1.1 with --link direct --no-front --protocols h1.'
        : 'they have this folder alone. Write the address relative to the page, or use --link direct --outside: there, pages reach servers on ' +
          'this machine.'
    }`,
  };
}

function faultOfWall(request: Arriving, evidence: Evidence, resources: readonly Resource[]): Fault | null {
  const wall = challengeOf(request, evidence, resources);
  if (wall === null) return null;
  return {
    reason: 'challenge',
    detail:
      `${wall} answered with a challenge in place of the page. Pronghorn does not evade bot protection: the site’s owner can let it through by ` +
      'its user agent, its address, or a secret header.',
  };
}

function faultOfHoles(request: VisitRequest, evidence: Evidence, resources: readonly Resource[]): Fault | null {
  return holesOf(request, evidence.network, resources, urlOf(evidence, request));
}

/** URL of the document, not what its scripts wrote into the address bar afterwards. */
const urlOf = (evidence: Evidence, request: VisitRequest): string => documentResponse(evidence)?.url ?? evidence.page?.url ?? request.url;

function faultOfEnd(end: LoadEnd, request: Arriving, resources: readonly Resource[]): Fault | null {
  switch (end.kind) {
    case 'quiet':
    case 'settle-cut':
      return null;
    case 'navigation-failed':
      return { reason: reasonOfNetError(end.error), detail: `${request.url}: ${end.error}${netErrorHint(end.error)}` };
    case 'download':
      return { reason: 'not-a-page', detail: `${request.url} is a download, not a page.` };
    case 'load-timeout':
      return { reason: 'load-timeout', detail: `No load event after ${durationWords(end.afterMs)}, ${openWords(resources, end.afterMs)}.` };
    case 'left-page':
      return { reason: 'left-page', detail: `The page kept navigating, last to ${end.to}, and never came to rest.` };
    case 'too-big':
      return { reason: 'page-too-big', detail: `Stopped after ${end.requests} requests and ${end.transferBytes} bytes.` };
    case 'tab-crashed':
      return { reason: 'tab-crashed', detail: 'The page’s renderer crashed.' };
    case 'browser-crashed':
      return { reason: 'browser-crashed', detail: 'The browser went away during the visit.' };
  }
}

/** What keeps a load event from coming is among it. What ended later is known, too: evidence is gathered for a while after the load. */
function openWords(resources: readonly Resource[], atMs: number): string {
  const open = resources.filter(({ endMs }) => endMs === null || endMs >= atMs);
  // What scripts fetch does not delay the event.
  const delaying = open.filter(({ type }) => !scripted.has(type) && !neverAwaited.has(type));
  const urls = [...new Set((delaying.length > 0 ? delaying : open).map(({ url }) => cutText(withoutQuery(url), maxOpenUrl)))];
  if (urls.length === 0) return 'with no request open';
  const others = urls.length > maxOpen ? ` and ${urls.length - maxOpen} more` : '';
  return `still open: ${urls.slice(0, maxOpen).join(', ')}${others}`;
}
const [maxOpen, maxOpenUrl] = [3, 300];

function faultOfAnswer(request: Arriving, evidence: Evidence, resources: readonly Resource[]): Fault | null {
  if (evidence.page === null) {
    return { reason: 'load-timeout', detail: 'The page loaded and then stopped responding: one of its scripts never ends.' };
  }
  const document = loadedDocument(evidence, resources);
  if (document === undefined) return { reason: 'not-a-page', detail: `${request.url} has no document.` };
  if (document.failure !== null) return { reason: 'connection-error', detail: `The document’s response broke off: ${document.failure}.` };
  if (document.status !== request.expectStatus && !(request.view === 'warm' && document.status === 304)) {
    const isFronts = documentResponse(evidence)?.headers?.[frontHeader] !== undefined;
    const detail = isFronts
      ? `Pronghorn’s own nginx answered with status ${document.status}: the server behind it was not asked, or sent no whole answer. ` +
        'Check that it runs, and that headers and cookies stay below 128 KB.'
      : `The document’s status is ${document.status}; expected ${request.expectStatus}.${document.status === 401 ? ` ${loginWords}` : ''}`;
    return isByForce(document, request.discovery)
      ? { reason: 'protocol-unavailable', detail: `${detail} ${forcedWords}` }
      : { reason: 'http-status', detail };
  }
  return null;
}

function faultOfDocument(request: VisitRequest, evidence: Evidence, resources: readonly Resource[]): Fault | null {
  if (evidence.page === null) return null; // reported above
  // A cold visit on a connection that was open before is not cold; nor did a repeat view pay for its handshake.
  if (wasOpenBefore(resources[0], evidence)) {
    return { reason: 'connection-reused', detail: `${resources[0]?.url} used a connection that was open before the visit.` };
  }
  const finalUrl = urlOf(evidence, request);
  if (![finalUrl, evidence.page.url].some((url) => samePage(url, request.finalUrl))) {
    const token = differingToken(finalUrl, request.finalUrl);
    const session = token === undefined ? '' : ` Only ${cutText(token, maxOpenUrl)} in its path differs. ${sessionWords}`;
    return { reason: 'redirected', detail: `${request.url} ended on ${finalUrl}; at discovery it was ${request.finalUrl}.${session}` };
  }
  const { loadEventStart } = evidence.page.navigation;
  if (!(loadEventStart > 0)) return { reason: 'engine-error', detail: `The load event fired but its time is ${loadEventStart}.` };
  return evidence.page.firstContentfulPaint === null ? null : faultOfPictures(evidence, evidence.page.timeOrigin);
}

const sessionWords =
  'If it is a session, new in each visit, let the site keep it in a cookie, or measure an address that has none: Pronghorn can’t tell it from another page.';

/** Only for a page that painted. */
function faultOfPictures({ video, frames, untold }: Evidence, timeOrigin: number): Fault | null {
  const fault = (detail: string): Fault => ({ reason: 'no-visual-progress', detail });
  if (video === undefined) {
    const isBlind = untold?.includes('frames') !== true && frames.every(({ timestamp }) => timestamp < timeOrigin);
    return isBlind ? fault('The page painted, but the browser sent no frame of it.') : null;
  }
  if (video === null) return null;
  if ('failure' in video) return fault(`The page painted, but its video gave no SpeedIndex: ${video.failure}`);
  return video.speedIndex > 0 ? null : fault('The page painted, but nothing changes in its video: SpeedIndex would be 0.');
}

/** A connection that no earlier load used is new, even where the document's request was not the first on it. */
function wasOpenBefore(first: Resource | undefined, { earlierConnections: earlier }: Evidence): boolean {
  if (first?.connectionReused !== true) return false;
  if (earlier === undefined) return true;
  return first.connectionId === null ? earlier.length > 0 : earlier.includes(first.connectionId);
}

/**
 * The proof of protocol: what Chrome says of each response's connection.
 *
 * Visits over h1 and h2 have an upper bound for every object, set by Chrome's flags; the document itself must have the requested
 * protocol. With forced h3 the document and every object of a forced host that answered must have come over HTTP/3. With Alt-Svc any
 * mix of h2 and h3 is what a visitor gets, and the shares show it.
 */
function faultOfProtocol(request: VisitRequest, evidence: Evidence, resources: readonly Resource[]): Fault | null {
  const expected = alpnOf[request.protocol];
  const highest = Number(request.protocol.slice(1));
  const answered = resources.filter(({ cache, status, protocol }) => cache === 'none' && status !== null && protocol !== null);

  const above = answered.find(({ protocol }) => (majorVersion(protocol) ?? 0) > highest);
  if (above !== undefined) return wrong(above, `at most ${expected}`);

  if (request.protocol === 'h3' && request.discovery === 'forced') {
    const forced = new Set(request.forced);
    const isForced = (resource: Resource) => forced.has(hostWithPort(resource.url));
    const other = answered.find((resource) => isForced(resource) && majorVersion(resource.protocol) !== 3);
    if (other !== undefined) return wrong(other, expected);
  }

  const document = loadedDocument(evidence, resources);
  if (document === undefined) return null;
  if (document.cache !== 'none') {
    const proven = answered.some(({ protocol }) => majorVersion(protocol) === highest);
    if (!proven) {
      return {
        reason: 'protocol-unproven',
        detail: `The document came from the ${document.cache} cache and nothing else over ${expected}.`,
      };
    }
    return null;
  }
  const foundByItself = request.protocol === 'h3' && request.discovery === 'alt-svc' && majorVersion(document.protocol) === 2;
  return majorVersion(document.protocol) === highest || foundByItself ? null : wrong(document, expected);
}

function wrong(resource: Resource, expected: string): Fault {
  return { reason: 'wrong-protocol', detail: `${resource.url} came over ${resource.protocol}; expected ${expected}.` };
}

/** One turn of the kernel's clock: less is no wait that a limit made. */
const maxThrottledMs = 10;

/** The fault of a machine that was not calm, or that a limit held up. */
export function faultOfMachine({ cpu, throttledMs }: Pick<Evidence, 'cpu' | 'throttledMs'>, foreignCpuShare: number): Fault | null {
  const percent = (share: number) => `${Math.round(share * 1_000) / 10} %`;
  if (throttledMs > maxThrottledMs) {
    return {
      reason: 'busy-machine',
      detail:
        `A limit on the runner’s CPU time stopped it for ${Math.round(throttledMs)} ms during the visit: remove the limit ` +
        '(cpus of Docker, limits.cpu of Kubernetes, CPUQuota of systemd), or set it to all cores.',
    };
  }
  if (cpu.foreignShare <= foreignCpuShare) return null;
  return {
    reason: 'busy-machine',
    detail: `Other processes took ${percent(cpu.foreignShare)} of the machine’s CPU time; at most ${percent(foreignCpuShare)} is allowed.`,
  };
}
