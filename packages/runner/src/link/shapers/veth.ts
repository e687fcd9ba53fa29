// Joins two namespaces by a plain pair of devices: nothing shapes, and nothing can.
import { release } from 'node:os';
import { linkDevice, macs } from '../addresses.ts';
import type { Namespace } from '../namespace.ts';
import { raise, type Shaper } from './shaper.ts';

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
