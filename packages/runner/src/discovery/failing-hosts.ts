// Which forced hosts fail again and again: one probe that was answered is no promise for each of hundreds of visits.
import type { Resource, Site, VisitUpload } from '@pronghorn/core';
import { hostWithPort } from '../derive/host-with-port.ts';

/** Two failures in ten visits are no accident of the network: of thirty such hosts a page would lose an object in almost every visit. */
const [fewest, visitsLookedAt] = [2, 10];
/** What the network or the host did; not what the page or a policy stopped. */
const failures = /ERR_(QUIC|CONNECTION|TIMED_OUT|NETWORK_CHANGED|SSL|EMPTY_RESPONSE)/;

/** Of the last visits over forced HTTP/3, site by site. */
export class FailingHosts {
  readonly #failedOf = new Map<string, ReadonlySet<string>[]>();

  /** @param forced host:port of what was forced in the visit */
  note(
    { id, url }: Pick<Site, 'id' | 'url'>,
    { resources, finalUrl }: Pick<VisitUpload, 'resources' | 'finalUrl'>,
    forced: readonly string[],
  ): void {
    // Nothing was loaded: that says nothing of any host.
    if (resources.length === 0) return;
    // Of the page's own host a failure is what the visit found.
    const own = new Set([url, ...(finalUrl === null ? [] : [finalUrl])].map(hostWithPort));
    const failed = new Set(resources.filter(hasFailed).map((resource) => hostWithPort(resource.url)));
    const those = new Set(forced.filter((host) => failed.has(host) && !own.has(host)));
    this.#failedOf.set(id, [...(this.#failedOf.get(id) ?? []), those].slice(-visitsLookedAt));
  }

  /** host:port of those that failed in two or more of the last ten visits of a site. */
  of(siteId: string): string[] {
    const visits = this.#failedOf.get(siteId) ?? [];
    const hosts = new Set(visits.flatMap((failed) => [...failed]));
    return [...hosts].filter((host) => visits.filter((failed) => failed.has(host)).length >= fewest).sort();
  }

  /** They are dealt with. */
  forget(siteId: string): void {
    this.#failedOf.delete(siteId);
  }
}

const hasFailed = ({ failure, url }: Resource): boolean => failure !== null && failures.test(failure) && url.startsWith('https:');
