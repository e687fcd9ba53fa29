// How many bytes a packet takes on the wire, as a qdisc counts them: Ethernet's header, but not its check sequence.
import { isIPv6 } from 'node:net';

const ethernetBytes = 14;
/** The MTU of the link's devices. */
const mtu = 1_500;
const udpBytes = 8;
const ipBytes = (address: string) => (isIPv6(address) ? 40 : 20);

/** Of an UDP packet with this payload: 14 + 20 + 8 bytes more with IPv4. */
export function udpWireBytes(address: string, payloadBytes: number): number {
  return ethernetBytes + ipBytes(address) + udpBytes + payloadBytes;
}

/** A packet that fills the MTU, and how much of it is payload: 1,472 of 1,514 bytes with IPv4. */
export function fullUdpFrame(address: string): { payloadBytes: number; wireBytes: number } {
  return { payloadBytes: mtu - ipBytes(address) - udpBytes, wireBytes: mtu + ethernetBytes };
}
