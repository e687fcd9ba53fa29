// The middle of a link, which shapes the packets that cross it.
import { release } from 'node:os';
import type { LinkBackend } from '@pronghorn/core/schemas';
import { linkDevice, macs } from '../net/addresses.ts';
import type { Namespace } from '../net/namespace.ts';

/**
 * Joins two namespaces, each of which has a device `link0` after it was opened: up, without addresses, with the MAC address
 * of `macs`. What the visit sends leaves the shaper by `devices.up`; what it receives, by `devices.down`.
 */
export interface Shaper {
  readonly backend: LinkBackend;
  readonly kernel: string;
  /** Names of devices inside the shaper; null where it can't shape. */
  readonly devices: { up: string; down: string } | null;
  /**
   * Clears both devices, then runs lines of tc's batch format (`qdisc add dev … root …`, without the word tc) in order. No lines
   * leave the devices without any shaping. After an error the devices are clear.
   *
   * @throws Error with tc's own words and the line
   */
  apply(lines: readonly string[]): Promise<void>;
  /** Output of `tc -s qdisc show`. */
  show(): Promise<string>;
  close(): Promise<void>;
}

/** @param tc runs tc with these words and returns what it printed; fails with tc's own words */
export function shaperBy(
  tc: (words: string) => Promise<string>,
  shaper: Pick<Shaper, 'backend' | 'kernel' | 'close'> & { devices: { up: string; down: string } },
): Shaper {
  return {
    ...shaper,
    apply: async (lines) => {
      await clear(tc, shaper.devices);
      for (const line of lines) {
        try {
          await tc(line);
        } catch (error) {
          await clear(tc, shaper.devices);
          throw new Error(`tc refused “${line}”: ${error instanceof Error ? error.message : error}`);
        }
      }
    },
    show: () => tc('-s qdisc show'),
  };
}

async function clear(tc: (words: string) => Promise<string>, devices: { up: string; down: string }): Promise<void> {
  // tc also fails if there is nothing to delete, so only what is left counts.
  for (const device of Object.values(devices)) await tc(`qdisc delete dev ${device} root`).catch(() => '');
  const left = (await tc('qdisc show')).split('\n').filter((line) => /^qdisc (netem|tbf) /.test(line));
  if (left.length > 0) throw new Error(`tc could not remove this from the link: ${left.join('; ')}`);
}

// Offloads hand packets of up to 64 KB to a device: a lost one would be a burst that no real network loses.

// Names of `ethtool -k`.
const receiveOffload = 'generic-receive-offload';
const offloads = [
  'tcp-segmentation-offload',
  'generic-segmentation-offload',
  receiveOffload,
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

/**
 * Lets a device put received packets together again, as a visitor's does: TCP then costs the receiver about a fifth. Only where nothing
 * behind it is lost or queued.
 *
 * @returns whether it does so; not every kernel's can
 */
export async function receiveOffloadOn(namespace: Namespace, device: string): Promise<boolean> {
  await namespace.run(['ethtool', '-K', device, receiveOffload, 'on']).catch(() => '');
  return offloadsOn(await namespace.run(['ethtool', '-k', device])).includes(receiveOffload);
}

/** @param listing of `ethtool -k`. @returns which of them it says are on */
export function offloadsOn(listing: string): string[] {
  return offloads.filter((offload) => new RegExp(`^\\s*${offload}: on\\b`, 'm').test(listing));
}

/**
 * Brings an end up: single frames, and no address that the kernel makes and announces to the other side.
 *
 * @throws Error when the device goes on cutting or merging frames by itself
 */
export async function raise(end: Namespace): Promise<void> {
  await offloadsOff(end, linkDevice);
  await end.run(['ip', 'link', 'set', linkDevice, 'addrgenmode', 'none']);
  await end.run(['ip', 'link', 'set', linkDevice, 'up']);
}

/**
 * Lines for `ip -batch` in the shaper's own namespace: a pair of devices for each end of the link.
 *
 * @param halves names of the devices that stay in that namespace
 */
export const pairLines = (near: Namespace, far: Namespace, halves: { near: string; far: string }): string[] => [
  `link add name ${halves.near} type veth peer name ${linkDevice} address ${macs.near} netns ${near.pid}`,
  `link add name ${halves.far} type veth peer name ${linkDevice} address ${macs.far} netns ${far.pid}`,
];

/** Removes the link's devices from both ends. */
export async function removeEnds(near: Namespace, far: Namespace): Promise<void> {
  for (const end of [near, far]) await end.run(['ip', 'link', 'delete', linkDevice]).catch(() => '');
}

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
      if (lines.length > 0) throw new Error(`A plain pair of devices can’t shape: “${lines[0]}”.`);
    },
    show: async () => '',
    // The other end goes with it.
    close: async () => void (await near.run(['ip', 'link', 'delete', linkDevice]).catch(() => {})),
  };
}
