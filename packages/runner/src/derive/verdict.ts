// Is this load a measurement of what was asked? Pure: evidence in, reason or null out.
import { alpnOf, type InvalidReason, type Resource } from '@pronghorn/core';
import type { Asked, Evidence, LoadEnd } from '../gather/evidence.ts';
import { majorVersion } from './traffic.ts';

export interface Fault {
  reason: InvalidReason;
  detail: string;
}

/**
 * Judges a load. The first fault found is told, in the order of cause: how it ended, what answered, over which protocol,
 * on what machine.
 *
 * @param foreignCpuShare the most that other processes may have taken of the machine's CPU time
 * @returns null when the load is a valid measurement
 */
export function judge(asked: Asked, evidence: Evidence, resources: readonly Resource[], foreignCpuShare: number): Fault | null {
  return (
    faultOfEnd(evidence.end, asked) ??
    faultOfDocument(asked, evidence, resources) ??
    faultOfProtocol(asked, resources) ??
    faultOfMachine(evidence, foreignCpuShare)
  );
}

function faultOfEnd(end: LoadEnd, asked: Asked): Fault | null {
  switch (end.kind) {
    case 'quiet':
    case 'settle-cut':
      return null;
    case 'navigation-failed':
      return { reason: reasonOfNetError(end.error), detail: `${asked.url}: ${end.error}` };
    case 'download':
      return { reason: 'not-a-page', detail: `${asked.url} is a download, not a page.` };
    case 'load-timeout':
      return { reason: 'load-timeout', detail: `No load event within ${end.afterMs} ms; ${end.openRequests} requests were still open.` };
    case 'left-page':
      return { reason: 'left-page', detail: `The page moved on to ${end.to} by itself. Measure that URL instead.` };
    case 'too-big':
      return { reason: 'page-too-big', detail: `Stopped after ${end.requests} requests and ${end.transferBytes} bytes.` };
    case 'tab-crashed':
      return { reason: 'tab-crashed', detail: 'The page’s renderer crashed.' };
    case 'browser-crashed':
      return { reason: 'browser-crashed', detail: 'Chrome went away during the visit.' };
  }
}

/** Chrome's network errors of a main document, sorted by what the user can do about them. */
export function reasonOfNetError(error: string): InvalidReason {
  if (/ERR_(NAME_|DNS_|ICANN_)/.test(error)) return 'dns-error';
  if (/ERR_QUIC/.test(error)) return 'quic-error';
  if (/ERR_(CERT_|SSL_|BAD_SSL|ECH_)/.test(error)) return 'tls-error';
  if (/ERR_(ABORTED|INVALID_RESPONSE|UNKNOWN_URL_SCHEME|DISALLOWED_URL_SCHEME|UNSAFE_PORT)/.test(error)) return 'not-a-page';
  // The body of an error status is missing: Chrome then shows a page of its own.
  if (/ERR_HTTP_RESPONSE_CODE_FAILURE/.test(error)) return 'http-status';
  return 'connection-error';
}

function faultOfDocument(asked: Asked, evidence: Evidence, resources: readonly Resource[]): Fault | null {
  if (evidence.page === null) {
    return { reason: 'load-timeout', detail: 'The page loaded and then answered no more: a script of it never ends.' };
  }
  const document = mainDocument(resources);
  if (document === undefined) return { reason: 'not-a-page', detail: `${asked.url} has no document.` };
  if (document.failure !== null) return { reason: 'connection-error', detail: `The document broke off: ${document.failure}.` };
  if (document.status !== asked.expectStatus && !(asked.view === 'warm' && document.status === 304)) {
    return { reason: 'http-status', detail: `The document’s status is ${document.status}, expected was ${asked.expectStatus}.` };
  }
  // A cold visit on a connection that was open before is not cold; nor did a repeat view pay for its handshake.
  if (resources[0]?.connectionReused === true) {
    return { reason: 'connection-reused', detail: `${resources[0].url} used a connection that was open before the visit.` };
  }
  const finalHost = new URL(evidence.page.url).host;
  if (finalHost !== asked.finalHost) {
    return { reason: 'redirected', detail: `The page ended on ${finalHost}; at discovery it was ${asked.finalHost}.` };
  }
  const { loadEventStart } = evidence.page.navigation;
  if (!(loadEventStart > 0)) return { reason: 'engine-error', detail: `The load event fired but its time is ${loadEventStart}.` };
  if (
    evidence.page.firstContentfulPaint !== null &&
    evidence.frames.every(({ timestamp }) => timestamp < (evidence.page?.timeOrigin ?? 0))
  ) {
    return { reason: 'no-visual-progress', detail: 'The page painted, but Chrome sent no frame of it.' };
  }
  return null;
}

