// Networks in CIDR notation: what an operator writes, and what the machine's routes hold.
import { isIP } from 'node:net';
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
  const family = isIP(address);
  // isIP is strict; other parsers read 010.1 or 0x0a as addresses, which no two programs understand alike.
  if (family === 0 || address.includes('%') || more.length > 0)
    throw new Error(`“${text}” is not a network: expected an address and its bits, such as 10.1.0.0/16, fd12:3456::/32 or 192.168.1.20.`);
  const width = family === 4 ? 32 : 128;
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > width))
    throw new Error(`“${text}” is not a network: after the slash expected 0 to ${width} bits, found “${bits}”.`);
  const prefix = bits === undefined ? width : Number(bits);
  const first = firstAddress(address, prefix);
  if (first !== ipaddr.parse(address).toString())
    throw new Error(`“${text}” is not a network: it has bits set after its first ${prefix}. Did you mean ${first}/${prefix}?`);
  return { family: family === 4 ? 4 : 6, address: first, prefix };
}

/**
 * Reads a network that an operator opens to visits.
 *
 * @throws Error when it is not a network, or one that can't be opened
 */
export function parseAllowedNetwork(text: string): Network {
  const network = parseNetwork(text);
  for (const [closed, why] of neverOpened) if (overlaps(network, parseNetwork(closed)) && network.prefix > 0) throw new Error(why(text));
  return network;
}

const neverOpened: [string, (text: string) => string][] = ['127.0.0.0/8', '::1/128'].map((loopback) => [
  loopback,
  (text) =>
    `Loopback (“${text}”) can't be opened: inside a visit it is the visit's own. Let the server listen on an address of the machine and allow that one by itself.`,
]);

/** As nftables and people write it. */
export function networkText({ address, prefix }: Network): string {
  return `${address}/${prefix}`;
}

/** Whether one of the two contains the other. */
export function overlaps(a: Network, b: Network): boolean {
  if (a.family !== b.family) return false;
  const prefix = Math.min(a.prefix, b.prefix);
  return firstAddress(a.address, prefix) === firstAddress(b.address, prefix);
}

/** Whether it is one address. */
export function isSingle({ family, prefix }: Network): boolean {
  return prefix === (family === 4 ? 32 : 128);
}

function firstAddress(address: string, prefix: number): string {
  const bytes = ipaddr.parse(address).toByteArray();
  return ipaddr.fromByteArray(bytes.map((byte, index) => byte & (0xff << Math.max(0, Math.min(8, 8 * (index + 1) - prefix))))).toString();
}
