// The rules of one uplink in the machine's namespace: a table of its own beside whatever firewall is there, which stays untouched.
import { readlinkSync } from 'node:fs';
import { isSingleAddress, type Network } from '@pronghorn/core/network';
import { processIdentity } from '../../machine/process-identity.ts';
import { devicePrefix, type Subnet } from './subnet.ts';

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

/** Names an uplink's table after its owner, so that the next runner can tell one that was left behind. */
export function tableName(device: string): string {
  return `${devicePrefix}_${pidNamespace()}_${processIdentity(process.pid)?.replace('-', '_')}_${device}`;
}

/** Who owns the table of that name; undefined when it is not one of ours. */
export function ownerOf(table: string): { device: string; alive: boolean | undefined } | undefined {
  const [, namespace, pid, start, device] = new RegExp(`^${devicePrefix}_(\\d+)_(\\d+)_(\\d+)_(${devicePrefix}\\d+)$`).exec(table) ?? [];
  if (device === undefined) return undefined;
  // A container that shares the machine's network has pids of its own, of which nothing can be said from here.
  return { device, alive: namespace === pidNamespace() ? processIdentity(Number(pid)) === `${pid}-${start}` : undefined };
}

function pidNamespace(): string {
  return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
}
