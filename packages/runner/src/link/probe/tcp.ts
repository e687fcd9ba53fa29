// The TCP side of a probe's end: one connection that carries as much as it can, and the count of what came.
import { readFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { nowNs } from './clock.ts';
import type { Bytes, Tasks } from './messages.ts';
import { onProbePort } from './ports.ts';

const chunk = Buffer.alloc(64 * 1024);

/** @returns whether a connection came about in time; it is reset in the end, so that nothing more follows */
export async function sendTcp({ from, to, port, forMs, connectMs }: Tasks['send-tcp']['asks']): Promise<{ connected: boolean }> {
  const socket = connect({ host: to, port, localAddress: from });
  socket.on('error', () => {});
  try {
    const connected = await settles(socket, 'connect', connectMs);
    if (!connected) return { connected };
    const end = nowNs() + forMs * 1e6;
    const fill = () => {
      while (nowNs() < end && socket.write(chunk));
    };
    socket.on('drain', fill);
    fill();
    await settles(socket, 'close', forMs);
    return { connected };
  } finally {
    socket.resetAndDestroy();
  }
}

/** @returns whether that happened, before the socket's end and in time */
function settles(socket: Socket, event: 'connect' | 'close', withinMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), withinMs);
    for (const name of [event, 'close'])
      socket.once(name, () => {
        clearTimeout(timer);
        resolve(name === event);
      });
  });
}

/** Interval of reading the device, and so the error of a time: 1 % of the shortest measurement. */
const lookMs = 2;

/**
 * Counts what a connection brings, by the counter of the device that it comes in by: every frame with its headers, and when it came.
 * The stream itself is no measure: it stalls behind a lost segment, and then brings much at once.
 */
export class TcpReceiver {
  readonly #server: Server;
  readonly #received: () => number;
  #socket: Socket | undefined;
  #looking: NodeJS.Timeout | undefined;
  readonly #ns: number[] = [];
  readonly #total: number[] = [];

  private constructor(server: Server, address: string) {
    this.#server = server;
    this.#received = receivedBytes(deviceOf(address));
    server.on('connection', (socket) => {
      this.#socket = socket;
      socket.on('error', () => {});
      socket.resume();
      this.#looking ??= setInterval(() => this.#look(), lookMs);
    });
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  static async open(address: string): Promise<TcpReceiver> {
    const server = createServer();
    const receiver = new TcpReceiver(server, address);
    await onProbePort(server, (port, bound) => server.listen({ port, host: address, exclusive: true }, bound));
    return receiver;
  }

  /** @returns what came until the connection ended, when the link's queue is empty again, or until this time */
  async collect(untilNs: number): Promise<Bytes> {
    const socket = this.#socket;
    if (socket !== undefined && !socket.destroyed) await settles(socket, 'close', Math.max(0, (untilNs - nowNs()) / 1e6));
    this.close();
    return { ns: Float64Array.from(this.#ns), total: Float64Array.from(this.#total) };
  }

  close(): void {
    clearInterval(this.#looking);
    this.#socket?.destroy();
    this.#server.close();
  }

  #look(): void {
    const total = this.#received();
    if (total === this.#total.at(-1)) return;
    this.#ns.push(nowNs());
    this.#total.push(total);
  }
}

/** @throws Error when no device has the address */
function deviceOf(address: string): string {
  for (const [name, addresses] of Object.entries(networkInterfaces())) if (addresses?.some((own) => own.address === address)) return name;
  throw new Error(`no device of the namespace has the address ${address}`);
}

/** @returns a counter of the bytes that the device has received, in frames with their Ethernet headers and without check sequences */
function receivedBytes(device: string): () => number {
  // Reads /proc, because /sys shows the devices of the namespace that it was mounted in.
  const line = new RegExp(`^\\s*${device}:\\s*(\\d+)`, 'm');
  return () => Number(line.exec(readFileSync('/proc/self/net/dev', 'utf8'))?.[1]);
}
