// The UDP side of a probe's end: a sender and a receiver that stamp each packet.
import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { receiveDrops } from '../net/receive-buffers.ts';
import { nowNs, pace } from './clock.ts';
import { type Arrivals, type Departures, headerBytes, type Pings, type Target, type Tasks } from './messages.ts';
import { onProbePort } from './ports.ts';

/** Enough for a second of full packets at 50 Mbit/s, as far as net.core.rmem_max lets it; what still overflows is counted. */
const bufferBytes = 8 * 1024 * 1024;

/** Opens a socket bound to an address; its later errors are ignored, because a packet that is refused is a packet that is lost. */
async function openSocket(address: string): Promise<Socket> {
  const socket = createSocket({ type: isIPv6(address) ? 'udp6' : 'udp4', recvBufferSize: bufferBytes });
  await onProbePort(socket, (port, bound) => socket.bind({ port, address, exclusive: true }, bound));
  socket.on('error', () => {});
  return socket;
}

/** A socket that sends to one place: without that, each packet costs a look-up of the address. */
export async function openTo({ from, to, port }: Target): Promise<Socket> {
  const socket = await openSocket(from);
  await new Promise<void>((resolve, reject) =>
    socket.connect(port, to, (error?: Error) => {
      if (error === undefined || error === null) resolve();
      else {
        socket.close();
        reject(new Error(`there is no way from ${from} to ${to}: ${error.message}`));
      }
    }),
  );
  return socket;
}

export async function sendUdp(ask: Tasks['send-udp']['asks']): Promise<Departures> {
  const socket = await openTo(ask);
  const ns = new Float64Array(ask.packets);
  let refused = 0;
  let reason: string | null = null;
  let unsettled = 0;
  let settled = () => {};
  const sent = (error: Error | null) => {
    unsettled--;
    // The receiver's port is closed: it has ended, or another packet's answer; this one did leave.
    if (error !== null && (error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') {
      refused++;
      reason ??= error.message;
    }
    if (unsettled === 0) settled();
  };
  const count = await pace(ask.packets, ask.intervalUs * 1e3, ask.forMs * 1e6, (number) => {
    // Each has its own buffer: the kernel may read it only later.
    const packet = Buffer.alloc(Math.max(headerBytes, ask.payloadBytes));
    packet.writeUInt8(ask.mark, 0);
    packet.writeUIntBE(number, 1, 3);
    unsettled++;
    ns[number] = nowNs();
    socket.send(packet, sent);
  });
  if (unsettled > 0) await new Promise<void>((resolve) => (settled = resolve));
  socket.close();
  return { ns: ns.subarray(0, count), refused, reason };
}

export class UdpReceiver {
  readonly port: number;
  readonly #socket: Socket;
  readonly #seen: Uint8Array;
  readonly #numbers: Uint32Array;
  readonly #ns: Float64Array;
  readonly #droppedBefore = receiveDrops(process);
  #count = 0;
  #different = 0;
  #expected = Number.POSITIVE_INFINITY;
  #complete = () => {};

  private constructor(socket: Socket, mark: number, packets: number) {
    this.#socket = socket;
    this.port = socket.address().port;
    this.#seen = new Uint8Array(packets);
    // Room for duplicates; beyond it they are not stamped.
    this.#numbers = new Uint32Array(packets * 2);
    this.#ns = new Float64Array(packets * 2);
    socket.on('message', (packet) => {
      const ns = nowNs();
      if (packet.length < headerBytes || packet[0] !== mark) return;
      const number = packet.readUIntBE(1, 3);
      if (number >= packets || this.#count === this.#ns.length) return;
      this.#numbers[this.#count] = number;
      this.#ns[this.#count++] = ns;
      if (this.#seen[number] === 1) return;
      this.#seen[number] = 1;
      if (++this.#different >= this.#expected) this.#complete();
    });
  }

  static async open({ address, mark, packets }: Tasks['receive-udp']['asks']): Promise<UdpReceiver> {
    return new UdpReceiver(await openSocket(address), mark, packets);
  }

  async collect({ expected, untilNs, quietMs }: Omit<Tasks['collect-udp']['asks'], 'handle'>): Promise<Arrivals> {
    this.#expected = expected;
    if (this.#different < expected)
      await new Promise<void>((resolve) => {
        const look = setInterval(() => {
          const now = nowNs();
          const silentSince = this.#count === 0 ? now : (this.#ns[this.#count - 1] as number);
          if (now >= untilNs || now - silentSince > quietMs * 1e6) this.#complete();
        }, 5);
        this.#complete = () => {
          clearInterval(look);
          resolve();
        };
      });
    this.close();
    return {
      numbers: this.#numbers.slice(0, this.#count),
      ns: this.#ns.slice(0, this.#count),
      dropped: receiveDrops(process) - this.#droppedBefore,
    };
  }

  close(): void {
    this.#socket.close();
  }
}

// Round trips: pings by UDP, and the other end's echo, which says how long it kept each.

/** Number, then three times: sent, received by the echo, sent back. */
const pingBytes = 4 + 3 * 8;

/** Longest that echoes may be late against what is expected before the silence counts as loss. */
const graceMs = 40;

export async function openEcho(address: string): Promise<Socket> {
  const socket = await openSocket(address);
  socket.on('message', (packet, from) => {
    if (packet.length !== pingBytes) return;
    packet.writeDoubleBE(nowNs(), 12);
    packet.writeDoubleBE(nowNs(), 20);
    socket.send(packet, from.port, from.address);
  });
  return socket;
}

/**
 * A round trip is what both ways took: the time that the echo's process held a ping is known by its stamps and taken off.
 */
export async function ping(ask: Tasks['ping-udp']['asks']): Promise<Pings> {
  let socket: Socket;
  try {
    socket = await openTo(ask);
  } catch (error) {
    return { rttMs: new Float64Array(), reason: (error as Error).message };
  }
  let reason: string | null = null;
  const rttMs = new Float64Array(ask.packets).fill(Number.NaN);
  let arrived = 0;
  let complete = () => {};
  socket.on('message', (packet) => {
    const back = nowNs();
    if (packet.length !== pingBytes) return;
    const number = packet.readUInt32BE(0);
    if (number >= ask.packets || !Number.isNaN(rttMs[number])) return;
    const held = packet.readDoubleBE(20) - packet.readDoubleBE(12);
    rttMs[number] = (back - packet.readDoubleBE(4) - held) / 1e6;
    if (++arrived === ask.packets) complete();
  });
  await pace(ask.packets, ask.intervalMs * 1e6, ask.packets * ask.intervalMs * 1e6 + 1e9, (number) => {
    const packet = Buffer.alloc(pingBytes);
    packet.writeUInt32BE(number, 0);
    packet.writeDoubleBE(nowNs(), 4);
    socket.send(packet, (error) => (reason ??= error?.message ?? null));
  });
  const wait = (ms: number) =>
    new Promise<void>((resolve) => {
      if (arrived === ask.packets) return resolve();
      const timer = setTimeout(resolve, ms);
      complete = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  await wait(ask.expectedMs + graceMs);
  // Fewer than half: lost, or later than expected. Which of the two decides what the fault is called, so it is worth waiting.
  if (arrived * 2 < ask.packets) await wait(Math.max(0, ask.timeoutMs - ask.expectedMs - graceMs));
  socket.close();
  return { rttMs: rttMs.filter((ms) => !Number.isNaN(ms)), reason };
}
