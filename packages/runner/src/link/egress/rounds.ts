// Between rounds: the resolver asks anew, each host gets the family over which visits of the next round reach it, and IPv6 is offered where
// it leads somewhere.
import { isIP, isIPv6 } from 'node:net';
import { familyOf } from '../addresses.ts';
import type { Path } from '../path.ts';
import type { HostAnswer, Question, Reached } from './ask-process.ts';
import type { Ipv6Judge, Ipv6State } from './ipv6.ts';
import { askInside, type HostAddresses, type Resolver } from './resolver.ts';

/** URLs may have other hosts too; these are names that a nameserver can be asked for, of labels of at most 63 letters. */
const hostName = /^(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/;
/** A page of more hosts leaves the rest to its visits. */
const mostHosts = 1_000;

export class Rounds {
  readonly #path: Pick<Path, 'visit' | 'router' | 'offerV6'>;
  readonly #resolver: Resolver;
  readonly #ipv6: Ipv6Judge;
  /** Names that have an address of IPv4 in all rounds. */
  readonly #pinned: ReadonlySet<string>;
  #withheld: readonly string[] = [];

  constructor(path: Pick<Path, 'visit' | 'router' | 'offerV6'>, resolver: Resolver, ipv6: Ipv6Judge, pinned: HostAddresses) {
    this.#path = path;
    this.#resolver = resolver;
    this.#ipv6 = ipv6;
    this.#pinned = new Set(Object.keys(pinned).filter((name) => isIP(pinned[name] ?? '') === 4));
  }

  get ipv6(): Ipv6State {
    return this.#ipv6.state;
  }

  async begin(urls: Iterable<string>): Promise<string[]> {
    const { names, literals } = hostsOf(urls);
    const answers = [...(await this.#resolver.renew(names)), ...literals];
    const reach = (pairs: object) => askInside<Reached[]>(this.#path.router, 'reach', pairs);
    const { state, withheld, warnings } = await this.#ipv6.judge(answers, this.#pinned, reach, Date.now());
    await this.#path.offerV6(state === 'works');
    await this.#withhold(state === 'works' ? [...new Set(withheld)] : []);
    return warnings;
  }

  /** An address without a route is the last that Chrome takes (RFC 6724, rule 1), whichever protocol it is to speak. */
  async #withhold(addresses: readonly string[]): Promise<void> {
    const changes = [
      ...this.#withheld.filter((address) => !addresses.includes(address)).map((address) => ({ address, verb: 'delete' })),
      ...addresses.filter((address) => !this.#withheld.includes(address)).map((address) => ({ address, verb: 'replace' })),
    ];
    for (const [option, family] of [
      ['-4', 'v4'],
      ['-6', 'v6'],
    ] as const) {
      const lines = changes.filter(({ address }) => familyOf(address) === family);
      if (lines.length === 0) continue;
      const text = lines.map(({ address, verb }) => `route ${verb} unreachable ${address}/${family === 'v4' ? 32 : 128}\n`).join('');
      await this.#path.visit.run(['ip', option, '-batch', '-'], text);
    }
    this.#withheld = addresses;
  }
}

/** What of URLs is to be asked for, each once, and what of them is an address of IPv6 itself. */
export function hostsOf(urls: Iterable<string>): { names: Question['hosts'][number][]; literals: HostAnswer[] } {
  const names = new Map<string, Question['hosts'][number]>();
  const literals = new Map<string, HostAnswer>();
  for (const text of urls) {
    const url = URL.parse(text);
    if (url === null) continue;
    if (names.size + literals.size >= mostHosts) break;
    const port = Number(url.port || (url.protocol === 'http:' ? 80 : 443));
    const bare = url.hostname.replace(/^\[|\]$/g, '');
    if (isIPv6(bare)) literals.set(bare, { name: bare, port, v4: [], v6: [bare] });
    else if (isIP(bare) === 0 && hostName.test(bare)) names.set(bare, { name: bare, port });
  }
  return { names: [...names.values()], literals: [...literals.values()] };
}
