// Measures a link with real packets between two namespaces: delay each way, loss, order, round trips, rates.
import { isIPv6 } from 'node:net';
import type { Direction } from '@pronghorn/core/network';
import type { Namespace } from '../net/namespace.ts';
import { nowNs } from './clock.ts';
import { between, ProbeEnd } from './end.ts';
import { type Delays, delaysOf, type OneWay, oneWayOf, rateOf } from './figures.ts';
import { type Arrivals, type Departures, headerBytes, maxPackets } from './messages.ts';

/** Directions are as the near end sees them: up is what it sends. */
interface OneWayRequest {
  direction: Direction;
  packets: number;
  /** On the wire; the packets are as small as they can be, 46 bytes there with IPv4. */
  kbps: number;
  /** Wait for others after the last packet; default 1,000. */
  timeoutMs?: number;
}

interface RttRequest {
  packets: number;
  intervalMs?: number;
  /** Expected round trip: when half of the pings came, the probe waits at most this and 40 ms for the last ones; default 0. */
  expectedMs?: number;
  /** Wait for an answer after the last ping, if fewer came; default 1,000. */
  timeoutMs?: number;
}

interface Rtt {
  sent: number;
  delay: Delays | null;
  /** Why pings could not be sent; null if they could. */
  reason: string | null;
}

interface RateRequest {
  direction: Direction;
  transport: 'udp' | 'tcp';
  /** For UDP, on the wire; default: 800 Mbit/s, to see what gets through. */
  offeredKbps?: number | undefined;
  /** Length of the measurement, after the warm-up. */
  seconds: number;
  /** From the first arrival; default 300. */
  warmUpMs?: number;
  /** Time for the link to deliver the last packet; default 1,000. */
  timeoutMs?: number;
}

interface Rate {
  /**
   * 0 when nothing came. On the wire: with the Ethernet header of 14 bytes, which tbf counts, and without the frame check sequence,
   * which it doesn't. UDP's packets are counted, each 14 + 20 + 8 bytes more than its payload with IPv4; of TCP the receiving device
   * says how many bytes it got: 14 + 20 + 32 a segment more than the payload, and what was sent twice.
   */
  kbps: number;
  /** Rate that was really sent; null for TCP. */
  offeredKbps: number | null;
}

/** A TCP connection gets the time for four SYNs, which Linux sends after 0, 1, 3 and 7 s (RFC 6298). */
const connectMs = 10_000;

/** The fastest that Node sends without falling behind. More would only show how a flood fares: UDP has no flow control. */
const fastestKbps = 800_000;

export interface Probe {
  /** Both directions may be measured at once. @throws Error as all do: when an end is gone, can't send, or lost packets itself three times */
  oneWay(ask: OneWayRequest): Promise<OneWay>;
  /** Takes about `packets` × `intervalMs` and one round trip; 40 ms more when packets are lost. */
  rtt(ask: RttRequest): Promise<Rtt>;
  rate(ask: RateRequest): Promise<Rate>;
  close(): Promise<void>;
}

/**
 * Starts a process in each namespace; they open sockets only while they measure, and end with this process.
 *
 * @param addresses at which the ends reach each other, both IPv4 or both IPv6
 * @param priority command prefix that starts a program with that of the browser, which would not see what other work does to a probe without it
 * @throws Error when one can't be started
 */
export async function openProbe(
  near: Namespace,
  far: Namespace,
  addresses: { near: string; far: string },
  priority: readonly string[] = [],
): Promise<Probe> {
  const probe = new ProbePair(new ProbeEnd('near', near, addresses.near, priority), new ProbeEnd('far', far, addresses.far, priority));
  try {
    await probe.ready();
  } catch (error) {
    await probe.close();
    throw error;
  }
  return probe;
}

class ProbePair implements Probe {
  readonly #near: ProbeEnd;
  readonly #far: ProbeEnd;

  constructor(near: ProbeEnd, far: ProbeEnd) {
    this.#near = near;
    this.#far = far;
  }

