// One end of a wire between two namespaces: its addresses, its neighbour and its routes.
import { familyOf, prefixLengths } from './addresses.ts';
import type { Namespace } from './namespace.ts';

export interface Way {
  family: 'v4' | 'v6';
  /** A network, or `default`. */
  to: string;
  via: string;
}

export interface Wire {
  device: string;
  /** Of this end, of both families; the first of each is the one it sends from. */
  addresses: readonly string[];
  /** Of the other end: known for good, so that no ARP or neighbour discovery has to cross. */
  neighbours: readonly { address: string; mac: string }[];
  /** What lies beyond the neighbours. */
  ways: readonly Way[];
}

/**
 * Gives a device its addresses and routes. The congestion control stands on each route, since a namespace can't choose its
 * own: TCP takes it from there, for connections that it opens and for those that it accepts.
 *
 * @param congestionControl of TCP; undefined leaves the machine's
 */
export async function configureEnd(namespace: Namespace, wire: Wire, congestionControl: string | undefined): Promise<void> {
  const { device, addresses, neighbours, ways } = wire;
  const control = congestionControl === undefined ? '' : ` congctl ${congestionControl}`;
  for (const family of ['v4', 'v6'] as const) {
    const own = addresses.filter((address) => familyOf(address) === family);
    const [first] = own;
    if (first === undefined) continue;
    // nodad: duplicate address detection takes a second, and crosses the wire.
    const quietly = family === 'v6' ? ' nodad' : '';
    const lines = [
      ...own.map((address) => `address replace ${address}/${prefixLengths[family]} dev ${device} noprefixroute${quietly}`),
      `link set ${device} up`,
      ...neighbours
        .filter(({ address }) => familyOf(address) === family)
        .map(({ address, mac }) => `neighbour replace ${address} lladdr ${mac} nud permanent dev ${device}`),
      `route replace ${networkOf(first)}/${prefixLengths[family]} dev ${device} src ${first}${control}`,
      ...ways
        .filter((way) => way.family === family)
        .map(({ to, via }) => `route replace ${to} via ${via} dev ${device} src ${first}${control}`),
    ];
    await namespace.run(['ip', family === 'v4' ? '-4' : '-6', '-batch', '-'], `${lines.join('\n')}\n`);
  }
}

const networkOf = (address: string) => address.replace(/\.\d+$/, '.0').replace(/::.*$/, '::');
