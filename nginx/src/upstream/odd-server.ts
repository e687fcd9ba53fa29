// Serves the pages that misbehave.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { rgb } from '../content/painting.ts';
import { encodePng } from '../content/png.ts';
import { domain } from '../hosts/hosts.ts';
import { maxOpenMs, trickle } from './web/document.ts';

/** Paths on odd.pronghorn.test, by name. What each does stands in upstream/odd-server.ts and in nginx/README.md. */
const oddPaths = {
  status404: '/status/404',
  status500: '/status/500',
  status503: '/status/503',
  endlessDocument: '/endless.html',
  endlessImage: '/endless-image.html',
  silent: '/silent',
  cutOff: '/cut-off.html',
  download: '/download',
  manyImages: '/many-images.html',
  redirect: '/redirect',
  redirectLoop: '/redirect-loop',
  scriptRedirect: '/script-redirect.html',
  metaRefresh: '/meta-refresh.html',
  infiniteLoop: '/infinite-loop.html',
  alert: '/alert.html',
  nonAscii: '/straße/日本語.html',
  empty: '/empty.html',
  animation: '/animation.html',
  openStream: '/open-stream.html',
} as const;
type OddPage = keyof typeof oddPaths;

/** Hosts that limit something, by name: protocols, trust, or requests on a connection. */
const oddHosts = { h1only: 'h1only', h2only: 'h2only', selfSigned: 'selfsigned', fewRequests: 'few-requests' } as const;

export function oddUrls(port: number): Record<OddPage | keyof typeof oddHosts, string> {
  const pages = Object.entries(oddPaths).map(([name, path]) => [name, `https://odd.${domain}:${port}${path}`]);
  const others = Object.entries(oddHosts).map(([name, label]) => [name, `https://${label}.${domain}:${port}/`]);
  return Object.fromEntries([...pages, ...others]);
}

const trickleMs = 250;
const manyImages = 2000;
const noStore = { 'cache-control': 'no-store' };

type Answer = (response: ServerResponse, request: IncomingMessage) => void | Promise<void>;

export async function makeOddServer(): Promise<(request: IncomingMessage, response: ServerResponse) => Promise<void>> {
  const dots = await Promise.all(['#2f6f73', '#b3512f', '#c98a1b', '#39506b'].map(dot));
  const answers = new Map<string, Answer>(Object.entries(pages).map(([name, answer]) => [oddPaths[name as OddPage], answer]));
  answers.set('/endless.png', (response) => {
    response.writeHead(200, { 'content-type': 'image/png', ...noStore });
    return trickle(response, trickleMs, (n) => (n === 0 ? (dots[0] as Buffer).subarray(0, 40) : '\0'));
  });
  answers.set('/stream', (response) => {
    response.writeHead(200, { 'content-type': 'text/plain', ...noStore });
    return trickle(response, trickleMs, (n) => (n === 0 ? 'open\n' : 'still open\n'));
  });
  return async (request, response) => {
    const path = decodeURIComponent((request.url ?? '/').split('?')[0] as string);
    const image = /^\/dots\/(\d+)\.png$/.exec(path)?.[1];
    if (image) {
      response.writeHead(200, { 'content-type': 'image/png', 'cache-control': 'max-age=60' });
      response.end(dots[Number(image) % dots.length]);
      return;
    }
    const answer =
      answers.get(path) ?? ((missing) => html(missing, 404, 'No such page', `<p>There are: ${Object.values(oddPaths).join(' ')}</p>`));
    await answer(response, request);
  };
}

const pages: Record<OddPage, Answer> = {
  status404: (response) => html(response, 404, 'Not found'),
  status500: (response) => html(response, 500, 'Internal server error'),
  status503: (response) => html(response, 503, 'Unavailable'),
  // A document that shows its beginning and never ends.
  endlessDocument: (response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...noStore });
    return trickle(response, trickleMs, (n) =>
      n === 0 ? `<!doctype html><html lang="en">${head('Endless')}<h1>Endless</h1>` : '<p>and on</p>\n',
    );
  },
  // A document that is whole, with an image that never is: the load event doesn't come.
  endlessImage: (response) => html(response, 200, 'Endless image', '<img src="/endless.png" alt="" width="50" height="50">'),
  silent: (response) => {
    const given = setTimeout(() => html(response, 504, 'Too late'), maxOpenMs);
    response.once('close', () => clearTimeout(given));
  },
  // A document whose connection breaks before its end.
  cutOff: async (response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-length': 100_000, ...noStore });
    await new Promise((done) => response.write(`<!doctype html><html lang="en">${head('Cut off')}<h1>Cut off</h1>`, done));
    response.destroy();
  },
  download: (response) => {
    response.writeHead(200, {
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="a file.bin"',
      ...noStore,
    });
    response.end(Buffer.alloc(10_000, 'pronghorn'));
  },
  manyImages: (response) => {
    const images = Array.from({ length: manyImages }, (_, n) => `<img src="/dots/${n}.png" alt="" width="12" height="12">`);
    return html(response, 200, 'Many images', images.join('\n'));
  },
  redirect: (response, request) => {
    const port = request.headers.host?.split(':')[1];
    response.writeHead(302, { location: `https://article.${domain}:${port}/`, ...noStore });
    response.end();
  },
  redirectLoop: (response) => {
    response.writeHead(302, { location: oddPaths.redirectLoop, ...noStore });
    response.end();
  },
  // This one leaves before the load event, the next one after it: neither is the requested page.
  scriptRedirect: (response) => html(response, 200, 'Moving on', `<script>location.replace('${oddPaths.animation}');</script>`),
  metaRefresh: (response) =>
    html(
      response,
      200,
      'Moving on',
      '<p>Chrome follows a meta refresh after the load event.</p>',
      `<meta http-equiv="refresh" content="0;url=${oddPaths.animation}">`,
    ),
  infiniteLoop: (response) => html(response, 200, 'Infinite loop', '<script>for (;;);</script>'),
  alert: (response) => html(response, 200, 'Alert', `<script>addEventListener('load', () => alert('Stop here'));</script>`),
  nonAscii: (response) => html(response, 200, 'Straße · 日本語', '<p>Zwölf Boxkämpfer 走る</p>'),
  empty: (response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...noStore });
    response.end('<!doctype html><title></title><link rel="icon" href="data:,">');
  },
  animation: (response) =>
    html(
      response,
      200,
      'Never still',
      `<style>@keyframes turn { to { transform: rotate(1turn); } } div { width: 200px; height: 200px; background: #2f6f73; animation: turn 1s linear infinite; }</style><div></div>`,
    ),
  openStream: (response) =>
    html(
      response,
      200,
      'Open stream',
      `<p id="state">waiting</p><script>addEventListener('load', async () => {
  for await (const chunk of (await fetch('/stream')).body) document.getElementById('state').textContent = chunk.length + ' bytes more';
});</script>`,
    ),
};

const head = (title: string, more = '') =>
  `<head><meta charset="utf-8"><title>${title}</title><link rel="icon" href="data:,">${more}<style>body { font: 16px/1.5 "Liberation Sans", Arial, sans-serif; margin: 2em; }</style></head>`;

function html(response: ServerResponse, status: number, title: string, body = '', inHead = ''): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...noStore });
  response.end(`<!doctype html>\n<html lang="en">${head(title, inHead)}\n<body><h1>${title}</h1>\n${body}</body></html>\n`);
}

const dot = (colour: string) => encodePng({ width: 1, height: 1, rgb: Uint8Array.from(rgb(colour)) });
