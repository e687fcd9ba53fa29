// A small network for each uplink, which nothing else on the machine uses.
import { type Network, networksOverlap, parseNetwork } from '@pronghorn/core/network';

/** The addresses of an uplink: the machine's end and the router's. */
export interface Subnet {
  /** Names the device in the machine's namespace, so no two uplinks there can have the same subnet. */
  device: string;
  v4: { machine: string; router: string; network: string };
  v6: { machine: string; router: string; network: string };
}

/** Devices of uplinks on the machine's side begin so. */
export const devicePrefix = 'pronghorn';

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
