// The path that a visit's packets take: visit namespace, shaper, router, and behind it the demo origin and the world.
import { type End, originGateway, originNetwork, prefixLengths, routerEnd, visitEnd } from './addresses.ts';
import { configureEnd, type Way } from './end.ts';
import { Namespace } from './namespace.ts';
import { offloadsOff } from './offloads.ts';
import { linkDevice, macs, type Shaper } from './shaper.ts';

const originMacs = { router: '02:70:67:68:00:03', origin: '02:70:67:68:00:04' } as const;
const originDevice = 'origin0';

export interface Path {
  visit: Namespace;
  router: Namespace;
  /** Where a demo origin stands; undefined when none was asked for. */
  origin: Namespace | undefined;
  shaper: Shaper;
  /** Gives the visit a route to the world over IPv6, or takes it away: without one Chrome doesn't try. At first it has none. */
  offerV6(on: boolean): Promise<void>;
  /** Puts a fresh shaper into the place of one that can't be trusted any more. Everything else stays. */
  renewShaper(): Promise<void>;
  close(): Promise<void>;
}

export interface PathOptions {
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
      const ways: Way[] = [
        { family: 'v4', to: 'default', via: routerEnd.v4 },
        { family: 'v6', to: `${originNetwork.addressPrefix6}/${prefixLengths.v6}`, via: routerEnd.v6 },
      ];
      await Promise.all([offloadsOff(near, linkDevice), offloadsOff(far, linkDevice)]);
      await Promise.all([
        configureEnd(
          near,
          { device: linkDevice, addresses: both(visitEnd), neighbours: neighboursAt(both(routerEnd), macs.far), ways },
          congestionControl,
        ),
        configureEnd(
          far,
          { device: linkDevice, addresses: both(routerEnd), neighbours: neighboursAt(both(visitEnd), macs.near), ways: [] },
          congestionControl,
        ),
      ]);
    };
    const routeV6 = async () => {
      const to = ['default', 'via', routerEnd.v6, 'dev', linkDevice];
      const how = ['src', visitEnd.v6, 'congctl', congestionControl];
      await visit.run(['ip', '-6', 'route', ...(v6Offered ? ['replace', ...to, ...how] : ['flush', 'default'])]);
    };
    await Promise.all(namespaces.map(quiet));
    await joinShaper(visit, router);
    await forwards(router);
    if (origin !== undefined && originAddresses !== undefined) await joinOrigin(router, origin, originAddresses, congestionControl);
    return {
      visit,
      router,
      origin,
      get shaper() {
        if (shaper === undefined) throw new Error('The link is without its shaper.');
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

/** What one visit's connections taught TCP must not help the next one. */
async function quiet(namespace: Namespace): Promise<void> {
  if (await namespace.sysctl('net.ipv4.tcp_no_metrics_save', '1')) return;
  const now = (await namespace.run(['cat', '/proc/sys/net/ipv4/tcp_no_metrics_save'])).trim();
  if (now === '1') return;
  throw new Error(
    'TCP would carry what one visit taught it into the next: net.ipv4.tcp_no_metrics_save can’t be set to 1 here. ' +
      'In a container start it with a writable /proc/sys, as docker/README.md says.',
  );
}

async function forwards(router: Namespace): Promise<void> {
  for (const name of ['net.ipv4.ip_forward', 'net.ipv6.conf.all.forwarding']) {
    if (await router.sysctl(name, '1')) continue;
    if ((await router.run(['cat', `/proc/sys/${name.replaceAll('.', '/')}`])).trim() === '1') continue;
    throw new Error(
      `The link’s router can’t forward packets: ${name} can’t be set to 1 here. ` +
        'In a container start it with a writable /proc/sys, as docker/README.md says.',
    );
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
  const toOrigin = { device: originDevice, addresses: gateway, neighbours: neighboursAt(addresses, originMacs.origin), ways: [] };
  await configureEnd(router, toOrigin, congestionControl);
  const ways: Way[] = [
    { family: 'v4', to: 'default', via: originGateway.v4 },
    { family: 'v6', to: 'default', via: originGateway.v6 },
  ];
  await configureEnd(origin, { device, addresses, neighbours: neighboursAt(gateway, originMacs.router), ways }, congestionControl);
}

const both = ({ v4, v6 }: End): string[] => [v4, v6];

const neighboursAt = (addresses: readonly string[], mac: string) => addresses.map((address) => ({ address, mac }));
