// A visit as an HTTP Archive, so that any HAR viewer can open it. https://w3c.github.io/web-performance/specs/HAR/Overview.html,
// http://www.softwareishard.com/blog/har-12-spec/; fields that start with _ are custom ones, named as Chrome's own where it has them.
import { addressWithoutPort } from '../network/network.ts';
import type { Site } from '../schemas/campaign.ts';
import type { Environment } from '../schemas/environment.ts';
import type { PageMetrics } from '../schemas/metrics.ts';
import type { Resource } from '../schemas/resource.ts';
import { pageMetrics, type Visit } from '../schemas/visit.ts';
import { harHeaders } from '../vocabulary/choices.ts';
import type { Protocol } from '../vocabulary/protocol.ts';
import { invalidReasons } from '../vocabulary/reason.ts';

/** The headers in an archive: the safe ones of each response (`safeHeaders`, Server, Alt-Svc), or none at all. */
export { harHeaders };
export type HarHeaders = (typeof harHeaders)[number];

type NameValue = { name: string; value: string };

/** Milliseconds; −1 if a phase did not happen or is unknown. `connect` includes `ssl`. */
type HarTimings = { blocked: number; dns: number; connect: number; ssl: number; send: number; wait: number; receive: number };

export type HarEntry = {
  pageref: string;
  startedDateTime: string;
  /** The sum of the timings that are not −1, without `ssl`, which is a part of `connect`. */
  time: number;
  request: {
    method: string;
    url: string;
    httpVersion: string;
    cookies: [];
    headers: [];
    queryString: NameValue[];
    headersSize: -1;
    bodySize: -1;
  };
  response: {
    /** 0 when there was no response. */
    status: number;
    statusText: string;
    httpVersion: string;
    cookies: [];
    headers: NameValue[];
    content: { size: number; compression?: number; mimeType: string };
    /** Empty: no redirect, or its target is unknown. */
    redirectURL: string;
    /** As received, compressed over HTTP/2 and HTTP/3; −1 if the browser does not report them separately, and for cached responses. */
    headersSize: number;
    /** Before decompression, without frames: over HTTP/2 `_transferSize` has nine more bytes for each frame. −1: unknown; 0 for a cache. */
    bodySize: number;
    /** Received over the network, including headers and frames. */
    _transferSize: number;
    _error: string | null;
  };
  cache: Record<string, never>;
  timings: HarTimings;
  serverIPAddress?: string;
  connection?: string;
  _connectionReused: boolean | null;
  _fromCache?: string;
  _initiator: { type: string; url?: string };
  _linked: boolean;
  _priority: string | null;
  _resourceType: string;
};

type HarPage = {
  startedDateTime: string;
  id: string;
  title: string;
  /** Viewers draw a line for each. */
  pageTimings: { onContentLoad: number; onLoad: number; _firstContentfulPaint?: number; _largestContentfulPaint?: number };
  comment?: string;
  _url: string;
  _protocol: Protocol;
  _verdict: 'valid' | 'invalid';
  _metrics: PageMetrics | null;
};

export type Har = {
  log: {
    version: '1.2';
    creator: { name: string; version: string; comment: string };
    browser?: { name: string; version: string };
    pages: [HarPage];
    entries: HarEntry[];
    comment?: string;
  };
};

/**
 * The HTTP Archive 1.2 of one visit. The comments of an invalid visit say so, and it has no metrics.
 *
 * People share archives: besides headers, it leaves out the values of URL parameters whose names suggest a secret.
 *
 * @param parts.resources in any order; entries are sorted by their start.
 * @param parts.environment of the visit; null if no browser was started: the archive then names none.
 */
