// Which addresses the hosts of pages had: each container has a resolver of its own, and the visits of a round should not go to different ones.
import { isIP } from 'node:net';
import type { HostAddresses } from '../link/egress/resolver.ts';

/** As long as a link's own resolver keeps an answer at least. */
const keepMs = 300_000;
/** Of the pages that were loaded last. */
const mostHosts = 500;
/** URLs may have other hosts too, with a comma for example; each of these is one word to any program. */
const hostName = /^(?!-)[a-z0-9_-]+(\.[a-z0-9_-]+)*$/;

export class KnownHosts {
  readonly #ignored: (name: string) => boolean;
  readonly #byName = new Map<string, { address: string | null; notedAt: number }>();

  /** @param ignored names that no nameserver is asked for */
  constructor(ignored: (name: string) => boolean = () => false) {
    this.#ignored = ignored;
  }

  /** @param seen what was loaded; the first address of a host is kept. @param now milliseconds */
  note(seen: Iterable<{ url: string; remoteAddress?: string | null | undefined }>, now: number): void {
    for (const { url, remoteAddress } of seen) {
      const name = URL.parse(url)?.hostname ?? '';
      if (!remoteAddress || !hostName.test(name) || isIP(name) !== 0 || this.#ignored(name)) continue;
      const address = remoteAddress.replace(/:\d*$/, '').replace(/^\[|\]$/g, '');
      if (isIP(address) === 0) continue;
      const known = this.#byName.get(name);
      // The last seen is the last of the map.
      this.#byName.delete(name);
      this.#byName.set(name, known?.address ? known : { address, notedAt: now });
    }
    for (const oldest of [...this.#byName.keys()].slice(0, -mostHosts)) this.#byName.delete(oldest);
  }

  /** Forgets addresses that are older than five minutes: between rounds, since those of one should have the same. */
  age(now: number): void {
    for (const known of this.#byName.values()) if (now - known.notedAt > keepMs) known.address = null;
  }

  /** Null: the name is known, its address no longer. */
  all(): HostAddresses {
    return Object.fromEntries([...this.#byName].map(([name, { address }]) => [name, address]));
  }
}
