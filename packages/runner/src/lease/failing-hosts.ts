// Finds forced hosts that fail repeatedly: one successful probe is no promise for hundreds of visits.
import type { Resource, Site, VisitUpload } from '@pronghorn/core/schemas';
import { type Protocol, protocols } from '@pronghorn/core/vocabulary';
import { hostWithPort } from '../derive/document.ts';

/** Two failures in ten visits are no accident: with thirty such hosts, a page would lose an object in almost every visit. */
const [minFailures, visitsLookedAt] = [2, 10];
/** Errors of the network or the host, not requests that the page or a policy stopped. */
const failures = /ERR_(QUIC|CONNECTION|TIMED_OUT|NETWORK_CHANGED|SSL|EMPTY_RESPONSE)/;

/** Counts failed hosts over the last visits, by site and protocol. */
export class FailingHosts {
  readonly #failedOf = new Map<string, ReadonlySet<string>[]>();

  /** @param forced host:port of what visits over HTTP/3 are forced to */
  note(
    { id, url }: Pick<Site, 'id' | 'url'>,
    { resources, finalUrl, protocol }: Pick<VisitUpload, 'resources' | 'finalUrl' | 'protocol'>,
    forced: readonly string[],
  ): void {
    // Nothing was loaded: no host is to blame.
    if (resources.length === 0) return;
    // A failure of the page's own host is the visit's result.
    const own = new Set([url, ...(finalUrl === null ? [] : [finalUrl])].map(hostWithPort));
    const failed = new Set(resources.filter(hasFailed).map((resource) => hostWithPort(resource.url)));
    const those = new Set(forced.filter((host) => failed.has(host) && !own.has(host)));
    const key = keyOf(id, protocol);
    this.#failedOf.set(key, [...(this.#failedOf.get(key) ?? []), those].slice(-visitsLookedAt));
  }

  /** host:port of those that failed in two or more of the last ten visits of a site over HTTP/3, and in more of them than over HTTP/2. */
  of(siteId: string): string[] {
    const visits = this.#failedOf.get(keyOf(siteId, 'h3')) ?? [];
    const overH2 = this.#failedOf.get(keyOf(siteId, 'h2')) ?? [];
    const hosts = new Set(visits.flatMap((failed) => [...failed]));
    const timesIn = (all: readonly ReadonlySet<string>[], host: string) => all.filter((failed) => failed.has(host)).length;
    return [...hosts].filter((host) => timesIn(visits, host) >= Math.max(minFailures, timesIn(overH2, host) + 1)).sort();
  }

  forget(siteId: string): void {
    for (const protocol of protocols) this.#failedOf.delete(keyOf(siteId, protocol));
  }
}

const keyOf = (siteId: string, protocol: Protocol): string => `${siteId} ${protocol}`;

const hasFailed = ({ failure, url }: Resource): boolean => failure !== null && failures.test(failure) && url.startsWith('https:');
