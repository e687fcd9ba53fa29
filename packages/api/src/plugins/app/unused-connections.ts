// Browsers open connections ahead of what they may ask. Closing a server waits for all that are open, and Node takes those for idle
// only that have had a request: without this, a page that somebody has open would hold up the end of the service for a minute.
import type { Socket } from 'node:net';
import fp from 'fastify-plugin';

/** When the server is closed, connections end on which nothing was asked. */
export default fp(async (app) => {
  const unused = new Set<Socket>();
  let closing = false;
  app.server.on('connection', (socket) => {
    if (closing) return void socket.destroy();
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  app.server.on('request', ({ socket }) => unused.delete(socket));
  // Nor may one go idle that had a request in flight.
  app.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close');
  });
  app.addHook('preClose', async () => {
    closing = true;
    for (const socket of unused) socket.destroy();
  });
});
