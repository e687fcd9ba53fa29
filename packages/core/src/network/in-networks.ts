import ipaddr from 'ipaddr.js';
import { addressFamily, parseNetwork } from './network.ts';

/**
 * Whether an address lies in one of some networks.
 *
 * @param address IPv4 or IPv6, with or without port: `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1`, `[2001:db8::1]:443`. Anything
 *   else is in none.
 * @param networks in CIDR notation.
 * @throws Error on a network that is written otherwise.
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

/** A campaign asks for the same few hundred networks with each of its hosts. */
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

/** As a browser tells of the other end of a connection. */
function withoutPort(address: string): string {
  const [, v6, v4] = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(address) ?? [];
  return v6 ?? v4 ?? address;
}
