// Offloads hand packets of up to 64 KB to a device: a lost one would be a burst that no real network loses.
import type { Namespace } from './namespace.ts';

/** As `ethtool -k` names them. */
const offloads = [
  'tcp-segmentation-offload',
  'generic-segmentation-offload',
  'generic-receive-offload',
  'large-receive-offload',
  'tx-udp-segmentation',
  'rx-udp-gro-forwarding',
  'rx-gro-list',
] as const;

/**
 * Switches off what a device has of them; what it hasn't, it can't be asked to.
 *
 * @throws Error naming what stays on
 */
export async function offloadsOff(namespace: Namespace, device: string): Promise<void> {
  const on = async () => offloadsOn(await namespace.run(['ethtool', '-k', device]));
  for (const offload of await on()) await namespace.run(['ethtool', '-K', device, offload, 'off']).catch(() => '');
  const left = await on();
  if (left.length > 0) throw new Error(`The offloads ${left.join(', ')} of ${device} (${namespace.name}) can’t be switched off.`);
}

/** @param listing of `ethtool -k`. @returns which of them it says are on */
export function offloadsOn(listing: string): string[] {
  return offloads.filter((offload) => new RegExp(`^\\s*${offload}: on\\b`, 'm').test(listing));
}
