// Serves a test's pages on loopback, with an engine that loads them, and records their requests.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { defaultLimits } from '@pronghorn/core/schemas';
import type { Load } from '../src/engines/engine.ts';
import { puppeteerEngine } from '../src/engines/puppeteer.ts';
import type { Evidence } from '../src/gather/evidence.ts';
import { openLink } from '../src/link/link.ts';

/** The body of a page, or what answers. */
export type Page = string | ((request: IncomingMessage, response: ServerResponse) => void);

export interface Pages {
  /** host:port of 127.0.0.1, and of localhost, which is another site. */
  readonly host: string;
  readonly otherHost: string;
  /** Path and query of each request, and each connection, in milliseconds since the first request of the last load. */
  readonly seen: { path: string; atMs: number }[];
  readonly connections: number[];
  load(path: string, different?: Different): Promise<Evidence>;
}

type Different = Partial<Omit<Load, 'limits'>> & { limits?: Partial<Load['limits']> };

const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="#2f6f73"/></svg>';

export const html = (response: ServerResponse, body: string, headers: Record<string, string> = {}) =>
  response
    .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', ...headers })
    .end(`<!doctype html><link rel="icon" href="data:,">${body}`);

/** Pages that are still, and others that never are. */
export const endlessPages: Record<string, Page> = {
  '/still': '<h1>Still</h1>',
  '/animated': `<style>@keyframes turn { to { transform: rotate(1turn) } } div { width: 200px; height: 200px; background: #2f6f73; animation: turn 1s linear infinite }</style><h1>Animated</h1><div></div>`,
  '/painted': `<canvas id="c"></canvas><script>const c = document.getElementById('c').getContext('2d'); let n = 0; const paint = () => { c.fillStyle = 'hsl(' + n++ + ' 50% 50%)'; c.fillRect(0, 0, 300, 150); requestAnimationFrame(paint); }; paint();</script>`,
  '/stream': async (request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).write('open');
    while (!response.destroyed && !request.destroyed && !response.writableEnded) {
      response.write('.');
      await delay(250);
    }
  },
  '/events': (_, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n'),
  '/open-stream': `<h1>Stream</h1><script>addEventListener('load', async () => { for await (const _ of (await fetch('/stream')).body); });</script>`,
  '/event-source': `<h1>Events</h1><script>new EventSource('/events')</script>`,
};

/** Serves pages, and an SVG image at every other path. */
export async function openPages(t: { after(close: () => Promise<void>): void }, pages: Record<string, Page>): Promise<Pages> {
  const seen: Pages['seen'] = [];
  const connections: number[] = [];
  let first: number | undefined;
  const sinceFirst = () => {
    first ??= performance.now();
    return Math.round(performance.now() - first);
  };
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://page');
    seen.push({ path: `${pathname}${search}`, atMs: sinceFirst() });
    const page = pages[pathname];
    if (typeof page === 'function') page(request, response);
    else if (page !== undefined) html(response, page);
    else response.writeHead(200, { 'content-type': 'image/svg+xml', 'cache-control': 'no-store' }).end(svg);
  });
  server.on('connection', () => connections.push(sinceFirst()));
  server.listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const link = await openLink({ choice: 'direct', conditions: [], outside: false });
  const engine = puppeteerEngine(undefined, link.vantagePoint, { ahead: false });
  t.after(async () => {
    await engine.close();
    await link.close();
    server.close().closeAllConnections();
  });
  const host = `127.0.0.1:${port}`;
  const usual = { protocol: 'h1', discovery: 'forced', forced: [], view: 'cold', isolation: 'process', browser: 'chrome' } as const;
  return {
    host,
    otherHost: `localhost:${port}`,
    seen,
    connections,
    load: async (path, { limits, ...different } = {}) => {
      seen.length = 0;
      connections.length = 0;
      first = undefined;
      const load: Load = { ...usual, url: `http://${host}${path}`, limits: { ...defaultLimits, ...limits }, ...different };
      return (await engine.load(load)).evidence;
    },
  };
}
