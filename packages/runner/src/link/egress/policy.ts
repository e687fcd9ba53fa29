// Decides what a visit may reach: the rules of the router's namespace, and what they refused.
// The router refuses at once rather than dropping silently: a page that asks for a private address fails there as fast as on a machine that
// has nothing at it, and doesn't hang until its timeout. Every refusal is counted by its reason.
import {
  metadata4,
  metadata6,
  type Network,
  networksOverlap,
  networkText,
  parseNetwork,
  type SpecialRanges,
  special4,
  special6,
  specialKinds,
} from '@pronghorn/core/network';
import { linkDevice, originDevice, originNetwork, prefixLengths, routerEnd } from '../net/addresses.ts';
import type { Namespace } from '../net/namespace.ts';
import { probePorts } from '../probe/ports.ts';

/** Why a packet of a visit was refused: the kind of its destination, or its route. */
const refusalReasons = [...specialKinds, 'origin-port', 'router', 'no-uplink'] as const;
type RefusalReason = (typeof refusalReasons)[number];

/** The router's device on the machine's side. */
export const uplinkDevice = 'uplink0';

/** Where the link's probe listens in the router while the link is measured; nothing listens there during a visit. */
const fromProbe = `${probePorts.first}-${probePorts.last}`;

interface RouterPolicy {
  /** Opened by the operator, though not public. */
  allow: readonly Network[];
  /** Ports of the demo origin, TCP and UDP; empty without an origin. */
  originPorts: readonly number[];
  /** Address of the resolver; null when visits reach only the demo origin: then there is no route to the outside at all. */
  resolver: ResolverAddress | null;
}

/** Where the resolver listens, in the machine's namespace. */
export interface ResolverAddress {
  v4: string;
  v6: string | null;
  port: number;
}

/** The whole table, for `nft -f -` in the router's namespace. Loading it again replaces it. */
export function routerRules({ allow, originPorts, resolver }: RouterPolicy): string {
  const rules = `
table inet pronghorn
delete table inet pronghorn
table inet pronghorn {
${refusalReasons.map((reason) => `  counter ${counterName(reason)} { }`).join('\n')}
  set refused4 { type ipv4_addr . inet_proto . inet_service; flags dynamic; size 1024; }
  set refused6 { type ipv6_addr . inet_proto . inet_service; flags dynamic; size 1024; }
${networkSet('allowed4', 'ipv4_addr', allow, 4)}
${networkSet('allowed6', 'ipv6_addr', allow, 6)}

${refusalReasons.map((reason) => `  chain ${chainName(reason)} { counter name ${counterName(reason)} goto refuse; }`).join('\n')}
  chain refuse {
    meta nfproto ipv4 meta l4proto { tcp, udp } add @refused4 { ip daddr . meta l4proto . th dport }
    meta nfproto ipv6 meta l4proto { tcp, udp } add @refused6 { ip6 daddr . meta l4proto . th dport }
    # A reset, because the kernel sends few ICMP errors a second and the rest of a page's attempts would hang.
    meta l4proto tcp reject with tcp reset
    reject with icmpx admin-prohibited
  }

  chain forward {
    type filter hook forward priority filter; policy drop;
    ct state established,related accept
    ct state invalid drop
    # Only the visit begins anything.
    iifname != "${linkDevice}" drop
    ${originRules(originPorts)}
    oifname != "${uplinkDevice}" goto ${chainName('no-uplink')}
    ${resolver === null ? '' : resolverRules(resolver)}
    ip daddr @allowed4 accept
    ip6 daddr @allowed6 accept
    ip daddr vmap ${verdicts(metadata4)}
    ip6 daddr vmap ${verdicts(metadata6)}
    ip daddr vmap ${verdicts(special4)}
    ip6 daddr vmap ${verdicts(special6)}
    ip6 daddr != 2000::/3 goto ${chainName('special')}
    accept
  }

  # The uplink's device carries what the machine's way to the world does: no more is announced through it (uplink-rules.ts says why).
  chain segments {
    type filter hook forward priority mangle; policy accept;
    iifname "${uplinkDevice}" tcp flags syn tcp option maxseg size set rt mtu
    oifname "${uplinkDevice}" tcp flags syn tcp option maxseg size set rt mtu
  }

  chain input {
    type filter hook input priority filter; policy drop;
    ct state established,related accept
    iifname "lo" accept
    icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
    iifname != "${linkDevice}" drop
    icmp type echo-request accept
    icmpv6 type echo-request accept
    meta l4proto { tcp, udp } th dport ${fromProbe} accept
    goto ${chainName('router')}
  }

  chain prerouting {
    type nat hook prerouting priority dstnat; policy accept;
    ${resolver === null ? '' : redirectRules(resolver)}
  }

  chain postrouting {
    type nat hook postrouting priority srcnat; policy accept;
    oifname "${uplinkDevice}" masquerade
  }
}
`;
  return rules.replace(/^\s*\n/gm, '');
}

