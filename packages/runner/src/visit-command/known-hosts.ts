// Which addresses the hosts of pages had: each container has a resolver of its own, and the visits of a round should not go to different ones.
import { isIP } from 'node:net';
import { addressWithoutPort } from '@pronghorn/core/network';
import type { HostAddresses } from '../link/egress/resolver.ts';

/** As long as a link's own resolver keeps an answer at least. */
const keepMs = 300_000;
/** Those that were loaded last. */
const mostPages = 200;
const mostHostsOfPage = 500;
/** URLs may have other hosts too, with a comma for example; each of these is one word to any program. */
const hostName = /^(?!-)[a-z0-9_-]+(\.[a-z0-9_-]+)*$/;

export class KnownHosts {
  readonly #ignored: (name: string) => boolean;
  /** Of each page; the last seen is the last of a map. */
  readonly #pages = new Map<string, Map<string, { address: string | null; notedAt: number }>>();

  /** @param ignored names that no nameserver is asked for */
  constructor(ignored: (name: string) => boolean = () => false) {
    this.#ignored = ignored;
  }

  /**
   * @param page its URL
   * @param seen what was loaded for it; the first address of a host is kept
   * @param now milliseconds
   */
  note(page: string, seen: Iterable<{ url: string; remoteAddress?: string | null | undefined }>, now: number): void {
    const hosts = this.#pages.get(page) ?? new Map<string, { address: string | null; notedAt: number }>();
    this.#pages.delete(page);
    this.#pages.set(page, hosts);
    for (const { url, remoteAddress } of seen) {
      const name = URL.parse(url)?.hostname ?? '';
      if (!remoteAddress || !hostName.test(name) || isIP(name) !== 0 || this.#ignored(name)) continue;
      const address = addressWithoutPort(remoteAddress);
      if (isIP(address) === 0) continue;
      const known = hosts.get(name);
      hosts.delete(name);
      hosts.set(name, known?.address ? known : { address, notedAt: now });
    }
    keepLast(hosts, mostHostsOfPage);
    keepLast(this.#pages, mostPages);
  }

  /** Forgets addresses that are older than five minutes: between rounds, since those of one should have the same. */
  age(now: number): void {
    for (const hosts of this.#pages.values()) for (const known of hosts.values()) if (now - known.notedAt > keepMs) known.address = null;
  }

  /** Null: the name is known, its address no longer. */
  of(page: string): HostAddresses {
    return Object.fromEntries([...(this.#pages.get(page) ?? [])].map(([name, { address }]) => [name, address]));
  }
}

function keepLast(map: Map<string, unknown>, most: number): void {
  for (const oldest of [...map.keys()].slice(0, -most)) map.delete(oldest);
}
