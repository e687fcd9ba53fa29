// A webhook's other end, for tests: a server on the loopback that keeps what it gets.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export type Received = { path: string; headers: IncomingHttpHeaders; text: string };

/** @param answer default 204. */
export async function receiver(
  t: TestContext,
  answer: (reply: ServerResponse, got: Received) => void = (reply) => reply.writeHead(204).end(),
) {
  const got: Received[] = [];
  const server = createServer(async (request, reply) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const received = { path: request.url ?? '', headers: request.headers, text: Buffer.concat(chunks).toString() };
    got.push(received);
    answer(reply, received);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook?key=s3cret`, port, got };
}