/** A router's refusals since they were last read. */
export interface Refusals {
  /** By reason; only reasons that occurred. TCP's repeated attempts count each. */
  packets: Partial<Record<RefusalReason, number>>;
  /** Refused destinations, up to 1,024 of each family. */
  destinations: { address: string; transport: 'tcp' | 'udp'; port: number }[];
}

export async function takeRefusals(router: Namespace): Promise<Refusals> {
  const listing = JSON.parse(await router.run(['nft', '-j', 'list', 'table', 'inet', 'pronghorn']));
  await router.run(
    ['nft', '-f', '-'],
    'reset counters table inet pronghorn\nflush set inet pronghorn refused4\nflush set inet pronghorn refused6\n',
  );
  return readRefusals(listing.nftables);
}

export function readRefusals(listing: NftObject[]): Refusals {
  const refusals: Refusals = { packets: {}, destinations: [] };
  for (const { counter, set } of listing) {
    const reason = refusalReasons.find((one) => counterName(one) === counter?.name);
    if (counter !== undefined && reason !== undefined && counter.packets > 0) refusals.packets[reason] = counter.packets;
    if (set === undefined || !/^refused[46]$/.test(set.name)) continue;
    for (const element of set.elem ?? []) {
      const [address, transport, port] = ('elem' in element ? element.elem.val : element).concat;
      refusals.destinations.push({ address, transport: transports[transport], port });
    }
  }
  return refusals;
}

/** By number where the system has no /etc/protocols, as small ones haven't. */
const transports = { tcp: 'tcp', udp: 'udp', 6: 'tcp', 17: 'udp' } as const;

type NftConcat = { concat: [address: string, transport: keyof typeof transports, port: number] };
interface NftObject {
  counter?: { name: string; packets: number };
  set?: { name: string; elem?: (NftConcat | { elem: { val: NftConcat } })[] };
}

const counterName = (reason: RefusalReason) => reason.replaceAll('-', '_');
const chainName = (reason: RefusalReason) => `refuse_${counterName(reason)}`;

function verdicts(ranges: SpecialRanges): string {
  return `{ ${ranges.map(([network, reason]) => `${network} : goto ${chainName(reason)}`).join(', ')} }`;
}

function networkSet(name: string, type: string, networks: readonly Network[], family: 4 | 6): string {
  const elements = networks.filter((network) => network.family === family).map(networkText);
  return `  set ${name} { type ${type}; flags interval; auto-merge; ${elements.length === 0 ? '' : `elements = { ${elements.join(', ')} };`} }`;
}

function originRules(ports: readonly number[]): string {
  if (ports.length === 0) return '';
  const allowed = `meta l4proto { tcp, udp } th dport { ${ports.join(', ')} } accept`;
  return `
    oifname "${originDevice}" ip daddr ${originNetwork.addressPrefix}0/${prefixLengths.v4} ${allowed}
    oifname "${originDevice}" ip6 daddr ${originNetwork.addressPrefix6}/${prefixLengths.v6} ${allowed}
    oifname "${originDevice}" goto ${chainName('origin-port')}`;
}

function resolverRules({ v4, v6, port }: ResolverAddress): string {
  const toPort = `meta l4proto { tcp, udp } th dport ${port} accept`;
  return `ip daddr ${v4} ${toPort}\n${v6 === null ? '' : `    ip6 daddr ${v6} ${toPort}`}`;
}

function redirectRules({ v4, v6, port }: ResolverAddress): string {
  const from = (daddr: string) => `iifname "${linkDevice}" ${daddr} meta l4proto { tcp, udp } th dport 53`;
  return `${from(`ip daddr ${routerEnd.v4}`)} dnat ip to ${v4}:${port}
${v6 === null ? '' : `    ${from(`ip6 daddr ${routerEnd.v6}`)} dnat ip6 to [${v6}]:${port}`}`;
}

/**
 * Reads a network that an operator opens to visits.
 *
 * @throws Error when it is not a network, or one that can't be opened
 */
export function parseAllowedNetwork(text: string): Network {
  const network = parseNetwork(text);
  for (const [closed, why] of neverOpened)
    if (networksOverlap(network, parseNetwork(closed)) && network.prefix > 0) throw new Error(why(text));
  return network;
}

const neverOpened: [string, (text: string) => string][] = ['127.0.0.0/8', '::1/128'].map((loopback) => [
  loopback,
  (text) =>
    `Loopback (“${text}”) can't be opened: inside a visit it is the visit's own. Let the server listen on an address of the machine, and allow that address.`,
]);
