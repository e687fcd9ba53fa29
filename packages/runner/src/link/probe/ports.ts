// The ports of a probe: few and known, so that the router's policy can let them in and nothing else.
import type { EventEmitter } from 'node:events';

/** First and last; nothing listens on them but while the link is measured. */
export const probePorts = { first: 47_000, last: 47_099 } as const;

let next: number = probePorts.first;

/**
 * Binds a socket to the next port that is free.
 *
 * @param bind calls back when the socket is bound
 * @throws the system's error when none is, or the address is not there
 */
export async function onProbePort(socket: EventEmitter, bind: (port: number, bound: () => void) => unknown): Promise<void> {
  const count = probePorts.last - probePorts.first + 1;
  for (let tried = 1; ; tried++) {
    const port = next;
    next = port === probePorts.last ? probePorts.first : port + 1;
    try {
      return await new Promise<void>((resolve, reject) => {
        socket.once('error', reject);
        bind(port, () => {
          socket.off('error', reject);
          resolve();
        });
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tried === count) throw error;
    }
  }
}
