// The thread of relay.ts.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import type { Relayed } from './relay.ts';

await Promise.all(
  (workerData as Relayed[]).map(async ({ socket, host, port }) => {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
      // Either end may break off at any time: then the other has nobody to talk to.
      const far = connect({ host, port, allowHalfOpen: true, noDelay: true });
      near.pipe(far).pipe(near);
      near.on('error', () => far.destroy()).on('close', () => far.destroy());
      far.on('error', () => near.destroy()).on('close', () => near.destroy());
    });
    // The server's workers are other people.
    server.listen({ path: socket, readableAll: true, writableAll: true, backlog: 4096 });
    await once(server, 'listening');
  }),
);
parentPort?.postMessage('listening');