export function toHar(parts: {
  visit: Visit;
  site: Site;
  resources: readonly Resource[];
  environment: Environment | null;
  headers?: HarHeaders;
}): Har {
  const { visit, site, resources, environment, headers = 'safe' } = parts;
  const { outcome } = visit;
  const metrics = pageMetrics(outcome);
  const detail = outcome.verdict === 'valid' ? '' : withoutSecrets(outcome.detail);
  const invalid =
    outcome.verdict === 'invalid'
      ? { comment: `Invalid visit, not a measurement: ${outcome.reason} (${invalidReasons[outcome.reason]}). ${detail}`.trim() }
      : {};
  const inOrder = resources.toSorted((a, b) => a.startMs - b.startMs || a.seq - b.seq);
  return {
    log: {
      version: '1.2',
      creator: { name: 'Pronghorn', version: environment?.runner.version ?? '', comment: leftOut[headers] },
      ...(environment ? { browser: productOf(environment.browser.product) } : {}),
      pages: [
        {
          startedDateTime: visit.startedAt,
          id: visit.id,
          title: withoutSecrets(site.name),
          pageTimings: {
            onContentLoad: metrics?.domContentLoaded ?? -1,
            onLoad: metrics?.onLoad ?? -1,
            ...(metrics?.firstContentfulPaint == null ? {} : { _firstContentfulPaint: metrics.firstContentfulPaint }),
            ...(metrics?.largestContentfulPaint == null ? {} : { _largestContentfulPaint: metrics.largestContentfulPaint }),
          },
          ...invalid,
          _url: withoutSecrets(visit.finalUrl ?? site.url),
          _protocol: visit.protocol,
          _verdict: outcome.verdict,
          _metrics: metrics,
        },
      ],
      entries: inOrder.map((resource) => entryOf(resource, visit, { headers, redirectedTo: redirectedTo(resource, resources) })),
      ...invalid,
    },
  };
}

const leftOut: Readonly<Record<HarHeaders, string>> = {
  safe: 'Only response headers that are safe to share; cookies and request headers are not recorded.',
  none: 'Without headers and cookies.',
};

function entryOf(resource: Resource, visit: Visit, { headers, redirectedTo }: { headers: HarHeaders; redirectedTo: string }): HarEntry {
  const url = withoutSecrets(resource.url);
  const { cache, bodyBytes, headerBytes = null, encodedBodyBytes = null } = resource;
  const isOfNetwork = cache === 'none';
  const timings = timingsOf(resource);
  const httpVersion = resource.protocol ?? 'unknown';
  const { ssl: _, ...phases } = timings;
  return {
    pageref: visit.id,
    startedDateTime: new Date(Date.parse(visit.startedAt) + resource.startMs).toISOString(),
    time: Object.values(phases).reduce((sum, phase) => (phase === -1 ? sum : sum + phase), 0),
    request: {
      method: resource.method,
      url,
      httpVersion,
      cookies: [],
      headers: [],
      queryString: Array.from(URL.parse(url)?.searchParams ?? [], ([name, value]) => ({ name, value })),
      headersSize: -1,
      bodySize: -1,
    },
    response: {
      status: resource.status ?? 0,
      statusText: '',
      httpVersion,
      cookies: [],
      headers: headers === 'none' ? [] : headersOf(resource),
      content: {
        size: bodyBytes ?? -1,
        ...(isOfNetwork && bodyBytes !== null && encodedBodyBytes !== null && resource.status !== 304
          ? { compression: bodyBytes - encodedBodyBytes }
          : {}),
        mimeType: resource.mimeType ?? 'x-unknown',
      },
      redirectURL: redirectedTo,
      headersSize: headerBytes ?? -1,
      bodySize: isOfNetwork ? (encodedBodyBytes ?? -1) : 0,
      _transferSize: resource.transferBytes,
      _error: resource.failure ?? resource.blocked,
    },
    cache: {},
    timings,
    ...(resource.remoteAddress === null ? {} : { serverIPAddress: addressWithoutPort(resource.remoteAddress) }),
    ...(resource.connectionId === null ? {} : { connection: String(resource.connectionId) }),
    _connectionReused: resource.connectionReused,
    ...(isOfNetwork ? {} : { _fromCache: cache }),
    _initiator: { type: resource.initiatorType, ...(resource.initiatorUrl === null ? {} : { url: withoutSecrets(resource.initiatorUrl) }) },
    _linked: resource.linked,
    _priority: resource.priority,
    _resourceType: resource.type.toLowerCase(),
  };
}

