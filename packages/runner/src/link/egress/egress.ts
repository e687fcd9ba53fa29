// What visits of a link may reach, and their way there.
import type { Path } from '../path.ts';
import { parseAllowedNetwork } from './allowed-network.ts';
import { Ipv6Judge, type Ipv6State } from './ipv6.ts';
import { forwardV6, type UplinkMtu } from './machine.ts';
import { type Refusals, routerRules, takeRefusals } from './policy.ts';
import { type HostAddresses, type Resolver, redirectDns, resolverLacks, routeDns, startResolver } from './resolver.ts';
import { Rounds } from './rounds.ts';
import { openUplink, sweepUplinks } from './uplink.ts';

export interface EgressOptions {
  /** Networks that visits may reach although they are not public, such as 10.1.0.0/16. */
  allowNet: readonly string[];
  /** Of the demo origin, TCP and UDP; empty when there is none. */
  originPorts: readonly number[];
  /** Whether visits go to the world. Without, they reach the demo origin alone, and the machine's own network is not touched. */
  outside: boolean;
  /** Whether the machine has a way there over IPv6 too, as `outsideV6()` says; it is offered to visits once a host answered over it. */
  v6: boolean;
  /** Addresses of names that hold for all rounds. */
  hosts?: HostAddresses | undefined;
}

export interface Egress {
  /** Of IPv6, as it was found for the round that runs. */
  readonly ipv6: Ipv6State;
  /**
   * Makes ready for the visits of a round: each gets the same addresses, already known here, and reaches a host over the same family.
   *
   * @param urls of the hosts that visits will ask for, as far as they are known
   * @returns what the operator should know
   */
  beginRound(urls: Iterable<string>): Promise<string[]>;
  /** Of the way to the world; null where visits have none. */
  readonly uplinkMtu: UplinkMtu | null;
  /** What was refused since the last call: before a visit to begin, after it for its record. */
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

/** Of the router; where /proc/sys is read-only the policy holds without. */
const wishes = [
  // The kernel's one ICMP error a second would be too few for a page that asks for many addresses over UDP.
  ['net.ipv4.icmp_ratelimit', '0'],
  ['net.ipv6.icmp.ratelimit', '0'],
  // A condition that reorders packets must not make them invalid, or the router would lose what the condition only delays.
  ['net.netfilter.nf_conntrack_tcp_be_liberal', '1'],
] as const;

/**
 * Whether visits can reach the world over IPv6; turns the machine's forwarding on where that is harmless.
 *
 * @returns true, or in words why not
 */
export async function outsideV6(): Promise<true | string> {
  return (await forwardV6()) ?? true;
}

/** Removes what ended runners left in this namespace. */
export async function sweepEgress(): Promise<void> {
  await sweepUplinks();
}
