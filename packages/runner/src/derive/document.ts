// The document that a visit ended on: its answer, its URL, and whether that is the requested page.
import { addressWithoutPort } from '@pronghorn/core/network';
import type { Resource } from '@pronghorn/core/schemas';
import type { Evidence, SlimResponse } from '../gather/evidence.ts';

/** The document that answered last on the way of the main frame: redirects come before it. */
function mainDocument(resources: readonly Resource[]): Resource | undefined {
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

/** The last document that the main frame loaded, with what its answer was: where a page moved on by itself, not what it began with. */
export function loadedDocument(evidence: Pick<Evidence, 'network'>, resources: readonly Resource[]): Resource | undefined {
  const url = documentResponse(evidence)?.url;
  return resources.findLast((resource) => resource.type === 'Document' && resource.url === url) ?? mainDocument(resources);
}

/** URLs that the main frame passed on the way to its last document: redirects, and documents that moved on by themselves. */
export function passedUrls(evidence: Pick<Evidence, 'network'>): string[] {
  const mainFrame = mainFrameOf(evidence);
  const requested = evidence.network.flatMap((event) =>
    event.method === 'Network.requestWillBeSent' && event.params.type === 'Document' && event.params.frameId === mainFrame
      ? [event.params.request.url]
      : [],
  );
  const end = documentResponse(evidence)?.url ?? requested.at(-1);
  const before = requested.slice(0, Math.max(0, requested.lastIndexOf(end ?? '')));
  return [...new Set(before)].filter((url) => url !== end);
}

/** The last answer to a request of the main frame: where a page reloads itself, that of the last document. */
export function documentResponse(evidence: Pick<Evidence, 'network'>): SlimResponse | undefined {
  const mainFrame = mainFrameOf(evidence);
  const answers = evidence.network.flatMap((event) =>
    event.method === 'Network.responseReceived' && event.params.type === 'Document' && event.params.frameId === mainFrame
      ? [event.params.response]
      : [],
  );
  // An answer without content leaves the page where it is.
  return answers.findLast(({ status }) => status !== 204 && status !== 205);
}

/** The frame of the first request. */
const mainFrameOf = ({ network }: Pick<Evidence, 'network'>): string | undefined =>
  network.find((event) => event.method === 'Network.requestWillBeSent')?.params.frameId;

/**
 * True if two URLs have the same scheme, host and path. Queries and path parameters (`;jsessionid=…`) may hold a session, an
 * experiment or a time of day, and fragments never reach a server.
 */
export function samePage(a: string, b: string): boolean {
  return withoutQuery(a) === withoutQuery(b);
}

/** Scheme, host and path, without parameters. */
export function withoutQuery(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? url : `${parsed.protocol}//${parsed.host}${parsed.pathname.replace(/;[^/]*/g, '').replace(sessionPart, '')}`;
}

/** Where ASP.NET keeps a session, an anonymous user or a ticket of those without cookies: `/(S(x1y2))`, `/(X(1)S(x1y2)F(…))`. */
const sessionPart = /\/\((?:[ASFX]\([\w-]+\))+\)(?=\/)/;

/** The one part of the path that differs between two addresses of a host and looks like a token; undefined: there is more, or less, to it. */
export function differingToken(a: string, b: string): string | undefined {
  const [one, other] = [a, b].map((url) => withoutQuery(url).split('/')) as [string[], string[]];
  const differing = one.flatMap((part, place) => (part === other[place] ? [] : [[part, other[place] ?? '']]));
  const [pair = []] = differing;
  const isToken = pair.length > 0 && pair.every((part) => part.length >= 6 && /\d/.test(part));
  return one.length === other.length && one[2] === other[2] && differing.length === 1 && isToken ? pair[0] : undefined;
}

/** Null if it came over no connection. */
export function addressOf(document: Resource | undefined): string | null {
  return addressWithoutPort(document?.remoteAddress ?? '') || null;
}

/** host:port as the force list has it: the port always there. */
export function hostWithPort(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}
