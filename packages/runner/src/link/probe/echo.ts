// Round trips: pings by UDP, and the other end's echo, which says how long it kept each.
import type { Socket } from 'node:dgram';
import { nowNs, pace } from './clock.ts';
import type { Pings, Tasks } from './messages.ts';
import { openSocket, openTo } from './udp.ts';

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
  if (arrived * 2 < ask.packets) await wait(Math.max(0, ask.patienceMs - ask.expectedMs - graceMs));
  socket.close();
  return { rttMs: rttMs.filter((ms) => !Number.isNaN(ms)), reason };
}
