// The device that an address of this namespace stands on, and what its kernel counts of it.
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';

/** @throws Error when no device has the address */
export function deviceOf(address: string): string {
  for (const [name, addresses] of Object.entries(networkInterfaces())) if (addresses?.some((own) => own.address === address)) return name;
  throw new Error(`no device of the namespace has the address ${address}`);
}

/** @returns what tells how many bytes the device has received by now, in frames with their Ethernet headers and without check sequences */
export function receivedBytes(device: string): () => number {
  // By /proc, because /sys shows the devices of the namespace that it was mounted in.
  const line = new RegExp(`^\\s*${device}:\\s*(\\d+)`, 'm');
  return () => Number(line.exec(readFileSync('/proc/self/net/dev', 'utf8'))?.[1]);
}
