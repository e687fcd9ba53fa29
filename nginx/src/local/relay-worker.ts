// A thread that brings nginx to servers on this machine's loopback, also from another network namespace. Between a unix socket and each server it
// pipes bytes as they are (WebSockets, streams, TLS), or names hosts behind nginx where the server names the loopback.
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { type FrontNames, placeOf } from './loopback.ts';
import { renamingServer } from './renaming-server.ts';

export interface Relayed {
  socket: string;
  /** Such as http://localhost:3000. */
  origin: string;
  /** Null: its answers pass as they are. */
  names: FrontNames | null;
}

function pipingServer(origin: URL): Server {
  return createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    // Either end may close at any time: then the other closes too.
    const far = connect({ ...placeOf(origin), allowHalfOpen: true, noDelay: true });
    near.pipe(far).pipe(near);
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
  });
}

await Promise.all(
  (workerData as Relayed[]).map(async ({ socket, origin, names }) => {
    const server = names === null ? pipingServer(new URL(origin)) : renamingServer(new URL(origin), names);
    // The server's workers run as another user.
    server.listen({ path: socket, readableAll: true, writableAll: true, backlog: 4096 });
    await once(server, 'listening');
  }),
);
parentPort?.postMessage('listening');
