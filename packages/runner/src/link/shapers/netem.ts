// Shapes by this kernel's own netem: a namespace that bridges two pairs of devices, of which each end is given one half.
import { release } from 'node:os';
import { run } from '../../machine/run.ts';
import { Namespace } from '../net/namespace.ts';
import { offloadsOff, pairLines, raise, removeEnds, type Shaper, shaperBy } from './shaper.ts';

/** In the namespace of the bridge: near is the visit's side, so what the visit sends leaves by the far one. */
const devices = { up: 'far0', down: 'near0' } as const;

const needed = [
  'tc qdisc add dev lo root netem delay 1ms',
  'tc qdisc add dev lo root tbf rate 1mbit burst 2kb limit 32kb',
  'ip link add type veth',
  'ip link add type bridge',
];

/** Tries each required command in a temporary namespace. @returns true, or the refused one with the kernel's words */
export async function canNetem(): Promise<true | string> {
  try {
    for (const words of needed) await run(['unshare', '--net', '--', ...words.split(' ')]);
    return true;
  } catch (error) {
    return `the kernel ${release()} refused: ${error instanceof Error ? error.message : error}`;
  }
}

export async function openNetem(near: Namespace, far: Namespace): Promise<Shaper> {
  const home = await Namespace.create('shaper');
  try {
    return await bridgeIn(home, near, far, release());
  } catch (error) {
    await home.close();
    throw error;
  }
}

/** Builds the shaper in a namespace that it closes at its end. @param kernel release of the namespaces' kernel */
export async function bridgeIn(home: Namespace, near: Namespace, far: Namespace, kernel: string): Promise<Shaper> {
  const bridge = 'bridge0';
  const lines = [
    // The bridge only forwards: it waits for no spanning tree, learns no multicast groups, and sends nothing itself.
    `link add name ${bridge} type bridge stp_state 0 forward_delay 0 mcast_snooping 0`,
    ...pairLines(near, far, { near: devices.down, far: devices.up }),
    ...Object.values(devices).map((device) => `link set ${device} addrgenmode none master ${bridge}`),
    ...[bridge, ...Object.values(devices)].map((device) => `link set ${device} addrgenmode none up`),
  ];
  const close = async () => {
    await removeEnds(near, far);
    await home.close();
  };
  try {
    await home.run(['ip', '-batch', '-'], `${lines.join('\n')}\n`);
    for (const device of Object.values(devices)) await offloadsOff(home, device);
    await Promise.all([near, far].map(raise));
  } catch (error) {
    await close();
    throw error;
  }
  return shaperBy((words) => home.run(['tc', ...words.split(' ')]), { backend: 'netem', kernel, devices, close });
}
