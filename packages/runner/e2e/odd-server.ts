// A small server of pages whose requests end in unusual ways: stopped by a policy or by the page, hinted early, never finished.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureCertificates } from '../../../nginx/src/machine/certificates.ts';
import type { DemoOrigin } from '../src/engines/engine.ts';

export interface OddServer {
  /** URL of a host without a port, which Chrome's rules map to this server, as they do other hosts. */
  url(path: string, host?: string): string;
  lab: DemoOrigin;
  paths: string[];
  close(): Promise<void>;
}

/** Bytes of a body that a page begins to read and never finishes. */
export const unfinishedBytes = 2 * 1024 * 1024;
/** How long the document behind Early Hints takes once the browser has followed them. */
export const hintedMs = 200;

type Answer = (response: Http2ServerResponse, request: Http2ServerRequest) => void | Promise<void>;

const html = (response: Http2ServerResponse, body: string, headers: Record<string, string> = {}) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', ...headers });
  response.end(`<!doctype html><html lang="en"><head><title>Odd</title><link rel="icon" href="data:,">${body}</html>`);
};
const text = (response: Http2ServerResponse, body: string | Buffer, type: string, headers: Record<string, string> = {}) => {
  response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body), ...headers });
  response.end(body);
};

/** What the page that was requested last has done: followed its hints, or read what it can of a body. */
let hintFollowed = Promise.withResolvers<void>();
let bodyRead = Promise.withResolvers<void>();
const dot = (response: Http2ServerResponse) =>
  text(response, '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', 'image/svg+xml');

const answers: Record<string, Answer> = {
  '/plain': (response) => html(response, '</head><h1>Plain</h1>'),
  // Chrome itself refuses all five images: nothing of them leaves it.
  '/policy': (response) =>
    html(response, `</head><h1>Policy</h1>${[1, 2, 3, 4, 5].map((n) => `<img src="/dot-${n}.svg" alt="">`).join('')}`, {
      'content-security-policy': "img-src 'none'",
    }),
  // One request that the page takes back, one that another host does not share, one that fails for true.
  '/stopped': (response) =>
    html(
      response,
      `</head><h1>Stopped</h1><script>
const stop = new AbortController();
fetch('/silent', { signal: stop.signal }).catch(() => {});
fetch('/asked-after-it').then(() => stop.abort());
fetch('https://other.pronghorn.test/style.css').catch(() => {});
fetch('/cut').then((answer) => answer.text()).catch(() => {});
</script>`,
    ),
  '/silent': () => {},
  '/cut': (response) => response.stream.close(2),
  '/hinted': async (response) => {
    hintFollowed = Promise.withResolvers();
    response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
    await hintFollowed.promise;
    setTimeout(() => html(response, '<link rel="stylesheet" href="/style.css"></head><h1>Hinted</h1>'), hintedMs);
  },
  '/style.css': (response) => {
    hintFollowed.resolve();
    text(response, `h1 { color: teal } /* ${'x'.repeat(20_000)} */`, 'text/css', { 'cache-control': 'max-age=60' });
  },
  // As a hero video: much is read, and the end never comes. The load event waits for what is read.
  '/unfinished': (response) => {
    bodyRead = Promise.withResolvers();
    html(
      response,
      `</head><h1>Unfinished</h1><img src="/once-read" alt=""><script>fetch('/endless').then(async ({ body }) => {
  let read = 0;
  for await (const piece of body) if ((read += piece.length) === ${unfinishedBytes}) fetch('/read');
});</script>`,
    );
  },
  '/read': (response) => {
    bodyRead.resolve();
    dot(response);
  },
  '/once-read': (response) => void bodyRead.promise.then(() => dot(response)),
  '/taken-back': (response) =>
    html(
      response,
      `</head><h1>Taken back</h1><script>fetch('/endless').then(async ({ body }) => {
  let read = 0;
  for await (const piece of body) if ((read += piece.length) >= ${unfinishedBytes}) break;
});</script>`,
    ),
  '/endless': (response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' });
    response.write(Buffer.alloc(unfinishedBytes, 7));
  },
  '/sockets': (response) =>
    html(
      response,
      `</head><h1>Sockets</h1><script>const socket = new WebSocket('wss://' + location.host + '/socket'); socket.onopen = () => socket.send('hello');</script>`,
    ),
  '/critical': (response) =>
    html(response, '</head><h1>Critical</h1>', {
      'accept-ch': 'Sec-CH-UA-Model',
      'critical-ch': 'Sec-CH-UA-Model',
      vary: 'Sec-CH-UA-Model',
    }),
};

/** @param brokenHttp2 a server that agrees on HTTP/2 and then hangs up */
export async function openOddServer({ brokenHttp2 = false } = {}): Promise<OddServer> {
  const directory = mkdtempSync(join(tmpdir(), 'pronghorn-odd-'));
  const { leaf, spki } = await ensureCertificates(directory);
  const paths: string[] = [];
  const server = createSecureServer({ key: readFileSync(leaf.key), cert: readFileSync(leaf.certificate), allowHTTP1: true });
  server.on('request', (request, response) => {
    const path = new URL(request.url, 'https://odd.pronghorn.test').pathname;
    paths.push(path);
    const answer = answers[path];
    if (answer !== undefined) void answer(response, request);
    else dot(response);
  });
  if (brokenHttp2) server.on('session', (session) => session.destroy());
  // RFC 6455: Chrome opens a WebSocket on a connection of its own, over HTTP/1.1.
  server.on('upgrade', (request, socket) => {
    const key = createHash('sha1').update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${key}\r\n\r\n`);
    socket.write(Buffer.from([0x81, 2, 0x68, 0x69]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  // A WebSocket's connection is neither a session's nor a request's.
  const connections = new Set<Socket>();
  server.on('secureConnection', (socket) => connections.add(socket));
  return {
    url: (path, host = 'odd.pronghorn.test') => `https://${host}${path}`,
    lab: {
      trust: { spki, hostRules: `MAP *.pronghorn.test:443 127.0.0.1:${port},MAP *.pronghorn.test:80 127.0.0.1:${port}` },
      serves: (hostname) => hostname.endsWith('.pronghorn.test'),
      settings: { server: 'odd' },
    },
    paths,
    close: async () => {
      for (const connection of connections) connection.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
