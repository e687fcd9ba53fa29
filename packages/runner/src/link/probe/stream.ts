// Stamped UDP packets from one end of a probe to the other.
import { nowNs } from './clock.ts';
import { between, type ProbeEnd } from './end.ts';
import type { Arrivals, Departures } from './messages.ts';

/** Packets that one end sends to the other. */
export interface Stream {
  packets: number;
  /** Between two of them. */
  intervalUs: number;
  payloadBytes: number;
  /** The sender stops after so long. */
  forMs: number;
  /** The receiver stops so long after that, or earlier when nothing came for a while. */
  patienceMs: number;
  quietMs: number;
}

export interface Streamed {
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
export async function streamWhole(from: ProbeEnd, to: ProbeEnd, stream: Stream): Promise<Streamed> {
  const dropped: number[] = [];
  while (dropped.length < tries) {
    const measured = await streamOnce(from, to, stream);
    if (measured.arrivals.dropped === 0) return measured;
    dropped.push(measured.arrivals.dropped);
  }
  throw new Error(
    `The probe’s own receiver at the ${to.name} end lost ${dropped.join(', ')} packets in ${tries} tries, so the link’s loss can’t be told: is the machine busy, or net.core.rmem_max small?`,
  );
}

let lastMark = 0;

/** @throws Error when the sender's own kernel refused packets */
export async function streamOnce(from: ProbeEnd, to: ProbeEnd, stream: Stream): Promise<Streamed> {
  const { packets, intervalUs, payloadBytes, forMs, patienceMs, quietMs } = stream;
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
    const collect = { handle, expected: departures.ns.length, untilNs: nowNs() + patienceMs * 1e6, quietMs };
    return { departures, arrivals: await to.ask('collect-udp', collect, patienceMs + 4_000) };
  } finally {
    await to.ask('close', { handle });
  }
}
