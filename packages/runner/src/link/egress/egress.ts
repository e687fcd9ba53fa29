// Opens what visits of a link may reach, and the route there.
import { isIP, isIPv6 } from 'node:net';
import { familyOf } from '../net/addresses.ts';
import type { Path } from '../shapers/path.ts';
import type { HostAnswer, Question, Reached } from './ask-process.ts';
import { Ipv6Judge, type Ipv6State } from './ipv6.ts';
import type { UplinkMtu } from './machine-network.ts';
import { parseAllowedNetwork, type Refusals, routerRules, takeRefusals } from './policy.ts';
import { type HostAddresses, type Resolver, redirectDns, resolverLacks, routeDns, runInRouter, startResolver } from './resolver.ts';
import { openUplink } from './uplink.ts';

interface EgressOptions {
  /** Networks that visits may reach although they are not public, such as 10.1.0.0/16. */
  allowNet: readonly string[];
  /** Ports of the demo origin, TCP and UDP; empty without an origin. */
  originPorts: readonly number[];
  /** Lets visits reach the internet. Otherwise they reach only the demo origin, and the machine's own network is not touched. */
  outside: boolean;
  /** True if the machine reaches the internet over IPv6 too, as `outsideV6()` says; visits get IPv6 once a host has answered over it. */
  v6: boolean;
  /** Addresses of names that hold for all rounds. */
  hosts?: HostAddresses | undefined;
}

export interface Egress {
  readonly ipv6: Ipv6State;
  /**
   * Makes ready for the visits of a round: each gets the same addresses, already known here, and reaches a host over the same family.
   *
   * @param urls of the hosts that visits will ask for, as far as they are known
   * @returns what the operator should know
   */
  beginRound(urls: Iterable<string>): Promise<string[]>;
  /** MTU of the route to the internet; null where visits have none. */
  readonly uplinkMtu: UplinkMtu | null;
  /** Returns what was refused since the last call. Called before a visit to start over, and after it for its record. */
  takeRefusals(): Promise<Refusals>;
  /** Needed again whenever the shaper was renewed: the routes of DNS went with the visit's device. */
  restoreRoutes(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Puts the policy on a path's router, then opens the way to the outside: the router is closed until the last step.
 *
 * @throws Error that says what is wrong with a network, or what to do where the machine doesn't let visits out
 */
export async function openEgress(path: Pick<Path, 'visit' | 'router' | 'offerV6'>, options: EgressOptions): Promise<Egress> {
  const { visit, router } = path;
  const { allowNet, originPorts, outside, v6, hosts } = options;
  const allow = allowNet.map(parseAllowedNetwork);
  const load = (rules: string) => router.run(['nft', '-f', '-'], rules);
  await load(routerRules({ allow, originPorts, resolver: null }));
  await Promise.all(wishes.map(([name, value]) => router.sysctl(name, value)));
  if (!outside) {
    const closed = { uplinkMtu: null, ipv6: 'none' as const, restoreRoutes: async () => {}, close: async () => {} };
    return { ...closed, beginRound: async () => [], takeRefusals: () => takeRefusals(router) };
  }

  const uplink = await openUplink(router, { allow, outsideV6: v6 });
  let resolver: Resolver | undefined;
  const close = async () => {
    await resolver?.close();
    await uplink.close();
  };
  try {
    resolver = await startResolver(router, uplink, { hosts });
    await redirectDns(visit);
    await routeDns(visit);
    await load(routerRules({ allow, originPorts, resolver: resolver.address }));
    const rounds = new Rounds(path, resolver, new Ipv6Judge(v6 && uplink.hasV6, allow), hosts ?? {});
    const lacks = await resolverLacks();
    return {
      uplinkMtu: uplink.mtu,
      get ipv6() {
        return rounds.ipv6;
      },
      beginRound: async (urls) => [...lacks.splice(0), ...(await rounds.begin(urls))],
      takeRefusals: () => takeRefusals(router),
      restoreRoutes: () => routeDns(visit),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Parameters of the router; where /proc/sys is read-only the policy works without them. */
const wishes = [
  // The kernel's one ICMP error a second would be too few for a page that asks for many addresses over UDP.
  ['net.ipv4.icmp_ratelimit', '0'],
  ['net.ipv6.icmp.ratelimit', '0'],
  // A condition that reorders packets must not make them invalid, or the router would lose what the condition only delays.
  ['net.netfilter.nf_conntrack_tcp_be_liberal', '1'],
] as const;

// Between rounds: the resolver queries again, each host gets the family over which visits of the next round reach it, and IPv6 is offered where
// it leads somewhere.

/** URLs may have other hosts too; these are names that a nameserver can resolve, with labels of at most 63 letters. */
const hostName = /^(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/;
/** Visits resolve the rest of a page with more hosts. */
const maxHosts = 1_000;

class Rounds {
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
    const reach = (pairs: object) => runInRouter<Reached[]>(this.#path.router, 'reach', pairs);
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

/** The hosts of URLs, each once: names to resolve, and literal IPv6 addresses. */
export function hostsOf(urls: Iterable<string>): { names: Question['hosts'][number][]; literals: HostAnswer[] } {
  const names = new Map<string, Question['hosts'][number]>();
  const literals = new Map<string, HostAnswer>();
  for (const text of urls) {
    const url = URL.parse(text);
    if (url === null) continue;
    if (names.size + literals.size >= maxHosts) break;
    const port = Number(url.port || (url.protocol === 'http:' ? 80 : 443));
    const bare = url.hostname.replace(/^\[|\]$/g, '');
    if (isIPv6(bare)) literals.set(bare, { name: bare, port, v4: [], v6: [bare] });
    else if (isIP(bare) === 0 && hostName.test(bare)) names.set(bare, { name: bare, port });
  }
  return { names: [...names.values()], literals: [...literals.values()] };
}
