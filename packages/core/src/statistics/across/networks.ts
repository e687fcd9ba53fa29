/**
 * Whether an address lies in one of some networks.
 *
 * @param address IPv4 or IPv6, with or without port: `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1`, `[2001:db8::1]:443`. Anything
 *   else is in none.
 * @param networks in CIDR notation; of IPv6 with a prefix of at most 32 bits, which is what providers have.
 * @throws RangeError on a network that is written otherwise.
 */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  const place = leadingBits(address);
  return place !== null && networks.some((network) => contains(networkOf(network), place));
}

type Network = { version: 4 | 6; bits: number; prefix: number };
type Place = { version: 4 | 6; bits: number };

const parsed = new Map<string, Network>();

function networkOf(network: string): Network {
  const known = parsed.get(network);
  if (known) return known;
  const [address = '', length = ''] = network.split('/');
  const place = leadingBits(address);
  const prefix = Number(length);
  if (place === null || length === '' || !Number.isInteger(prefix) || prefix < 0 || prefix > 32) {
    throw new RangeError(`network ${network}, expected ADDRESS/LENGTH with a length of at most 32`);
  }
  const fresh = { ...place, prefix };
  parsed.set(network, fresh);
  return fresh;
}

function contains({ version, bits, prefix }: Network, place: Place): boolean {
  const size = 2 ** (32 - prefix);
  return place.version === version && Math.floor(place.bits / size) === Math.floor(bits / size);
}

/** The first 32 bits of an address: all of IPv4, a quarter of IPv6; null for what is neither. */
function leadingBits(address: string): Place | null {
  const v4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?::\d+)?$/.exec(address);
  if (v4) {
    const bytes = v4.slice(1).map(Number);
    return bytes.some((byte) => byte > 255) ? null : { version: 4, bits: bytes.reduce((bits, byte) => bits * 256 + byte, 0) };
  }
  const v6 = /^\[?([0-9a-f:]*:[0-9a-f:]*:[0-9a-f:]*)(?:\](?::\d+)?)?$/i.exec(address);
  if (!v6) return null;
  // What `::` leaves out is zero, so a group that is not written before it is zero.
  const [first = '', second = ''] = (v6[1]?.split('::')[0] ?? '').split(':');
  return { version: 6, bits: Number.parseInt(first || '0', 16) * 65_536 + Number.parseInt(second || '0', 16) };
}
