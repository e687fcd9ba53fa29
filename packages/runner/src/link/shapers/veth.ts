// Joins two namespaces by a plain pair of devices: nothing shapes, and nothing can.
import { release } from 'node:os';
import type { Namespace } from '../namespace.ts';
import { offloadsOff } from '../offloads.ts';
import { linkDevice, macs, type Shaper } from '../shaper.ts';

/** @throws Error when the devices can't be made */
export async function openVeth(near: Namespace, far: Namespace): Promise<Shaper> {
  await near.run([
    ...['ip', 'link', 'add', linkDevice, 'address', macs.near, 'type', 'veth'],
    ...['peer', 'name', linkDevice, 'address', macs.far, 'netns', String(far.pid)],
  ]);
  await Promise.all([near, far].map(raise));
  return {
    backend: 'veth',
    kernel: release(),
    devices: null,
    apply: async (lines) => {
      if (lines.length > 0) throw new Error(`A plain pair of devices can’t shape, and was asked to: “${lines[0]}”.`);
    },
    show: async () => '',
    // The other end goes with it.
    close: async () => void (await near.run(['ip', 'link', 'delete', linkDevice]).catch(() => {})),
  };
}

/**
 * Brings an end up: single frames, and no address that the kernel makes and tells the other side of.
 *
 * @throws Error when the device goes on cutting or merging frames by itself
 */
export async function raise(end: Namespace): Promise<void> {
  await offloadsOff(end, linkDevice);
  const still = /^(?:tcp-segmentation|generic-segmentation|generic-receive|large-receive)-offload: on|^tx-udp-segmentation: on/m;
  const [found] = (await end.run(['ethtool', '-k', linkDevice])).match(still) ?? [];
  if (found !== undefined)
    throw new Error(
      `The device ${linkDevice} of the ${end.name} namespace keeps an offload (${found}), so loss would hit bursts; off was expected.`,
    );
  await end.run(['ip', 'link', 'set', linkDevice, 'addrgenmode', 'none']);
  await end.run(['ip', 'link', 'set', linkDevice, 'up']);
}
