import ipaddr from 'ipaddr.js';
import { addressFamily, networkBounds, parseNetwork } from './network.ts';
import { metadata4, metadata6, type SpecialKind, type SpecialRanges, special4, special6 } from './special-ranges.ts';

/**
 * What an address is that is not public; null for one of the public internet. Judged as the link's rules judge a packet: metadata
 * services first, then the registries' ranges, and outside of 2000::/3 nothing of IPv6 is public.
 *
 * @param address strictly written: 10.0.0.1, fd00::1
 * @throws RangeError for what is no address
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
  // ::1 lies in ::/96, whose packets the link takes for IPv4 in disguise; here it has the name that people know.
  6: { bounds: kindsOf([['::1', 'loopback'], ...metadata6, ...special6]), globalUnicast: boundsOf('2000::/3') },
} as const;

function kindsOf(ranges: SpecialRanges): (Bounds & { kind: SpecialKind })[] {
  return ranges.map(([network, kind]) => ({ ...boundsOf(network), kind }));
}

function boundsOf(network: string): Bounds {
  const [first, last] = rangeBounds(network);
  return { first: addressNumber(first), last: addressNumber(last) };
}

/** The first and the last address of what is written as in the special ranges: a network, or the two with a hyphen. */
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
