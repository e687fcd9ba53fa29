// What stands in the middle of a link and shapes the packets that cross it.
import type { LinkBackend } from '@pronghorn/core/schemas';

/**
 * Joins two namespaces, each of which has a device `link0` after it was opened: up, without addresses, with the MAC address
 * of `macs`. What the visit sends leaves the shaper by `devices.up`; what it receives, by `devices.down`.
 */
export interface Shaper {
  readonly backend: LinkBackend;
  /** Release of the kernel that shapes. */
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
  /** What `tc -s qdisc show` says now. */
  show(): Promise<string>;
  /** Takes both ends away. */
  close(): Promise<void>;
}

/** The device at either end. */
export const linkDevice = 'link0';

/** The ends know each other's address, so that no ARP or neighbour discovery crosses the link and is delayed or lost. */
export const macs = { near: '02:70:67:68:00:01', far: '02:70:67:68:00:02' } as const;
