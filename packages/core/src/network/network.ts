// Networks in CIDR notation, as operators and routes write them.
import ipaddr from 'ipaddr.js';

export interface Network {
  family: 4 | 6;
  /** The first address, in its shortest form. */
  address: string;
  /** Bits. */
  prefix: number;
}

/**
 * Reads `10.1.0.0/16`, `fd12:3456::/32` or a single address.
 *
 * @throws Error that says what is wrong with the text
 */
export function parseNetwork(text: string): Network {
  const [address = '', bits, ...more] = text.trim().split('/');
  const family = addressFamily(address);
  if (family === null || more.length > 0)
    throw new Error(`“${text}” is not a network: expected an address and its bits, such as 10.1.0.0/16, fd12:3456::/32 or 192.168.1.20.`);
  const width = family === 4 ? 32 : 128;
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > width))
    throw new Error(`“${text}” is not a network: after the slash expected 0 to ${width} bits, found “${bits}”.`);
  const prefix = bits === undefined ? width : Number(bits);
  const first = firstAddress(address, prefix);
  if (first !== ipaddr.parse(address).toString())
    throw new Error(`“${text}” is not a network: it has bits set after its first ${prefix}. Did you mean ${first}/${prefix}?`);
  return { family, address: first, prefix };
}

/**
 * Strict: other parsers accept 010.1 or 0x0a as addresses too, and no two programs agree on them.
 *
 * @returns null for anything other than an address, and for an address with a zone
 */
export function addressFamily(text: string): 4 | 6 | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return 4;
  const [dotted] = /[\d.]*\.[\d.]*$/.exec(text) ?? [];
  if (text.includes('%') || !ipaddr.IPv6.isValid(text) || (dotted !== undefined && !ipaddr.IPv4.isValidFourPartDecimal(dotted)))
    return null;
  return 6;
}

/** In the notation of nftables and people. */
export function networkText({ address, prefix }: Network): string {
  return `${address}/${prefix}`;
}

/** Whether one of the two contains the other. */
export function networksOverlap(a: Network, b: Network): boolean {
  if (a.family !== b.family) return false;
  const prefix = Math.min(a.prefix, b.prefix);
  return firstAddress(a.address, prefix) === firstAddress(b.address, prefix);
}

/** Whether a network is a single address. */
export function isSingleAddress({ family, prefix }: Network): boolean {
  return prefix === (family === 4 ? 32 : 128);
}

/** The first and the last address of a network. */
export function networkBounds({ address, prefix }: Network): [first: string, last: string] {
  const bytes = ipaddr.parse(address).toByteArray();
  return [address, ipaddr.fromByteArray(bytes.map((byte, index) => byte | (0xff >> bitsBefore(prefix, index)))).toString()];
}

/** The bytes of an address in network order, as hexadecimal digits: 8 or 32. */
export function addressDigits(address: string): string {
  return ipaddr
    .parse(address)
    .toByteArray()
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

function firstAddress(address: string, prefix: number): string {
  const bytes = ipaddr.parse(address).toByteArray();
  return ipaddr.fromByteArray(bytes.map((byte, index) => byte & ~(0xff >> bitsBefore(prefix, index)))).toString();
}

/** The number of bits of the byte at this index that belong to the network. */
const bitsBefore = (prefix: number, index: number) => Math.max(0, Math.min(8, prefix - 8 * index));

/** The address in an address and port as Chrome writes them: `192.0.2.1:443` and `[2001:db8::1]:443`. */
export function addressWithoutPort(address: string): string {
  return address.replace(/:\d*$/, '').replace(/^\[|\]$/g, '');
}

/**
 * Whether an address lies in one of several networks.
 *
 * @param address IPv4 or IPv6, with or without port: `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1`, `[2001:db8::1]:443`. Any other text is in
 *   none.
 * @param networks in CIDR notation.
 * @throws Error on a network in another notation.
 */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  const bare = withoutPort(address);
  const family = addressFamily(bare);
  if (family === null) return false;
  const bytes = ipaddr.parse(bare).toByteArray();
  return networks.some((text) => {
    const network = known(text);
    return network.family === family && startsAlike(bytes, network);
  });
}

interface Bits {
  family: 4 | 6;
  bytes: readonly number[];
  prefix: number;
}

/** A campaign checks each of its hosts against the same few hundred networks. */
const parsed = new Map<string, Bits>();

function known(text: string): Bits {
  let network = parsed.get(text);
  if (network === undefined) {
    const { family, address, prefix } = parseNetwork(text);
    network = { family, prefix, bytes: ipaddr.parse(address).toByteArray() };
    parsed.set(text, network);
  }
  return network;
}

function startsAlike(address: readonly number[], { bytes, prefix }: Bits): boolean {
  for (let index = 0, left = prefix; left > 0; index += 1, left -= 8) {
    const unlike = (address[index] ?? 0) ^ (bytes[index] ?? 0);
    if (unlike >> Math.max(0, 8 - left) !== 0) return false;
  }
  return true;
}

/** The address in a browser's notation of the other end of a connection. */
function withoutPort(address: string): string {
  const [, v6, v4] = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(address) ?? [];
  return v6 ?? v4 ?? address;
}
