// The rules of one uplink in the machine's namespace: a table of its own beside whatever firewall is there, which stays untouched.
import { readlinkSync } from 'node:fs';
import { isSingleAddress, type Network, networksOverlap, parseNetwork } from '@pronghorn/core/network';
import { processIdentity } from '../../machine/processes.ts';

/** Where an uplink's resolver listens. Above 1023, so that it needs no privileges; not 53, which the machine's own may hold everywhere. */
export const resolverPort = 47_053;

/** A destination of documentation (RFC 5737): packets to it test the machine's firewall and end in our own rules. */
export const trial = { address: '203.0.113.1', port: 9 } as const;

/** The whole table, for `nft -f -` in the machine's namespace. */
export function machineRules(table: string, { device, v4, v6 }: Subnet, allow: readonly Network[]): string {
  const own = (family: 4 | 6) =>
    allow.filter((network) => network.family === family && isSingleAddress(network)).map(({ address }) => address);
  const ownRule = (keyword: string, addresses: readonly string[]) =>
    addresses.length === 0 ? '' : `    ct original ${keyword} daddr { ${addresses.join(', ')} } accept\n`;
  return `
table inet ${table} {
  counter entered { }
  counter passed { }

  # Nothing on the machine can be reached from a visit, through whichever of its addresses, but the resolver;
  # and an address of its own that the operator named by itself: a whole allowed network does not open the machine.
  chain from_visit {
${ownRule('ip', own(4))}${ownRule('ip6', own(6))}    ct state established,related accept
    icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
    ip saddr ${v4.router} ip daddr ${v4.machine} meta l4proto { tcp, udp } th dport ${resolverPort} accept
    ip6 saddr ${v6.router} ip6 daddr ${v6.machine} meta l4proto { tcp, udp } th dport ${resolverPort} accept
    meta l4proto tcp reject with tcp reset
    reject with icmpx admin-prohibited
  }
  chain input {
    type filter hook input priority filter - 5; policy accept;
    iifname "${device}" jump from_visit
  }

  chain through {
    oifname "${devicePrefix}*" goto refuse
    ip saddr != ${v4.router} goto refuse
    ip6 saddr != ${v6.router} goto refuse
${ownRule('ip', own(4))}${ownRule('ip6', own(6))}    # The machine's own rules sent it elsewhere: a container's published port, a proxy, a cluster's service.
    ct status dnat goto refuse
  }
  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmpx admin-prohibited
  }
  chain forward {
    type filter hook forward priority filter - 5; policy accept;
    iifname "${device}" ip daddr ${trial.address} udp dport ${trial.port} counter name entered
    iifname "${device}" ct state established,related accept
    iifname "${device}" jump through
    oifname "${device}" ct state != { established, related } drop
  }
  # TCP announces what its own device carries, here 1,500 bytes whatever lies beyond. Without this a server's full packets would need an
  # ICMP error to come back through the internet, and TCP would stand still where it does not: QUIC, with its smaller packets, would not.
  # Of both directions, so that the visit's own packets fit as well; the smaller of the routes there and back counts.
  chain segments {
    type filter hook forward priority mangle; policy accept;
    iifname "${device}" tcp flags syn tcp option maxseg size set rt mtu
    oifname "${device}" tcp flags syn tcp option maxseg size set rt mtu
  }
  chain passing {
    type filter hook postrouting priority srcnat - 1; policy accept;
    ip saddr ${v4.router} ip daddr ${trial.address} udp dport ${trial.port} counter name passed drop
  }

  chain postrouting {
    type nat hook postrouting priority srcnat; policy accept;
    oifname "${devicePrefix}*" accept
    ip saddr ${v4.network} masquerade
    ip6 saddr ${v6.network} masquerade
  }
}
`;
}

/** Names an uplink's table after its owner, so that the next runner recognises one that was left behind. */
export function tableName(device: string): string {
  return `${devicePrefix}_${pidNamespace()}_${processIdentity(process.pid)?.replace('-', '_')}_${device}`;
}

/** The owner of the table of that name; undefined if it is not one of ours. */
export function ownerOf(table: string): { device: string; alive: boolean | undefined } | undefined {
  const [, namespace, pid, start, device] = new RegExp(`^${devicePrefix}_(\\d+)_(\\d+)_(\\d+)_(${devicePrefix}\\d+)$`).exec(table) ?? [];
  if (device === undefined) return undefined;
  // A container that shares the machine's network has pids of its own, which can't be looked up from here.
  return { device, alive: namespace === pidNamespace() ? processIdentity(Number(pid)) === `${pid}-${start}` : undefined };
}

function pidNamespace(): string {
  return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
}

/** The addresses of an uplink: the machine's end and the router's. */
export interface Subnet {
  /** Names the device in the machine's namespace, so no two uplinks there can have the same subnet. */
  device: string;
  v4: { machine: string; router: string; network: string };
  v6: { machine: string; router: string; network: string };
}

/** Prefix of uplinks' devices on the machine's side. */
const devicePrefix = 'pronghorn';

/** Tried in this order: private, benchmarks (RFC 2544), carriers' (RFC 6598). Each holds /30 networks. */
const ranges: readonly (readonly [second: number, first: number, count: number])[] = [
  [10, 115, 8_192],
  [198, 18, 16_384],
  [100, 127, 16_384],
];

/**
 * A subnet that no route of the machine leads to. A route for all of 10.0.0.0/8, as VPNs set it, counts: then the next range is used.
 *
 * @param startAt where the search begins, so that runners that start together rarely choose the same
 * @throws Error when all are taken
 */
export function freeSubnet(routed: readonly Network[], startAt: number): Subnet {
  for (const [range, [, , count]] of ranges.entries()) {
    for (let step = 0; step < count; step += 1) {
      const subnet = subnetAt(range, (startAt + step) % count);
      const own = parseNetwork(subnet.v4.network);
      if (!routed.some((network) => network.prefix > 0 && networksOverlap(network, own))) return subnet;
    }
  }
  throw new Error('The machine has routes into all networks that an uplink could use: 10.115.128.0/17, 198.18.0.0/16 and 100.127.0.0/16.');
}

function subnetAt(range: number, index: number): Subnet {
  const [first, second] = ranges[range] as readonly [number, number, number];
  // 10.115.0.0/17 holds the link's own addresses.
  const start = (range === 0 ? 32_768 : 0) + index * 4;
  const address = (offset: number) => `${first}.${second}.${(start + offset) >> 8}.${(start + offset) & 255}`;
  const prefix6 = `fd70:7068:${(0xfff0 + range).toString(16)}:${index.toString(16)}`;
  return {
    device: `${devicePrefix}${range}${index}`,
    v4: { machine: address(1), router: address(2), network: `${address(0)}/30` },
    v6: { machine: `${prefix6}::1`, router: `${prefix6}::2`, network: `${prefix6}::/64` },
  };
}
