// Brings nginx to a server on this machine's loopback, also from another network namespace: a unix socket for each, and a thread that
// pipes bytes between it and the server, as they are (WebSockets, streams, TLS).
import { Worker } from 'node:worker_threads';

export interface Relayed {
  /** Path of the unix socket. */
  socket: string;
  host: string;
  port: number;
}

/** Resolves when all sockets are listened on. */
export function startRelay(relayed: readonly Relayed[]): Promise<{ stop(): Promise<void> }> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./relay-worker.ts', import.meta.url), { workerData: relayed, execArgv: [] });
    worker.once('message', () => resolve({ stop: async () => void (await worker.terminate()) }));
    worker.on('error', (error) => {
      reject(error);
      process.emitWarning(`the relay to the local server failed: ${error.message}`);
    });
  });
}