function headersOf({ server, altSvc, headers }: Resource): NameValue[] {
  const all = Object.entries({ ...headers, server, 'alt-svc': altSvc }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  // Chrome joins headers of one name by line breaks, which no header's value has.
  return all.flatMap(([name, value]) => value?.split('\n').map((one) => ({ name, value: one })) ?? []);
}

/** The request after a redirect begins when the redirect ends: Chrome reports both in one event. */
function redirectedTo({ status, seq, endMs, type }: Resource, resources: readonly Resource[]): string {
  if (status === null || status < 300 || status > 399 || status === 304) return '';
  const next = resources.find((other) => other.seq > seq && other.startMs === endMs && other.type === type);
  return withoutSecrets(next?.url ?? '');
}

/** As other tools write and recognise it. */
const redacted = '[REDACTED]';

const secretName =
  /(?:^|[^a-z])(?:auth|code|key|otp|pass|pin|pwd|sid|sig)(?:$|[^a-z])|api_?key|access_?key|credential|csrf|jwt|passphrase|passw|secret|session|signature|token|xsrf/i;
/** The start of a parameter, also in a URL within another's parameter, where its signs are escaped once or more. */
const parameter = /([?&;#]|%(?:25)*(?:3F|26|3B|23))([^=&;#?\s]{1,100}?)(?:=|%(?:25)*3D)/gi;
/** Looked for once in each word: its time grows linearly, whatever a page writes there. */
const jsonWebToken = /(?<![\w-])(?=[\w-]*?eyJ[\w-]{10})[\w-]+\.[\w-]{10,}\.[\w-]*/g;
const login = /(\/\/)[^/?#@\s]*@/g;

/** Cleans a URL, or a text that contains some. The visitor's own secrets are already left out when evidence is gathered. */
function withoutSecrets(text: string): string {
  let [cleaned, copied] = ['', 0];
  for (const { 0: begin, 1: sign = '', 2: name = '', index } of text.matchAll(parameter)) {
    if (index < copied || !secretName.test(name)) continue;
    const from = index + begin.length;
    cleaned += text.slice(copied, from) + redacted;
    copied = endOfValue(text, from, sign);
  }
  return (cleaned + text.slice(copied)).replace(login, '$1').replace(jsonWebToken, (word) => word.slice(0, word.indexOf('eyJ')) + redacted);
}

/** @param sign the parameter's first sign: the one that ends it is escaped as often, or not at all */
function endOfValue(text: string, from: number, sign: string): number {
  const escaped = sign.startsWith('%') ? ['26', '23'].map((code) => sign.slice(0, -2) + code) : [];
  const ends = ['&', '#', ' ', ...(sign === ';' ? [';', '?'] : []), ...escaped].map((end) => text.indexOf(end, from));
  return Math.min(...ends.map((end) => (end === -1 ? text.length : end)));
}

/** The specification allows −1 for the first four only: send, wait and receive are 0 if unknown. */
function timingsOf(resource: Resource): HarTimings {
  const { queueingMs, dnsMs, connectMs, tlsMs, sendMs, waitMs, receiveMs, startMs, endMs } = resource;
  const isWithoutPhases = [queueingMs, dnsMs, connectMs, sendMs, waitMs, receiveMs].every((phase) => phase === null);
  // A failed request, or one from a cache: only the time until its end is known.
  const whole = isWithoutPhases && endMs !== null ? Math.max(0, endMs - startMs) : 0;
  return {
    blocked: queueingMs ?? -1,
    dns: dnsMs ?? -1,
    connect: connectMs ?? -1,
    ssl: tlsMs ?? -1,
    send: sendMs ?? 0,
    wait: waitMs ?? whole,
    receive: receiveMs ?? 0,
  };
}

/** Splits `Chrome/156.0.8078.79`. */
function productOf(product: string): { name: string; version: string } {
  const [name = '', version = ''] = product.split('/', 2);
  return { name, version };
}
