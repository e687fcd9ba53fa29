// A port number that is free on many addresses at once, for TCP and for UDP, and a server on it.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { hostAddresses, isOwnNetwork, type Place } from '../hosts/place.ts';
import { PortTaken, type ServerProcess } from './server-process.ts';

/** Tried first, so that the demo sites have the same URLs from one day to the next wherever possible. */
export const preferredPort = 4433;

export interface ClaimedPort {
  port: number;
  /** Frees it for other origins. */
  release(): Promise<void>;
}

export interface PortWish {
  /** Default: those of the demo's hosts. */
  addresses?: readonly string[];
  /** Accepts no other port. */
  wanted?: number | undefined;
  /** The port to use in a separate network. */
  inOwnNetwork?: number;
  /** Also requires the next port to be free. */
  withNext?: boolean;
}

/**
 * A port for an origin in a place: `wanted`, else the preferred one where that is free, else any free one. Until it is released no
 * other origin on this machine gets it; another program may still take it before the server does: `startOnFreePort` asks again.
 *
 * This process can't look into a network of the origin's own: there every port is free.
 * @throws {Error} when the wanted port is taken, or forty tries found none.
 */
export async function claimPort(place: Place, wish: PortWish = {}): Promise<ClaimedPort> {
  const { addresses = hostAddresses(place), wanted, inOwnNetwork = preferredPort, withNext = false } = wish;
  if (isOwnNetwork(place)) return { port: wanted ?? inOwnNetwork, release: async () => {} };
  const range = `${addresses[0]} … ${addresses.at(-1)}`;
  for (let tries = 0; tries < 40; tries++) {
    // Below 32768, where Linux begins to hand out ports to clients; above the ports that Chrome refuses (6000–6697).
    const port = wanted ?? (tries === 0 ? preferredPort : 20_000 + Math.floor(Math.random() * 12_000));
    const claim = await hold(port, `${place.addressPrefix}${claimNumber}`);
    if (claim && (await isFree(port, addresses)) && (!withNext || (await isFree(port + 1, addresses)))) return claim;
    await claim?.release();
    if (wanted !== undefined) throw new Error(`port ${wanted} is taken (TCP or UDP) on one of ${range}: choose another, or none`);
  }
  throw new Error(`no port between 20000 and 32000 is free for TCP and UDP on ${range}`);
}

const portTries = 5;

/** Another program may take the port between our look and the server's start; then there is another port. */
export async function startOnFreePort(
  place: Place,
  wish: PortWish,
  start: (port: number) => Promise<ServerProcess>,
): Promise<ServerProcess & { port: number }> {
  for (let tries = 1; ; tries++) {
    const { port, release } = await claimPort(place, wish);
    try {
      const server = await start(port);
      return { ...server, port, stop: () => server.stop().then(release) };
    } catch (error) {
      await release();
      if (!(error instanceof PortTaken) || wish.wanted !== undefined || tries === portTries) throw error;
    }
  }
}

/** Below the hosts' numbers. */
const claimNumber = 10;

/**
 * Listens on the port beside the hosts. Caddy's sockets let each other in (SO_REUSEPORT): two origins that looked at the same
 * moment would both start, and the kernel would spread the visits of each over both.
 */
async function hold(port: number, host: string): Promise<ClaimedPort | undefined> {
  const server = createServer((socket) => socket.destroy());
  if (!(await bindsTcp(server, port, host))) return undefined;
  server.unref();
  return { port, release: () => new Promise((closed) => server.close(() => closed())) };
}

/** True if the port can be bound on every address, for TCP and UDP. */
export async function isFree(port: number, addresses: readonly string[]): Promise<boolean> {
  const results = await Promise.all(addresses.flatMap((address) => [canBindTcp(port, address), bindsUdp(port, address)]));
  return results.every(Boolean);
}

async function canBindTcp(port: number, host: string): Promise<boolean> {
  const server = createServer();
  const isBound = await bindsTcp(server, port, host);
  await new Promise((closed) => server.close(closed));
  return isBound;
}

async function bindsTcp(server: Server, port: number, host: string): Promise<boolean> {
  try {
    server.listen({ port, host, exclusive: true });
    await once(server, 'listening');
    return true;
  } catch (error) {
    return onlyTaken(error);
  }
}

async function bindsUdp(port: number, address: string): Promise<boolean> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  try {
    socket.bind({ port, address, exclusive: true });
    await once(socket, 'listening');
    return true;
  } catch (error) {
    return onlyTaken(error);
  } finally {
    await new Promise<void>((closed) => socket.close(closed));
  }
}

/** A taken port is an answer; anything else (no such address, no right to it) is a fault that the user must see. */
function onlyTaken(error: unknown): false {
  if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
  throw error;
}
