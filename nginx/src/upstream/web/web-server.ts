// Serves the pages of the web and their third parties, by the name of the host.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { Protocol } from '@pronghorn/core/vocabulary';
import { source } from '../../content/site-files.ts';
import { domain } from '../../hosts/hosts.ts';
import { webHosts } from '../../hosts/web-hosts.ts';
import { pages } from './behaviours.ts';
import { html, json, pause, script, send } from './document.ts';

interface WebServer {
  /** @returns whether the request was for a host of the web */
  answer(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  upgrade(request: IncomingMessage, socket: Duplex): void;
}

export interface WebRequest {
  request: IncomingMessage;
  response: ServerResponse;
  label: string;
  path: string;
  query: URLSearchParams;
  protocol: Protocol;
  cookies: ReadonlyMap<string, string>;
  /** URL of the root of another host of the web. */
  site(label: string): string;
  documents: Documents;
}

/** The documents of the demo's sites, which the web's pages vary, and the paths of their pictures. */
interface Documents {
  article: string;
  shop: string;
  large: string;
  pots: readonly string[];
  /** Bytes of a file under /assets/ of the shop. */
  shopAsset(path: string): Promise<Buffer>;
}

export type Answer = (web: WebRequest) => void | Promise<void>;

const versions: Readonly<Record<string, Protocol>> = { 'HTTP/2.0': 'h2', 'HTTP/3.0': 'h3' };

export async function makeWebServer(content: string): Promise<WebServer> {
  const document = (site: string) => readFile(join(content, site, 'index.html'), 'utf8');
  const [article, shop, large] = await Promise.all([document('article'), document('shop'), document('large-objects')]);
  const documents: Documents = {
    article,
    shop,
    large,
    pots: [...new Set(shop.match(/\/assets\/pot-\d+\.\w+\.png/g))],
    shopAsset: (path) => readFile(join(content, 'shop', path)),
  };
  const labels = new Set(webHosts.map(({ name }) => name.replace(`.${domain}`, '')));
  const answers = new Map<string, Answer>(Object.entries({ ...pages, ...applications }));
  return {
    async answer(request, response) {
      const { host = '' } = request.headers;
      const [name = '', port] = host.split(':');
      const label = name.endsWith(`.${domain}`) ? name.slice(0, -domain.length - 1) : '';
      if (!labels.has(label)) return false;
      const { pathname, searchParams } = new URL(request.url ?? '/', 'https://host');
      await (answers.get(label) ?? thirdParty)({
        request,
        response,
        label,
        path: pathname,
        query: searchParams,
        protocol: versions[String(request.headers['x-protocol'])] ?? 'h1',
        cookies: cookiesOf(request),
        site: (other) => `https://${other}.${domain}:${port}/`,
        documents,
      });
      return true;
    },
    upgrade: talk,
  };
}

function cookiesOf({ headers: { cookie = '' } }: IncomingMessage): Map<string, string> {
  return new Map(cookie.split('; ').map((pair) => [pair.split('=')[0] ?? '', pair.split('=')[1] ?? '']));
}

// Third parties serve pictures, tags that request more, advertisements in frames; two of them are unwell.

/** The flaky host fails in two requests of this many: refuses one, breaks the other off. */
const flakyCycle = 40;
let flakyRequests = 0;

/** Extra time that the slow host takes over HTTP/3. */
const slowH3Ms = 400;

/** One pixel, transparent: what trackers answer. */
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

const thirdParty: Answer = async (web) => {
  const { response, label, path, query, protocol, documents } = web;
  if (label === 'flaky' && fails(web)) return;
  if (label === 'slow-h3' && protocol === 'h3') await pause(response, slowH3Ms);
  const pot = documents.pots[Number(/^\/pots\/(\d+)\.png$/.exec(path)?.[1])];
  if (pot !== undefined) return send(response, await documents.shopAsset(pot), 'image/png');
  switch (path) {
    // An analytics tag: counts the visitor by its own request.
    case '/tag.js':
      return script(
        response,
        `new Image().src = '/pixel.gif?'.replace('/', new URL('/', document.currentScript.src)) + ${JSON.stringify(query.toString())};`,
      );
    case '/pixel.gif':
      return send(response, pixel, 'image/gif');
    case '/ad.html':
      return html(response, {
        base: frame,
        body: `<a href="/"><img src="${documents.pots[Number(query.get('slot') ?? 0) % 64]}" alt="" width="120" height="120"><b>A pot for every shelf</b>From the autumn kiln</a>`,
      });
    case '/player.html':
      return html(response, { base: documents.shop, headline: 'A shelf in a frame' });
    case '/consent':
      return html(response, {
        base: documents.shop,
        instead: `<main style="max-width:36em;margin:12vh auto"><h1>Before you read on</h1><p>Ninety-four partners would like to know you better.</p>
<p><a href="${consentTarget(web)}" id="accept">Accept</a></p></main>`,
      });
    default:
      return html(response, { base: documents.shop, headline: label });
  }
};

/** Leads back to the page that the visitor came from, if that is a host of the demo. */
function consentTarget({ query }: WebRequest): string {
  const back = query.get('back') ?? '';
  return /^https:\/\/consent\.pronghorn\.test:\d+\/$/.test(back) ? `${back}accepted` : '/';
}

/** @returns whether it has failed the request */
function fails({ response }: WebRequest): boolean {
  const turn = flakyRequests++ % flakyCycle;
  if (turn === 5) send(response, 'Too busy', 'text/plain', 503);
  else if (turn === 25) {
    // The body is shorter than its promised length: the server in front can only break off.
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': 9_000 });
    response.write(Buffer.alloc(900), () => response.destroy());
  } else return false;
  return true;
}

const frame = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Advertisement</title>
<style>body{margin:0;font:14px/1.4 "Liberation Sans",sans-serif}a{display:block;padding:8px;color:#1f2a2b;text-decoration:none}b{display:block}</style></head><body></body></html>`;

const everyMs = 100;
/** RFC 6455 §1.3. */
const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

function talk(request: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  const key = request.headers['sec-websocket-key'];
  if (key === undefined || request.headers.upgrade?.toLowerCase() !== 'websocket') {
    socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    return;
  }
  const accept = createHash('sha1').update(`${key}${guid}`).digest('base64');
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`);
  let price = 40;
  const timer = setInterval(() => socket.write(textFrame(JSON.stringify({ mug: ++price }))), everyMs);
  // Any message of the client, its close frame too, ends it.
  socket.on('data', () => socket.end(Buffer.from([0x88, 0])));
  socket.once('close', () => clearInterval(timer));
}

/** A text frame that is final, unmasked and shorter than 126 bytes (§5.2). */
function textFrame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)]);
}

// Applications: a skeleton at once, content after the load event. When the content is on the screen, the page says so itself: it asks for
// /seen?content=MS (on its own clock, from the start of its navigation), so that a visit's requests show when content was there.

/** Times from the load event on. */
interface Schedule {
  /** Wait before the script begins. */
  waitMs: number;
  /** Tasks of script that build what the page shows. */
  tasks: number;
  taskMs: number;
  /** A timer between the script and its request. */
  timerMs: number;
  answerMs: number;
}

const schedules = {
  application: { waitMs: 60, tasks: 1, taskMs: 300, timerMs: 0, answerMs: 60 },
  'application-timer': { waitMs: 0, tasks: 0, taskMs: 0, timerMs: 200, answerMs: 60 },
  'application-at-once': { waitMs: 0, tasks: 1, taskMs: 400, timerMs: 0, answerMs: 60 },
  'application-tasks': { waitMs: 0, tasks: 6, taskMs: 900, timerMs: 0, answerMs: 60 },
} as const satisfies Record<string, Schedule>;

const applications: Readonly<Record<string, Answer>> = Object.fromEntries(
  Object.entries(schedules).map(([name, schedule]) => [name, (web: WebRequest) => answer(web, schedule)]),
);

async function answer({ response, path, documents }: WebRequest, schedule: Schedule): Promise<void> {
  switch (path) {
    case '/':
      return html(response, {
        base: documents.shop,
        head: `<style>${await source('web/application.css')}</style>`,
        instead: `<header><a class="brand" href="/">Turned · studio</a></header>
<main id="content" aria-busy="true">${'<div class="bone"></div>'.repeat(12)}</main>
<script src="/application.js" data-schedule='${JSON.stringify(schedule)}'></script>`,
      });
    case '/application.js':
      return script(response, await source('web/application.js'));
    case '/api/pots': {
      await pause(response, schedule.answerMs);
      const pots = documents.pots.slice(0, 12).map((picture, n) => ({ name: `Pot no. ${n + 1}`, price: 20 + n * 7, picture }));
      return json(response, pots, { 'server-timing': `answer;dur=${schedule.answerMs}` });
    }
    case '/seen':
      return send(response, '', 'text/plain', 200);
    default:
      return html(response, { base: documents.shop, headline: 'There is no such page' }, 404);
  }
}
