// The ports of a probe: few and known, so that the router's policy can let them in and nothing else.

/** First and last; nothing listens on them but while the link is measured. */
export const probePorts = { first: 47_000, last: 47_099 } as const;

let next: number = probePorts.first;

/**
 * Binds to the next port that is free.
 *
 * @throws the system's error when none is, or the address is not there
 */
export async function onProbePort(bind: (port: number) => Promise<void>): Promise<void> {
  const count = probePorts.last - probePorts.first + 1;
  for (let tried = 1; ; tried++) {
    const port = next;
    next = port === probePorts.last ? probePorts.first : port + 1;
    try {
      return await bind(port);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tried === count) throw error;
    }
  }
}
