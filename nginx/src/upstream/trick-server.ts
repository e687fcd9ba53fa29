// Serves the pages of hosts/tricks.ts: each object at its deadline, and the trick.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { realShare, type Shape, shapeOf, type Trick, type TrickObject, tricks } from '../hosts/tricks.ts';
import { viewportRows } from '../hosts/truth.ts';
import { isAwaitedAt, onePixel, Visits } from './truth-server.ts';

/** Loads of a page that the site answers as it should. */
const patience = 3;
/** A cache at the edge forgets a page after this time without a load; the loads of a round follow each other faster. */
const coldAfterMs = 4_000;
const coldMs = 400;
/** WAV of 25 s: one channel of 16,000 samples a second, a byte each. */
const silence = wav(Buffer.alloc(400_000, 128), 16_000);

function wav(samples: Buffer, perSecond: number): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF');
  header.writeUInt32LE(36 + samples.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  // PCM, one channel.
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(perSecond, 24);
  header.writeUInt32LE(perSecond, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

interface Asked {
  path: string;
  shape: Shape;
  trick: Trick | 'none';
  /** Factor of all times. */
  slower: number;
  isH3: boolean;
}

/** @returns what answers a request that arrived at `arrivedMs` (clock of `performance.now()`) */
export function makeTrickServer(): (request: IncomingMessage, response: ServerResponse, arrivedMs: number) => Promise<void> {
  const visits = new Visits();
  const loads = new Map<string, number>();
  const lastLoad = new Map<string, number>();
  // Text that compresses to a fifth.
  const text = Buffer.from(randomBytes(12_000).toString('hex').replace(/[0-9]/g, 'a b c '));

  return async (request, response, arrivedMs) => {
    const isH3 = request.headers['x-protocol'] === 'HTTP/3.0';
    const url = new URL(request.url ?? '/', 'http://upstream');
    const [, name = '', trick = '', real = '', what = ''] = /^\/([a-z-]+)\/([a-z0-9]+)\/(real|same)(\/.*)?$/.exec(url.pathname) ?? [];
    const shape = shapeOf(name);
    if (shape === undefined || !(trick === 'none' || trick in tricks)) {
      send(response, 404, 'text/plain', 'no such page');
      return;
    }
    const path = `/${name}/${trick}/${real}`;
    const asked: Asked = { path, shape, trick: trick as Asked['trick'], isH3, slower: real === 'real' && !isH3 ? 1 + realShare : 1 };
    const [, number = ''] = /^\/o\/(\d+)$/.exec(what) ?? [];
    if (number !== '') {
      const visit = visits.find(url.searchParams.get('visit') ?? '');
      await sendObject(response, asked, Number(number), visit?.arrivedMs ?? arrivedMs);
      return;
    }
    if (what === '/text.css') {
      const body = Buffer.concat([Buffer.from('/*'), text, Buffer.from('*/')]);
      if (trick === 'lengthless') {
        response.writeHead(200, { 'content-type': 'text/css', 'content-encoding': 'gzip', 'cache-control': 'no-store' });
        const packed = gzipSync(body);
        response.write(packed.subarray(0, packed.length / 2));
        response.end(packed.subarray(packed.length / 2));
      } else if (isH3) send(response, 200, 'text/css', gzipSync(body), { 'content-encoding': 'gzip' });
      else send(response, 200, 'text/css', body);
      return;
    }
    if (what === '/answer') {
      // Discovery, the first load of a page, may be faster than visits under a slow condition.
      const first = loads.get(path) === 1 ? url.searchParams.get('first') : null;
      await isAwaitedAt(arrivedMs + Number(first ?? url.searchParams.get(isH3 ? 'h3' : 'h2')), response);
      send(response, 200, 'text/javascript', 'window.answer = true;');
      return;
    }
    if (what === '/query') {
      await isAwaitedAt(arrivedMs + asked.slower * Number(url.searchParams.get('ms')), response);
      send(response, 200, 'text/plain', 'answer');
      return;
    }
    if (what === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
      response.write(': hello\n\n');
      await isAwaitedAt(arrivedMs + asked.slower * Number(url.searchParams.get('ms')), response);
      response.write('data: price\n\n');
      return;
    }
    if (what.startsWith('/news/')) {
      send(response, 200, 'text/plain', 'nothing new');
      return;
    }
    if (what === '/sound.wav') {
      send(response, 200, 'audio/wav', silence);
      return;
    }
    if (what === '' && shape.by === 'redirect') {
      send(response, 302, 'text/plain', '', { location: `${path}/page` });
      return;
    }
    if (what === '' && shape.by === 'frame') {
      const frame = `<iframe src="${path}/page" style="border:0;width:100vw;height:100vh"></iframe>`;
      send(response, 200, 'text/html', `${head}${frame}`);
      return;
    }
    const count = (loads.get(path) ?? 0) + 1;
    loads.set(path, count);
    const isCold = arrivedMs - (lastLoad.get(path) ?? Number.NEGATIVE_INFINITY) > coldAfterMs;
    lastLoad.set(path, arrivedMs);
    if (trick === 'cold' && isCold) await isAwaitedAt(arrivedMs + coldMs, response);
    if (trick === 'block' && count > patience) {
      send(response, 200, 'text/html', `${head}<h1>Too many requests</h1><p>Please slow down.`);
      return;
    }
    if ((trick === 'redirect' || trick === 'gate') && what !== '/home') {
      send(
        response,
        200,
        'text/html',
        `${head}${trick === 'gate' ? box(80) : ''}<h1>One moment, please</h1><script>setTimeout(() => location.replace('${path}/home'), 1000)</script>`,
      );
      return;
    }
    const objects = trick === 'thinned' && count > patience ? shape.objects.slice(0, 1) : shape.objects;
    const cache = trick === 'cold' ? { 'x-cache': isCold ? 'MISS' : 'HIT' } : {};
    // A reload finds its objects in the browser's cache.
    const [, before = ''] = /\bvisit=([^;]+)/.exec(request.headers.cookie ?? '') ?? [];
    const isRenewed = trick === 'renew' && visits.find(before) !== undefined;
    const visit = isRenewed ? before : visits.start(path, performance.now());
    send(response, 200, 'text/html', render(asked, objects, visit), {
      ...cache,
      ...(trick === 'renew' && { 'set-cookie': `visit=${visit}` }),
    });
  };
}

const head = '<!doctype html><meta charset="utf-8"><title>Trick</title><link rel="icon" href="data:,">';
const styles =
  '<style>html, body { margin: 0; background: #fff; overflow: hidden } img, div { position: absolute; left: 0; width: 100vw }</style>';

/** Nobody sees its answer or reads it, and it comes later over one protocol. */
const unseen = (path: string, h2Ms = 700, h3Ms = 150, more = '') => `<script>fetch('${path}/answer?h2=${h2Ms}&h3=${h3Ms}${more}')</script>`;
/** A small box that turns without end. */
const box = (
  size: number,
) => `<style>@keyframes turn { to { transform: rotate(1turn) } } .box { left: 40px; top: 40px; width: ${size}px; height: ${size}px; z-index: 2; background: #2a7a2a; animation: turn .8s linear infinite }</style>
<div class="box"></div>`;
/** What a page shows once its answers came. */
const price = `<style>#price { left: 60px; top: 50vh; width: 160px; height: 70px; background: #b3512f }</style><div id="price" hidden></div>`;
/** A strip that moves for half a minute, again and again. */
const logos = `<style>@keyframes go { to { transform: translateX(-50%) } } #logos { bottom: 0; width: 200vw; height: 10vh; z-index: 2; background: repeating-linear-gradient(90deg, #eee 0 60px, #556 60px 120px); animation: go 30s linear infinite }</style>
<div id="logos"></div>`;
const headline = (size: string, words: string) =>
  `<div id="headline" style="top:0;z-index:1;color:#2f6f73;font-size:${size}">${words}</div>`;
/** When a timer ends what covers a page or stands in for its headline: later than a page whose visit ends with its own network would be watched. */
const timerMs = 1_300;

/** What a trick adds before a page's objects. */
const added: Partial<Record<Trick, (path: string) => string>> = {
  timer: (path) =>
    `<script>document.documentElement.style.opacity = 0; setTimeout(() => { document.documentElement.style.opacity = 1; }, 1000)</script>${unseen(path)}`,
  carousel: (path) =>
    `<style>#hero { top: 0; height: calc(100vh / 8); z-index: 1; background: #2a7a2a }</style>${unseen(path)}
<div id="hero"></div><script>let slide = 0; setInterval(() => { hero.style.background = ['#2a7a2a', '#2a2a7a', '#7a2a2a'][++slide % 3]; }, 900)</script>`,
  reload: () =>
    `<script>if (sessionStorage.seen === undefined) { sessionStorage.seen = 1; addEventListener('load', () => location.reload()); }</script>`,
  compression: (path) => `<link rel="stylesheet" href="${path}/text.css">`,
  lengthless: (path) => `<link rel="stylesheet" href="${path}/text.css">`,
  splash: (path) => `${unseen(path)}<div id="splash" style="top:0;height:100vh;z-index:1;background:#fff">${box(80)}</div>
<script>setTimeout(() => splash.remove(), ${timerMs})</script>`,
  headline: (path) => `${unseen(path)}${headline('32px', 'What is new today')}
<script>setTimeout(() => { headline.outerHTML = '${headline('64px', 'All that is new today, and why')}'; }, ${timerMs})</script>`,
  spinner: () => box(80),
  polls: (path) => `<script>setInterval(() => fetch('${path}/news/' + Date.now()).then((response) => response.text()), 700)</script>`,
  bubble: (
    path,
  ) => `${unseen(path)}<style>#bubble { left: auto; right: 20px; bottom: 20px; width: 80px; height: 80px; border-radius: 40px; background: #b3512f }</style>
<div id="bubble" hidden></div><script>setTimeout(() => { bubble.hidden = false; }, ${timerMs})</script>`,
  stripes: (path) => `${unseen(path)}<style>@keyframes drift { to { transform: translateX(-40px) } }
#sky { top: 0; width: 110vw; height: 35vh; z-index: 1; background: repeating-linear-gradient(90deg, #ccd 0 20px, #dde 20px 40px); animation: drift 2s linear infinite }
#hero { top: 70vh; height: 25vh; z-index: 2; background: #b3512f }</style><div id="sky"></div><div id="hero" hidden></div>
<script>setTimeout(() => { hero.hidden = false; }, ${timerMs})</script>`,
  banner: (
    path,
  ) => `${unseen(path)}<style>#consent { bottom: -30vh; height: 30vh; z-index: 2; background: #b3512f; transition: bottom .4s ease-out }</style>
<div id="consent"></div><script>setTimeout(() => { consent.style.bottom = 0; }, ${timerMs})</script>`,
  marquee: () => logos,
  reword: (path) => `${unseen(path)}${headline('40px', 'What is new today, and why')}
<script>setTimeout(() => { headline.outerHTML = '${headline('40.4px', 'What is new today, and why')}'; }, ${timerMs})</script>`,
  ticker: (path) =>
    `<script>setInterval(() => { for (const share of ['A', 'B']) fetch('${path}/news/price?share=' + share).then((response) => response.text()) }, 333)</script>`,
  slider: (
    path,
  ) => `${unseen(path, 3_500)}<style>@keyframes slide { 0%, 23% { transform: none } 25%, 48% { transform: translateX(-100vw) } 50%, 73% { transform: translateX(-200vw) } 75%, 98% { transform: translateX(-300vw) } 100% { transform: none } }
#strip { top: 0; height: 40vh; width: 400vw; z-index: 2; display: flex; animation: slide 12s infinite } #strip p { margin: 0; width: 100vw; height: 40vh }</style>
<div id="strip"><p style="background:#2a7a2a"></p><p style="background:#7a2a2a"></p><p style="background:#2a2a7a"></p><p style="background:#7a7a2a"></p></div>`,
  ribbon: (path) => `${unseen(path, 2_150)}${logos}<style>#consent { bottom: 10vh; height: 9.5vh; z-index: 2; background: #b3512f }</style>
<div id="consent" hidden></div><script>setTimeout(() => { consent.hidden = false; }, 2050)</script>`,
  badge: (
    path,
  ) => `${unseen(path, 1_200)}${box(80)}<style>#badge { left: auto; right: 20px; bottom: 20px; width: 80px; height: 80px; border-radius: 40px; background: #b3512f }</style>
<div id="badge" hidden></div><script>setTimeout(() => { badge.hidden = false; }, ${timerMs})</script>`,
  chain: (path) => `${price}
<script>(async () => { for (const ms of [122, 122, 122, 1900]) await (await fetch('${path}/query?ms=' + ms)).text(); price.hidden = false; })()</script>`,
  covered: () => `<div id="splash" style="top:0;height:100vh;z-index:1;background:#fff">${box(48)}</div>
<script>setTimeout(() => splash.remove(), 1800)</script>`,
  fetched: (path) => `<div id="splash" style="top:0;height:100vh;z-index:1;background:#fff">${box(48)}</div>
<script>addEventListener('load', () => setTimeout(() => fetch('${path}/query?ms=1000').then((response) => response.text()).then(() => splash.remove()), 1000))</script>`,
  promo: (
    path,
  ) => `${unseen(path, 2600)}<style>@keyframes press { 50% { transform: translateY(-25%) } } #promo { top: 50vh; height: 50vh; z-index: 2; background: #b3512f } #promo b { position: absolute; left: 40%; top: 30%; width: 20%; height: 40%; background: #2a7a2a; animation: press 2s infinite }</style>
<div id="promo" hidden></div><script>setTimeout(() => fetch('${path}/query?ms=40').then((response) => response.text()).then(() => { promo.innerHTML = '<b></b>'; promo.hidden = false; }), 1150)</script>`,
  pulse: (
    path,
  ) => `${unseen(path, 4600)}<style>@keyframes pulse { 50% { opacity: .5 } } #skeleton { top: 0; height: 40vh; z-index: 2; background: #8899aa; animation: pulse 1.2s ease-in-out infinite } #consent { bottom: 0; height: 30vh; z-index: 2; background: #b3512f }</style>
<div id="skeleton"></div><div id="consent" hidden></div><script>setTimeout(() => { consent.hidden = false; }, 4200)</script>`,
  teaser: (
    path,
  ) => `${unseen(path, 4600)}${box(120)}<style>#teaser { left: auto; right: 20px; bottom: 20px; width: 12vw; height: 10vh; z-index: 2; background: #b3512f }</style>
<div id="teaser" hidden></div><script>setTimeout(() => { teaser.hidden = false; }, 4200)</script>`,
  blink: (
    path,
  ) => `${unseen(path, 5600, 150, '&first=150')}<style>@keyframes tint { 0% { background: #2a7a2a } 25% { background: #2a2a7a } 50% { background: #7a2a2a } 75% { background: #7a7a2a } } .box { left: 40px; top: 40px; width: 300px; height: 250px; z-index: 2; animation: tint 1.2s step-end infinite }
#teaser { left: auto; right: 20px; bottom: 20px; width: 25vw; height: 20vh; z-index: 2; background: #e0b020 }</style>
<div class="box"></div><div id="teaser" hidden></div><script>setTimeout(() => { teaser.hidden = false; }, 5200)</script>`,
  twice: (
    path,
  ) => `${unseen(path, 2600)}<style>@keyframes tint { 50% { background: #2a2a7a } } .box { left: 40px; top: 40px; width: 160px; height: 160px; z-index: 2; background: #2a7a2a; animation: tint 1.2s ease-in-out infinite }
#one { bottom: 0; height: 8vh; z-index: 2; background: #b3512f } #two { bottom: 20vh; height: 25vh; z-index: 2; background: #e0b020 }</style>
<div class="box"></div><div id="one" hidden></div><div id="two" hidden></div><script>setTimeout(() => { one.hidden = false; }, 1400); setTimeout(() => { two.hidden = false; }, 2900)</script>`,
  throb: (
    path,
  ) => `${unseen(path, 2600)}<style>@keyframes throb { 50% { opacity: .4 } } #skeleton { top: 0; height: 40vh; z-index: 2; background: #fff } #skeleton::before { content: ''; position: absolute; inset: 0; background: #223344; animation: throb 1s ease-in-out infinite }</style>
<div id="skeleton"></div>`,
  afterload: (
    path,
  ) => `<script async src="${path}/answer?h2=1700&h3=600&first=150"></script>${box(48)}<style>#late { bottom: 0; height: 30vh; z-index: 2; background: #b3512f }</style>
<div id="late" hidden></div><script>addEventListener('load', () => setTimeout(() => { late.hidden = false; }, 1600))</script>`,
  canvas:
    () => `<canvas id="sky" width="600" height="300" style="position:absolute;left:0;top:0;width:100vw;height:45vh;z-index:2"></canvas>
<script>{ const paint = (ms) => { const context = sky.getContext('2d'); const gradient = context.createLinearGradient(0, 0, 600, 300);
for (const [n, period] of [2600, 3400, 4600].entries()) gradient.addColorStop(n / 2, 'hsl(' + 360 * Math.abs(Math.sin(ms / period)) + ' 60% 50%)');
context.fillStyle = gradient; context.fillRect(0, 0, 600, 300); requestAnimationFrame(paint); }; requestAnimationFrame(paint); }</script>`,
  corner: (
    path,
  ) => `${unseen(path, 4600)}${box(48)}<style>#teaser { left: auto; right: 20px; bottom: 20px; width: 11vw; height: 9.5vh; z-index: 2; background: #b3512f }</style>
<div id="teaser" hidden></div><script>setTimeout(() => { teaser.hidden = false; }, 4200)</script>`,
  push: (
    path,
  ) => `${unseen(path, 150, 2_700)}${logos}<style>#price { left: 0; top: 40vh; height: 40vh; z-index: 2; background: #fff; color: #b3512f; font: bold 11vh/13vh sans-serif }</style><div id="price" hidden>Your balance this month is forty two pounds and nine pence, which is more than it was last year</div>
<script>new EventSource('${path}/events?ms=2600').onmessage = () => { price.hidden = false; }</script>`,
  levels: (path) => `${price}
<script>(async () => { for (const [h3, h2] of [[200, 260], [200, 260], [260, 260], [1900, 2470]]) await Promise.all([[40, 52], [h3, h2]].map(([h3, h2]) => fetch('${path}/answer?h3=' + h3 + '&h2=' + h2).then((response) => response.text()))); price.hidden = false; })()</script>`,
  tiers: (path) => `${price}
<script>(async () => { for (const last of [220, 220, 220, 900]) await Promise.all([40, last].map((ms) => fetch('${path}/query?ms=' + ms).then((response) => response.text()))); price.hidden = false; })()</script>`,
  gap: (
    path,
  ) => `${unseen(path, 3500)}<style>@keyframes pulse { 50% { opacity: .5 } } #skeleton { top: 0; height: 100vh; z-index: 2; background: #99aabb; animation: pulse 2s cubic-bezier(0.4, 0, 0.6, 1) infinite } #skeleton.done { background: #b3512f; animation: none }</style>
<div id="skeleton"></div><script>setTimeout(() => { skeleton.className = 'done'; }, 3080)</script>`,
  renew: (path) =>
    `<script>if (sessionStorage.seen === undefined) { sessionStorage.seen = 1; setTimeout(() => location.reload(), 3300); fetch('${path}/answer?h2=3000&h3=150&first=150'); }</script>`,
  media: (path) => `<audio autoplay muted loop src="${path}/sound.wav"></audio>`,
};

function render({ path, trick }: Asked, objects: readonly TrickObject[], visit: string): string {
  let top = 0;
  const elements = objects.map(({ kind, rows = 0 }, n) => {
    const url = `${path}/o/${n}?visit=${visit}`;
    const place = `style="top:calc(100vh * ${top} / ${viewportRows});height:calc(100vh * ${rows} / ${viewportRows})"`;
    top += rows;
    if (kind === 'sheet') return `<link rel="stylesheet" href="${url}">`;
    if (kind === 'hidden') return `<img src="${url}" alt="" hidden>`;
    if (kind === 'band') return `<img src="${url}" alt="" decoding="sync" ${place}>`;
    return `<div id="late${n}" ${place}></div>
<script>fetch('${url}').then((response) => { if (!response.ok) throw 0; return response.text(); })
  .then((colour) => { late${n}.style.background = colour; }, () => { late${n}.style.background = '#ddd'; late${n}.textContent = 'Something went wrong'; });</script>`;
  });
  return `${head}${styles}${trick === 'none' ? '' : (added[trick]?.(path) ?? '')}${elements.join('\n')}`;
}

async function sendObject(
  response: ServerResponse,
  { shape, trick, slower, isH3 }: Asked,
  number: number,
  arrivedMs: number,
): Promise<void> {
  const object = shape.objects[number];
  if (object === undefined) return send(response, 404, 'text/plain', 'no such object');
  if (isH3 && trick === '403' && number === 0) return send(response, 403, 'text/html', '<h1>Forbidden</h1>');
  if (isH3 && trick === '503' && object.kind === 'late-band') return send(response, 503, 'application/json', '{"error":"upstream"}');
  await isAwaitedAt(arrivedMs + slower * object.atMs, response);
  const { kind, colour = '#ffffff' } = object;
  const cached: Record<string, string> = trick === 'renew' ? { 'cache-control': 'max-age=600' } : {};
  if (kind === 'sheet') send(response, 200, 'text/css', `img { box-sizing: border-box }`, cached);
  else if (kind === 'late-band') send(response, 200, 'text/plain', colour);
  else send(response, 200, 'image/png', await onePixel(colour), cached);
}

function send(
  response: ServerResponse,
  status: number,
  type: string,
  content: string | Buffer,
  headers: Record<string, string> = {},
): void {
  if (response.destroyed) return;
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'content-length': Buffer.byteLength(content),
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(content);
}
