// The path that a visit's packets take: visit namespace, shaper, router, and behind it the demo origin and the world.
import {
  type End,
  familyOf,
  linkDevice,
  macs,
  originDevice,
  originGateway,
  originNetwork,
  prefixLengths,
  routerEnd,
  visitEnd,
} from '../net/addresses.ts';
import { Namespace } from '../net/namespace.ts';
import { offloadsOff, type Shaper } from './shaper.ts';

const originMacs = { router: '02:70:67:68:00:03', origin: '02:70:67:68:00:04' } as const;

export interface Path {
  visit: Namespace;
  router: Namespace;
  /** Where a demo origin stands; undefined if none was requested. */
  origin: Namespace | undefined;
  shaper: Shaper;
  /** Gives the visit a route to the world over IPv6, or takes it away: without one Chrome doesn't try. At first it has none. */
  offerV6(on: boolean): Promise<void>;
  /** Puts a fresh shaper into the place of one that can't be trusted any more. Everything else stays. */
  renewShaper(): Promise<void>;
  close(): Promise<void>;
}

interface PathOptions {
  openShaper: (near: Namespace, far: Namespace) => Promise<Shaper>;
  /** The addresses of the demo origin's hosts; undefined when there is none. */
  originAddresses: readonly string[] | undefined;
  congestionControl: string;
}

/**
 * Makes the namespaces and joins them. Nothing of the machine's own network is touched.
 *
 * @throws Error when this process may not make namespaces or devices
 */
export async function openPath(options: PathOptions): Promise<Path> {
  const { openShaper, originAddresses, congestionControl } = options;
  const namespaces: Namespace[] = [];
  let shaper: Shaper | undefined;
  let v6Offered = false;
  const close = async () => {
    await shaper?.close().catch(() => {});
    await Promise.all(namespaces.map((namespace) => namespace.close()));
  };
  const create = async (name: string) => {
    const namespace = await Namespace.create(name);
    namespaces.push(namespace);
    return namespace;
  };
  try {
    const [visit, router, origin] = await Promise.all([
      create('visit'),
      create('router'),
      originAddresses === undefined ? undefined : create('origin'),
    ]);
    const joinShaper = async (near: Namespace, far: Namespace) => {
      shaper = await openShaper(near, far);
      const routes: Route[] = [
        { family: 'v4', to: 'default', via: routerEnd.v4 },
        { family: 'v6', to: `${originNetwork.addressPrefix6}/${prefixLengths.v6}`, via: routerEnd.v6 },
      ];
      await Promise.all([
        configureEnd(
          near,
          { device: linkDevice, addresses: both(visitEnd), neighbours: neighboursAt(both(routerEnd), macs.far), routes },
          congestionControl,
        ),
        configureEnd(
          far,
          { device: linkDevice, addresses: both(routerEnd), neighbours: neighboursAt(both(visitEnd), macs.near), routes: [] },
          congestionControl,
        ),
      ]);
    };
    const routeV6 = async () => {
      const to = ['default', 'via', routerEnd.v6, 'dev', linkDevice];
      const how = ['src', visitEnd.v6, 'congctl', congestionControl];
      await visit.run(['ip', '-6', 'route', ...(v6Offered ? ['replace', ...to, ...how] : ['flush', 'default'])]);
    };
    await Promise.all(
      namespaces.map((namespace) =>
        namespace.mustSet('net.ipv4.tcp_no_metrics_save', '1', 'TCP would carry what one visit taught it into the next'),
      ),
    );
    await joinShaper(visit, router);
    for (const name of ['net.ipv4.ip_forward', 'net.ipv6.conf.all.forwarding'])
      await router.mustSet(name, '1', 'The link’s router can’t forward packets');
    if (origin !== undefined && originAddresses !== undefined) await joinOrigin(router, origin, originAddresses, congestionControl);
    return {
      visit,
      router,
      origin,
      get shaper() {
        if (shaper === undefined) throw new Error('The link has no shaper.');
        return shaper;
      },
      offerV6: async (on) => {
        if (on === v6Offered) return;
        v6Offered = on;
        await routeV6();
      },
      renewShaper: async () => {
        await shaper?.close();
        shaper = undefined;
        await joinShaper(visit, router);
        await routeV6();
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function joinOrigin(router: Namespace, origin: Namespace, addresses: readonly string[], congestionControl: string): Promise<void> {
  const device = linkDevice;
  await router.run([
    ...['ip', 'link', 'add', originDevice, 'address', originMacs.router, 'type', 'veth'],
    ...['peer', 'name', device, 'address', originMacs.origin, 'netns', String(origin.pid)],
  ]);
  await Promise.all([offloadsOff(router, originDevice), offloadsOff(origin, device)]);
  const gateway = both(originGateway);
  const toOrigin = { device: originDevice, addresses: gateway, neighbours: neighboursAt(addresses, originMacs.origin), routes: [] };
  await configureEnd(router, toOrigin, congestionControl);
  const routes: Route[] = [
    { family: 'v4', to: 'default', via: originGateway.v4 },
    { family: 'v6', to: 'default', via: originGateway.v6 },
  ];
  await configureEnd(origin, { device, addresses, neighbours: neighboursAt(gateway, originMacs.router), routes }, congestionControl);
}

const both = ({ v4, v6 }: End): string[] => [v4, v6];

const neighboursAt = (addresses: readonly string[], mac: string) => addresses.map((address) => ({ address, mac }));

interface Route {
  family: 'v4' | 'v6';
  /** A network, or `default`. */
  to: string;
  via: string;
}

interface Wire {
  device: string;
  /** Addresses of this end, of both families; it sends from the first of each. */
  addresses: readonly string[];
  /** Addresses of the other end, known in advance so that no ARP or neighbour discovery has to cross. */
  neighbours: readonly { address: string; mac: string }[];
  routes: readonly Route[];
}

/**
 * Gives a device its addresses and routes. The congestion control stands on each route, since a namespace can't choose its
 * own: TCP takes it from there, for connections that it opens and for those that it accepts.
 *
 * @param congestionControl of TCP; undefined leaves the machine's
 */
async function configureEnd(namespace: Namespace, wire: Wire, congestionControl: string | undefined): Promise<void> {
  const { device, addresses, neighbours, routes } = wire;
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
      ...routes
        .filter((route) => route.family === family)
        .map(({ to, via }) => `route replace ${to} via ${via} dev ${device} src ${first}${control}`),
    ];
    await namespace.run(['ip', family === 'v4' ? '-4' : '-6', '-batch', '-'], `${lines.join('\n')}\n`);
  }
}

const networkOf = (address: string) => address.replace(/\.\d+$/, '.0').replace(/::.*$/, '::');
