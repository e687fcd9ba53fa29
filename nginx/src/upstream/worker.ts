// The upstream behind the server: answers at exact times, or not at all. Runs in a worker thread.
import { createServer } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { domain } from '../hosts/hosts.ts';
import { makeOddServer } from './odd-server.ts';
import { makeTrickServer } from './trick-server.ts';
import { makeTruthServer } from './truth-server.ts';
import { makeWebServer } from './web/web-server.ts';

export interface UpstreamData {
  path: string;
  /** Folder of the sites; undefined: without the pages of the web. */
  content: string | undefined;
}

const { path, content } = workerData as UpstreamData;
const tricks = makeTrickServer();
const [truth, odd, web] = await Promise.all([
  makeTruthServer(),
  makeOddServer(),
  content === undefined ? undefined : makeWebServer(content),
]);

const server = createServer(async (request, response) => {
  const arrivedMs = performance.now();
  try {
    const isFor = (label: string) => request.headers.host?.startsWith(`${label}.${domain}`);
    if (await web?.answer(request, response)) return;
    if (isFor('tricks')) await tricks(request, response, arrivedMs);
    else await (isFor('truth') ? truth(request, response, arrivedMs) : odd(request, response));
  } catch (error) {
    if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
    response.end(`the demo origin's upstream failed: ${(error as Error).message}\n`);
  }
});
// The server keeps its connections open; a deadline must never wait for a new one.
server.keepAliveTimeout = 3600_000;
server.requestTimeout = 0;

// The server's workers run as another user.
if (web) server.on('upgrade', web.upgrade);
server.listen({ path, readableAll: true, writableAll: true, backlog: 4096 }, () => parentPort?.postMessage('listening'));