/** The document that answered last on the way of the main frame: redirects come before it. */
export function mainDocument(resources: readonly Resource[]): Resource | undefined {
  const [first] = resources;
  if (first?.type !== 'Document') return undefined;
  // Redirects follow each other at once, as requests 0, 1, 2…
  let at = first;
  for (const next of resources.slice(1)) {
    const redirected = at.status !== null && at.status >= 300 && at.status < 400 && at.status !== 304;
    if (!redirected || next.type !== 'Document') break;
    at = next;
  }
  return at;
}

/**
 * The proof of protocol: what Chrome says of each response's connection.
 *
 * h1 and h2 promise an upper bound for every object, since Chrome was told so; the document itself must have the protocol
 * asked for. Forced h3 promises that the document and every object of a forced host came over HTTP/3. With Alt-Svc any
 * mix of h2 and h3 is what a visitor gets, and the shares tell it.
 */
function faultOfProtocol(asked: Asked, resources: readonly Resource[]): Fault | null {
  const expected = alpnOf[asked.protocol];
  const highest = Number(asked.protocol.slice(1));
  const answered = resources.filter(({ cache, status, protocol }) => cache === 'none' && status !== null && protocol !== null);

  const above = answered.find(({ protocol }) => (majorVersion(protocol) ?? 0) > highest);
  if (above !== undefined) return wrong(above, `at most ${expected}`);

  if (asked.protocol === 'h3' && asked.discovery === 'forced') {
    const forced = new Set(asked.forced);
    const isForced = (resource: Resource) => forced.has(hostWithPort(resource.url));
    const failed = resources.find((resource) => isForced(resource) && resource.failure !== null && /ERR_QUIC/.test(resource.failure));
    if (failed !== undefined) return { reason: 'forced-host-failed', detail: `${failed.url}: ${failed.failure}` };
    const other = answered.find((resource) => isForced(resource) && majorVersion(resource.protocol) !== 3);
    if (other !== undefined) return wrong(other, expected);
  }

  const document = mainDocument(resources);
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
  const foundByItself = asked.protocol === 'h3' && asked.discovery === 'alt-svc' && majorVersion(document.protocol) === 2;
  return majorVersion(document.protocol) === highest || foundByItself ? null : wrong(document, expected);
}

function wrong(resource: Resource, expected: string): Fault {
  return { reason: 'wrong-protocol', detail: `${resource.url} came over ${resource.protocol}, expected was ${expected}.` };
}

/** host:port as the force list has it: the port always there. */
export function hostWithPort(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

/** One turn of the kernel's clock: less is no wait that a limit made. */
const mostThrottledMs = 10;

function faultOfMachine({ cpu, throttledMs = 0 }: Evidence, foreignCpuShare: number): Fault | null {
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  if (throttledMs > mostThrottledMs) {
    return {
      reason: 'busy-machine',
      detail:
        `A limit on the runner’s CPU time stopped it for ${Math.round(throttledMs)} ms within the visit: take it away ` +
        '(cpus of Docker, limits.cpu of Kubernetes, CPUQuota of systemd), or set it to all cores.',
    };
  }
  if (cpu.foreignShare <= foreignCpuShare) return null;
  return {
    reason: 'busy-machine',
    detail: `Other processes took ${percent(cpu.foreignShare)} of the machine’s CPU time, allowed are ${percent(foreignCpuShare)}.`,
  };
}
