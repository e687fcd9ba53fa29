// A thread that brings nginx to servers on this machine's loopback, also from another network namespace: it pipes bytes between a unix
// socket and each server as they are (WebSockets, streams, TLS).
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

export interface Relayed {
  socket: string;
  host: string;
  port: number;
}

await Promise.all(
  (workerData as Relayed[]).map(async ({ socket, host, port }) => {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
      // Either end may close at any time: then the other closes too.
      const far = connect({ host, port, allowHalfOpen: true, noDelay: true });
      near.pipe(far).pipe(near);
      near.on('error', () => far.destroy()).on('close', () => far.destroy());
      far.on('error', () => near.destroy()).on('close', () => near.destroy());
    });
    // The server's workers run as another user.
    server.listen({ path: socket, readableAll: true, writableAll: true, backlog: 4096 });
    await once(server, 'listening');
  }),
);
parentPort?.postMessage('listening');
