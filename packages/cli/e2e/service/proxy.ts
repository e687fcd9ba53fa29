// A network between a runner and the api that can be cut and mended, and a proxy in it that knows no service while that is deployed.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** @param world whose api is on this machine */
export async function openProxy(t: TestContext, { url: apiUrl }: { url: string }) {
  const { hostname, port } = new URL(apiUrl);
  const sockets = new Set<Socket>();
  let isCut = false;
  let isDeployed = true;
  let refusals = 0;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    if (!isDeployed) {
      near.on('error', () => {});
      near.once('data', () => {
        refusals += 1;
        near.end(notFound);
      });
      return;
    }
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
      // The other side is gone: its close says so.
      socket.on('error', () => {});
    }
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  t.after(() => {
    cut();
    server.close();
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  return {
    url,
    cut,
    mend: () => {
      isCut = false;
      isDeployed = true;
    },
    /** How often the proxy itself has answered. */
    refusals: () => refusals,
    /** From now on every request is answered by the proxy itself. */
    undeploy: () => {
      isDeployed = false;
      for (const socket of sockets) socket.destroy();
    },
  };
}

const page = '<html><h1>404 page not found</h1></html>';
const notFound = `HTTP/1.1 404 Not Found\r\ncontent-type: text/html\r\ncontent-length: ${page.length}\r\nconnection: close\r\n\r\n${page}`;
