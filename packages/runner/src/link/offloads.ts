// Offloads hand packets of up to 64 KB to a device: a lost one would be a burst that no real network loses.
import type { Namespace } from './namespace.ts';

const offloads = ['tso', 'gso', 'gro', 'lro', 'tx-udp-segmentation', 'rx-udp-gro-forwarding', 'rx-gro-list'] as const;

/** Switches off what a device has of them; what it hasn't, it can't be asked to. */
export async function offloadsOff(namespace: Namespace, device: string): Promise<void> {
  for (const offload of offloads) await namespace.run(['ethtool', '-K', device, offload, 'off']).catch(() => '');
}
