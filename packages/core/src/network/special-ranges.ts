// Ranges outside the public internet, and their kinds: neither visits nor the service itself go there unless they are opened.
// IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890 and its updates), multicast, and clouds' metadata services.
import ipaddr from 'ipaddr.js';
import { addressFamily, networkBounds, parseNetwork } from './network.ts';

/** The kinds of addresses that are not public. */
export const specialKinds = ['metadata', 'private', 'loopback', 'link-local', 'shared', 'multicast', 'embedded-ipv4', 'special'] as const;
export type SpecialKind = (typeof specialKinds)[number];

/** Disjoint networks with their kinds. In nftables' notation: `10.0.0.0/8`, `192.0.0.192`, `2001:1::-2001:1ff::`. */
export type SpecialRanges = readonly (readonly [network: string, kind: SpecialKind])[];

/** Checked first: some lie in a range below, one in public space. They give out the machine's credentials. */
export const metadata4: SpecialRanges = [
  ['169.254.169.254', 'metadata'], // AWS, Google, Azure, DigitalOcean, Hetzner, …
  ['169.254.169.253', 'metadata'], // AWS: resolver
  ['169.254.170.0/24', 'metadata'], // AWS: credentials of ECS tasks and EKS pods
  ['169.254.0.23', 'metadata'], // Tencent
  ['100.100.100.200', 'metadata'], // Alibaba
  ['168.63.129.16', 'metadata'], // Azure's host, public to look at
  ['192.0.0.192', 'metadata'], // Oracle
];

export const metadata6: SpecialRanges = [
  ['fd00:ec2::/32', 'metadata'], // AWS: metadata (::254), resolver, pod credentials
  ['fd20:ce::254', 'metadata'], // Google
  ['fd00:c1::a9fe:a9fe', 'metadata'], // Oracle
  ['fe80::a9fe:a9fe', 'metadata'], // OpenStack
];

export const special4: SpecialRanges = [
  ['0.0.0.0/8', 'special'], // this network, RFC 791; Linux takes 0.0.0.0 for itself
  ['10.0.0.0/8', 'private'], // RFC 1918
  ['100.64.0.0/10', 'shared'], // carriers' NAT, RFC 6598; overlay networks
  ['127.0.0.0/8', 'loopback'], // RFC 1122
  ['169.254.0.0/16', 'link-local'], // RFC 3927
  ['172.16.0.0/12', 'private'], // RFC 1918
  ['192.0.0.0/24', 'special'], // IETF protocol assignments, RFC 6890
  ['192.0.2.0/24', 'special'], // documentation, RFC 5737
  ['192.31.196.0/24', 'special'], // AS112, RFC 7535
  ['192.52.193.0/24', 'special'], // AMT, RFC 7450
  ['192.88.99.0/24', 'special'], // 6to4 relays, RFC 7526
  ['192.168.0.0/16', 'private'], // RFC 1918
  ['192.175.48.0/24', 'special'], // AS112, RFC 7534
  ['198.18.0.0/15', 'special'], // benchmarks, RFC 2544
  ['198.51.100.0/24', 'special'], // documentation, RFC 5737
  ['203.0.113.0/24', 'special'], // documentation, RFC 5737
  ['224.0.0.0/4', 'multicast'], // RFC 5771
  ['240.0.0.0/4', 'special'], // reserved, RFC 1112; 255.255.255.255 is everybody on the link
];

/** Outside of 2000::/3 nothing is public (RFC 4291): these entries only name kinds, everything else there is special. */
export const special6: SpecialRanges = [
  // ::/96 holds unspecified, loopback and IPv4-compatible addresses (RFC 4291): no packet of ::1 leaves its host.
  ['::/96', 'embedded-ipv4'],
  ['::ffff:0:0/96', 'embedded-ipv4'], // IPv4-mapped, RFC 4291
  ['::ffff:0:0:0/96', 'embedded-ipv4'], // IPv4-translated, RFC 2765
  ['64:ff9b::/96', 'embedded-ipv4'], // NAT64, RFC 6052: may hold a private IPv4 address
  ['64:ff9b:1::/48', 'embedded-ipv4'], // local NAT64, RFC 8215
  ['100::/64', 'special'], // discard, RFC 6666
  ['2001::/32', 'embedded-ipv4'], // Teredo, RFC 4380
  ['2001:1::-2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', 'special'], // rest of 2001::/23, IETF protocol assignments, RFC 2928
  ['2001:db8::/32', 'special'], // documentation, RFC 3849
  ['2002::/16', 'embedded-ipv4'], // 6to4, RFC 3056
  ['2620:4f:8000::/48', 'special'], // AS112, RFC 7534
  ['3fff::/20', 'special'], // documentation, RFC 9637
  ['5f00::/16', 'special'], // segment routing, RFC 9602
  ['fc00::/7', 'private'], // unique local, RFC 4193
  ['fe80::/10', 'link-local'], // RFC 4291
  ['fec0::/10', 'private'], // site-local, RFC 3879
  ['ff00::/8', 'multicast'], // RFC 4291
];

/**
 * The kind of an address that is not public; null for one on the public internet. Judged as the link's rules judge a packet: metadata
 * services first, then the registries' ranges; outside of 2000::/3 no IPv6 address is public.
 *
 * @param address in strict notation: 10.0.0.1, fd00::1
 * @throws RangeError for anything other than an address
 */
export function specialKindOf(address: string): SpecialKind | null {
  const family = addressFamily(address);
  if (family === null) throw new RangeError(`“${address}” is no IP address.`);
  const number = addressNumber(address);
  const { bounds, globalUnicast } = byFamily[family];
  const kind = bounds.find(({ first, last }) => first <= number && number <= last)?.kind;
  return kind ?? (number < globalUnicast.first || number > globalUnicast.last ? 'special' : null);
}

interface Bounds {
  first: bigint;
  last: bigint;
}

const byFamily = {
  4: { bounds: kindsOf([...metadata4, ...special4]), globalUnicast: boundsOf('0.0.0.0/0') },
  // ::1 lies in ::/96, whose packets the link takes for IPv4 in disguise; here it has its usual name.
  6: { bounds: kindsOf([['::1', 'loopback'], ...metadata6, ...special6]), globalUnicast: boundsOf('2000::/3') },
} as const;

function kindsOf(ranges: SpecialRanges): (Bounds & { kind: SpecialKind })[] {
  return ranges.map(([network, kind]) => ({ ...boundsOf(network), kind }));
}

function boundsOf(network: string): Bounds {
  const [first, last] = rangeBounds(network);
  return { first: addressNumber(first), last: addressNumber(last) };
}

/** The first and the last address of an entry of the special ranges: a network, or two addresses with a hyphen. */
export function rangeBounds(range: string): [first: string, last: string] {
  const [first = '', last] = range.includes('-') ? range.split('-') : networkBounds(parseNetwork(range));
  return [first, last ?? first];
}

function addressNumber(address: string): bigint {
  return ipaddr
    .parse(address)
    .toByteArray()
    .reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
}