  async ready(): Promise<void> {
    await Promise.all([this.#near, this.#far].map((end) => end.ask('close', { handle: 0 }, 60_000)));
  }

  async oneWay({ direction, packets, kbps, timeoutMs = 1_000 }: OneWayRequest): Promise<OneWay> {
    if (!(packets >= 1 && packets < maxPackets)) throw new RangeError(`A probe sends 1 to ${maxPackets - 1} packets, not ${packets}.`);
    const intervalUs = (udpWireBytes(this.#near.address, headerBytes) * 8e3) / kbps;
    // Twice as long as it should take: a sender that the machine holds up is not hurried.
    const forMs = 500 + (packets * intervalUs) / 500;
    const stream = { packets, intervalUs, payloadBytes: headerBytes, forMs, timeoutMs, quietMs: timeoutMs };
    const { from, to } = this.#ends(direction);
    const { departures, arrivals } = await streamWhole(from, to, stream);
    return oneWayOf(departures.ns, arrivals);
  }

  async rtt({ packets, intervalMs = 4, expectedMs = 0, timeoutMs = 1_000 }: RttRequest): Promise<Rtt> {
    const { handle, port } = await this.#far.ask('echo-udp', { address: this.#far.address });
    try {
      const ask = {
        packets,
        intervalMs,
        expectedMs,
        timeoutMs: Math.max(timeoutMs, expectedMs),
        ...between(this.#near, this.#far, port),
      };
      const { rttMs, reason } = await this.#near.ask('ping-udp', ask, packets * intervalMs + ask.timeoutMs + 4_000);
      return { sent: packets, delay: delaysOf([...rttMs]), reason };
    } finally {
      await this.#far.ask('close', { handle });
    }
  }

  rate(ask: RateRequest): Promise<Rate> {
    return ask.transport === 'udp' ? this.#udpRate(ask) : this.#tcpRate(ask);
  }

  close(): Promise<void> {
    return Promise.all([this.#near.close(), this.#far.close()]).then(() => {});
  }

  async #udpRate({ direction, offeredKbps, seconds, warmUpMs = 300, timeoutMs = 1_000 }: RateRequest): Promise<Rate> {
    const { payloadBytes, wireBytes } = fullUdpFrame(this.#near.address);
    // A little longer than the window, so that it ends before the packets do.
    const forMs = warmUpMs + seconds * 1e3 + 50;
    const intervalUs = (wireBytes * 8e3) / (offeredKbps ?? fastestKbps);
    const packets = Math.ceil((forMs * 1e3) / intervalUs);
    // Long enough to bridge a burst of losses.
    const quietMs = 50 + (6 * intervalUs) / 1e3 + timeoutMs / 4;
    const stream = { packets, intervalUs, payloadBytes, forMs, timeoutMs, quietMs };
    const { from, to } = this.#ends(direction);
    // When as much as possible is sent, packets that the receiver can't take are no reason to repeat the measurement.
    const { departures, arrivals } = await (offeredKbps === undefined ? streamOnce : streamWhole)(from, to, stream);
    const total = arrivals.ns.map((_, index) => (index + 1) * wireBytes);
    const sentMs = ((departures.ns.at(-1) ?? 0) - (departures.ns[0] ?? 0)) / 1e6;
    return {
      kbps: rateOf(arrivals.ns, total, warmUpMs, seconds),
      offeredKbps: sentMs > 0 ? ((departures.ns.length - 1) * wireBytes * 8) / sentMs : 0,
    };
  }

  async #tcpRate({ direction, seconds, warmUpMs = 300, timeoutMs = 1_000 }: RateRequest): Promise<Rate> {
    const { from, to } = this.#ends(direction);
    const { handle, port } = await to.ask('receive-tcp', { address: to.address });
    try {
      const forMs = warmUpMs + seconds * 1e3 + 50;
      await from.ask('send-tcp', { ...between(from, to, port), forMs, connectMs }, forMs + connectMs + 2_000);
      const { ns, total } = await to.ask('collect-tcp', { handle, untilNs: nowNs() + timeoutMs * 1e6 }, timeoutMs + 2_000);
      return { kbps: rateOf(ns, total, warmUpMs, seconds), offeredKbps: null };
    } finally {
      await to.ask('close', { handle });
    }
  }

  #ends(direction: Direction): { from: ProbeEnd; to: ProbeEnd } {
    return direction === 'up' ? { from: this.#near, to: this.#far } : { from: this.#far, to: this.#near };
  }
}

const ethernetBytes = 14;
const mtu = 1_500;
const udpBytes = 8;
const ipBytes = (address: string) => (isIPv6(address) ? 40 : 20);

/** Size of a UDP packet with this payload: 14 + 20 + 8 bytes more with IPv4. */
function udpWireBytes(address: string, payloadBytes: number): number {
  return ethernetBytes + ipBytes(address) + udpBytes + payloadBytes;
}

/** A packet that fills the MTU, and how much of it is payload: 1,472 of 1,514 bytes with IPv4. */
function fullUdpFrame(address: string): { payloadBytes: number; wireBytes: number } {
  return { payloadBytes: mtu - ipBytes(address) - udpBytes, wireBytes: mtu + ethernetBytes };
}

interface Stream {
  packets: number;
  intervalUs: number;
  payloadBytes: number;
  /** The sender stops after this time. */
  forMs: number;
  /** The receiver stops so long after that, or earlier when nothing came for a while. */
  timeoutMs: number;
  quietMs: number;
}

interface Streamed {
  departures: Departures;
  arrivals: Arrivals;
}

/** Times that a measurement is made when packets were lost in the receiver's own buffer. */
const tries = 3;

/**
 * Sends a stream, again when the receiver itself dropped packets: those are not the link's loss.
 *
 * @throws Error when the sender's own kernel refused packets, and when the receiver dropped some each time
 */
async function streamWhole(from: ProbeEnd, to: ProbeEnd, stream: Stream): Promise<Streamed> {
  const dropped: number[] = [];
  while (dropped.length < tries) {
    const measured = await streamOnce(from, to, stream);
    if (measured.arrivals.dropped === 0) return measured;
    dropped.push(measured.arrivals.dropped);
  }
  throw new Error(
    `The probe’s own receiver at the ${to.name} end lost ${dropped.join(', ')} packets in ${tries} tries, so the link’s loss is unknown: is the machine busy, or net.core.rmem_max small?`,
  );
}

let lastMark = 0;

/** @throws Error when the sender's own kernel refused packets */
async function streamOnce(from: ProbeEnd, to: ProbeEnd, stream: Stream): Promise<Streamed> {
  const { packets, intervalUs, payloadBytes, forMs, timeoutMs, quietMs } = stream;
  lastMark = (lastMark + 1) % 256;
  const mark = lastMark;
  const { handle, port } = await to.ask('receive-udp', { address: to.address, mark, packets });
  try {
    const send = { ...between(from, to, port), mark, packets, intervalUs, payloadBytes, forMs };
    const departures = await from.ask('send-udp', send, forMs + 4_000);
    if (departures.refused > 0)
      throw new Error(
        `The probe’s ${from.name} end could not send ${departures.refused} of ${departures.ns.length} packets: ${departures.reason}.`,
      );
    const collect = { handle, expected: departures.ns.length, untilNs: nowNs() + timeoutMs * 1e6, quietMs };
    return { departures, arrivals: await to.ask('collect-udp', collect, timeoutMs + 4_000) };
  } finally {
    await to.ask('close', { handle });
  }
}
