// A visit as an HTTP Archive, so that any HAR viewer can open it. https://w3c.github.io/web-performance/specs/HAR/Overview.html,
// http://www.softwareishard.com/blog/har-12-spec/; fields that start with _ are custom ones, named as Chrome's own where it has them.
import { addressWithoutPort } from './addresses/network.ts';
import type { Site } from './schemas/campaign.ts';
import type { Environment } from './schemas/environment.ts';
import type { Metrics } from './schemas/metrics.ts';
import type { Resource } from './schemas/resource.ts';
import type { Visit } from './schemas/visit.ts';
import { invalidReasons, type Protocol } from './schemas/vocabulary.ts';

type NameValue = { name: string; value: string };

/** Milliseconds; −1 where a phase did not happen or is not known. `connect` includes `ssl`. */
export type HarTimings = { blocked: number; dns: number; connect: number; ssl: number; send: number; wait: number; receive: number };

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
    content: { size: number; mimeType: string };
    redirectURL: string;
    headersSize: -1;
    bodySize: number;
    _transferSize: number;
    _error: string | null;
    comment: string;
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

export type HarPage = {
  startedDateTime: string;
  id: string;
  title: string;
  pageTimings: { onContentLoad: number; onLoad: number };
  comment?: string;
  _url: string;
  _protocol: Protocol;
  _verdict: 'valid' | 'invalid';
  _metrics: Metrics | null;
};

export type Har = {
  log: {
    version: '1.2';
    creator: { name: string; version: string };
    browser?: { name: string; version: string };
    pages: [HarPage];
    entries: HarEntry[];
    comment?: string;
  };
};

/**
 * The HTTP Archive 1.2 of one visit; an invalid visit's says so in its comments, and has no metrics.
 *
 * @param parts.resources in any order; entries are sorted by their start.
 * @param parts.environment of the visit; null when no browser was started, and the archive then names none.
 */
export function toHar(parts: { visit: Visit; site: Site; resources: readonly Resource[]; environment: Environment | null }): Har {
  const { visit, site, resources, environment } = parts;
  const { outcome } = visit;
  const metrics = outcome.verdict === 'valid' ? outcome.metrics : null;
  const invalid =
    outcome.verdict === 'invalid'
      ? { comment: `Invalid visit, not a measurement: ${outcome.reason} (${invalidReasons[outcome.reason]}). ${outcome.detail}`.trim() }
      : {};
  return {
    log: {
      version: '1.2',
      creator: { name: 'Pronghorn', version: environment?.runner.version ?? '' },
      ...(environment ? { browser: productOf(environment.browser.product) } : {}),
      pages: [
        {
          startedDateTime: visit.startedAt,
          id: visit.id,
          title: site.name,
          pageTimings: { onContentLoad: metrics?.domContentLoaded ?? -1, onLoad: metrics?.onLoad ?? -1 },
          ...invalid,
          _url: visit.finalUrl ?? site.url,
          _protocol: visit.protocol,
          _verdict: outcome.verdict,
          _metrics: metrics,
        },
      ],
      entries: resources.toSorted((a, b) => a.startMs - b.startMs || a.seq - b.seq).map((resource) => entryOf(resource, visit)),
      ...invalid,
    },
  };
}

function entryOf(resource: Resource, visit: Visit): HarEntry {
  const timings = timingsOf(resource);
  const httpVersion = resource.protocol ?? 'unknown';
  const { ssl: _, ...phases } = timings;
  return {
    pageref: visit.id,
    startedDateTime: new Date(Date.parse(visit.startedAt) + resource.startMs).toISOString(),
    time: Object.values(phases).reduce((sum, phase) => (phase === -1 ? sum : sum + phase), 0),
    request: {
      method: resource.method,
      url: resource.url,
      httpVersion,
      cookies: [],
      headers: [],
      queryString: Array.from(URL.parse(resource.url)?.searchParams ?? [], ([name, value]) => ({ name, value })),
      headersSize: -1,
      bodySize: -1,
    },
    response: {
      status: resource.status ?? 0,
      statusText: '',
      httpVersion,
      cookies: [],
      headers: [
        ...(resource.server === null ? [] : [{ name: 'server', value: resource.server }]),
        ...(resource.altSvc === null ? [] : [{ name: 'alt-svc', value: resource.altSvc }]),
      ],
      content: { size: resource.bodyBytes, mimeType: resource.mimeType ?? 'x-unknown' },
      redirectURL: '',
      headersSize: -1,
      // What came over the network is known with its headers only: _transferSize.
      bodySize: resource.cache === 'none' ? -1 : 0,
      _transferSize: resource.transferBytes,
      _error: resource.failure ?? resource.blocked,
      comment: 'Of the headers only Server and Alt-Svc are kept.',
    },
    cache: {},
    timings,
    ...(resource.remoteAddress === null ? {} : { serverIPAddress: addressWithoutPort(resource.remoteAddress) }),
    ...(resource.connectionId === null ? {} : { connection: String(resource.connectionId) }),
    _connectionReused: resource.connectionReused,
    ...(resource.cache === 'none' ? {} : { _fromCache: resource.cache }),
    _initiator: { type: resource.initiatorType, ...(resource.initiatorUrl === null ? {} : { url: resource.initiatorUrl }) },
    _linked: resource.linked,
    _priority: resource.priority,
    _resourceType: resource.type.toLowerCase(),
  };
}

/** The specification allows −1 for the first four only: send, wait and receive are 0 where they are not known. */
function timingsOf(resource: Resource): HarTimings {
  const { queueingMs, dnsMs, connectMs, tlsMs, sendMs, waitMs, receiveMs, startMs, endMs } = resource;
  const isWithoutPhases = [queueingMs, dnsMs, connectMs, sendMs, waitMs, receiveMs].every((phase) => phase === null);
  // A failed request, or one from a cache: all that is known is how long Chrome waited for its end.
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

/** Of `Chrome/156.0.8078.79`. */
function productOf(product: string): { name: string; version: string } {
  const [name = '', version = ''] = product.split('/', 2);
  return { name, version };
}
