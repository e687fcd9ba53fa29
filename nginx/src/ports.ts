// Picks a port number that is free on many addresses at once, for TCP and for UDP.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Tried first, so that the demo sites have the same URLs from one day to the next wherever possible. */
export const preferredPort = 4433;

/**
 * A port that nobody holds on any of the addresses. It may be taken by the time it is used: be ready to ask again.
 * @throws {Error} when forty tries found none.
 */
export async function findFreePort(addresses: readonly string[]): Promise<number> {
  for (let tries = 0; tries < 40; tries++) {
    // Below 32768, where Linux begins to hand out ports to clients; above the ports that Chrome refuses (6000–6697).
    const port = tries === 0 ? preferredPort : 20_000 + Math.floor(Math.random() * 12_000);
    if (await isFree(port, addresses)) return port;
  }
  throw new Error(`no port between 20000 and 32000 is free for TCP and UDP on ${addresses[0]} … ${addresses.at(-1)}`);
}

/** Whether the port can be bound on every address, for TCP and UDP. */
export async function isFree(port: number, addresses: readonly string[]): Promise<boolean> {
  const results = await Promise.all(addresses.flatMap((address) => [bindsTcp(port, address), bindsUdp(port, address)]));
  return results.every(Boolean);
}

async function bindsTcp(port: number, host: string): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ port, host, exclusive: true });
    await once(server, 'listening');
    return true;
  } catch (error) {
    return onlyTaken(error);
  } finally {
    await new Promise((closed) => server.close(closed));
  }
}

async function bindsUdp(port: number, address: string): Promise<boolean> {
  const socket = createSocket('udp4');
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
