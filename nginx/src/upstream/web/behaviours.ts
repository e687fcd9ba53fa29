// The behaviour of the web's pages, by the label of their host: each is a page of the demo that behaves as one in production.
import { source } from '../../content/site-files.ts';
import { thirdPartyLabels } from '../../hosts/web-pages.ts';
import { html, json, notice, pause, redirect, script, send, trickle } from './document.ts';
import type { Answer, WebRequest } from './web-server.ts';

/** The account of pages with a login. */
const person = { user: 'ada', password: 'sagebrush' };

const trickleMs = 500;
const pollMs = 25_000;
/** Time between the 103 and the document. */
const earlyMs = 600;
/** With the article's own 30 requests and those of its document, 10,000. */
const tiles = 9_970;
const abortedMs = 400;

/** The document of a page at /, and the article under every other path. */
function page(
  vary: (web: WebRequest) => { headline?: string; head?: string; body?: string; instead?: string },
  base: 'article' | 'shop' | 'large' = 'article',
): Answer {
  return (web) => html(web.response, { base: web.documents[base], ...(web.path === '/' ? vary(web) : {}) });
}

const pots = (web: WebRequest, label: string, from: number, count: number, attributes = '') =>
  Array.from(
    { length: count },
    (_, n) => `<img src="${web.site(label)}pots/${from + n}.png" alt="" width="120" height="120" ${attributes}>`,
  ).join('\n');

const onLoad = (text: string) => `<script>addEventListener('load', async () => { ${text} });</script>`;

export const pages: Readonly<Record<string, Answer>> = {
  'third-parties': page((web) => {
    const of = (kind: string) => thirdPartyLabels.filter((label) => label.startsWith(`${kind}-`));
    return {
      head: of('tags')
        .map((label, n) => `<script src="${web.site(label)}tag.js?page=${n}" async></script>`)
        .join('\n'),
      body: [
        `<section>${[...of('cdn'), ...of('images')].map((label, n) => pots(web, label, n * 3, 3)).join('')}</section>`,
        `<section>${of('edge')
          .map((label, n) => pots(web, label, 40 + n, 1))
          .join('')}${pots(web, 'flaky', 50, 6)}${pots(web, 'slow-h3', 60, 2)}</section>`,
        ...of('ads').map(
          (label, n) => `<iframe src="${web.site(label)}ad.html?slot=${n}" title="Advertisement" width="300" height="180"></iframe>`,
        ),
      ].join('\n'),
    };
  }),
  'udp-outage': page((web) => ({ body: pots(web, 'edge-1', 0, 4) })),
  'flaky-host': page((web) => ({ body: pots(web, 'flaky', 0, 20) }), 'shop'),
  'slow-protocol': page((web) => ({ body: pots(web, 'slow-h3', 0, 6) }), 'shop'),

  // A script that keeps the main thread for six seconds, a moment after load.
  'long-task': page(
    () => ({ body: onLoad('setTimeout(() => { const end = performance.now() + 6000; while (performance.now() < end); }, 50);') }),
    'shop',
  ),

  preconnect: (web) => {
    const host = web.site('hinted');
    if (web.path === '/badge.css') return send(web.response, `#badge { background: url(${host}pots/1.png); }`, 'text/css; charset=utf-8');
    return preconnect(web);
  },
  speculation: page(() => ({
    head: `<script type="speculationrules">${JSON.stringify({
      prefetch: [{ urls: ['/next.html'], eagerness: 'immediate' }],
      prerender: [{ urls: ['/after.html'], eagerness: 'immediate' }],
    })}</script>`,
    body: `<nav><a href="/next.html">How far is a horizon?</a> <a href="/after.html">The last fence</a></nav>${onLoad("await new Promise((done) => setTimeout(done, 500)); await fetch('/read');")}`,
  })),
  'early-hints': async (web) => {
    const { response, documents } = web;
    const sheets = documents.shop.match(/\/assets\/[\w-]+\.\w+\.css/g) ?? [];
    response.writeEarlyHints({ link: sheets.map((sheet) => `<${sheet}>; rel=preload; as=style`) });
    await pause(response, earlyMs);
    html(response, { base: documents.shop }, 200, { 'server-timing': `render;dur=${earlyMs}` });
  },
  'service-worker': async (web) => {
    const { response, path, documents } = web;
    if (path === '/worker.js')
      return script(
        response,
        (await source('web/service-worker.js')).replace('[]', () => JSON.stringify(documents.pots.slice(0, 40))),
      );
    return page(() => ({ body: onLoad("navigator.serviceWorker.register('/worker.js');") }), 'shop')(web);
  },

  'popup-ready': page(() => ({ head: `<script>addEventListener('DOMContentLoaded', () => window.open('/offer.html'));</script>` })),
  'popup-load': page(() => ({ body: onLoad("window.open('/offer.html');") })),
  'cookie-reload': page(({ cookies }) =>
    cookies.has('currency') ? {} : { head: `<script>document.cookie = 'currency=EUR; path=/'; location.reload();</script>` },
  ),
  canonical: page(() => ({ head: `<script>location.replace('/animals/the-ghost-that-made-them-fast');</script>` })),
  consent: (web) => {
    const { response, path, cookies, documents } = web;
    if (path === '/accepted') return redirect(response, '/', { 'set-cookie': 'consent=all; path=/; secure' });
    if (path === '/' && !cookies.has('consent'))
      return redirect(response, `${web.site('consent-desk')}consent?back=${encodeURIComponent(web.site('consent'))}`);
    return html(response, { base: documents.article });
  },
  geo: (web) => {
    const { response, request, path, documents } = web;
    const language = /^[a-z]{2}/.exec(request.headers['accept-language'] ?? '')?.[0] ?? 'en';
    if (path === '/') return redirect(response, `/${language}/`);
    return html(response, { base: documents.shop, body: notice(`Prices for your country (${path.slice(1, 3)})`) });
  },

  'wall-403': (web) => (isBot(web) ? refuse(web, 403) : html(web.response, { base: web.documents.article })),
  'wall-200': (web) => (isBot(web) ? refuse(web, 200) : html(web.response, { base: web.documents.article })),
  'wall-reload': ({ response, cookies, documents }) =>
    html(
      response,
      cookies.get('checked') === 'yes'
        ? { base: documents.article }
        : {
            base: documents.article,
            headline: 'Checking your browser',
            instead: `${checking}<script>setTimeout(() => { document.cookie = 'checked=yes; path=/'; location.reload(); }, 300);</script>`,
          },
    ),
  'wall-protocol': (web) => {
    const { response, path, protocol, documents } = web;
    if (path === '/captcha') return html(response, { base: documents.article, headline: 'Are you a person?', instead: checking });
    if (protocol === 'h1') return redirect(response, '/captcha');
    return html(response, { base: documents.article });
  },

  'event-stream': async (web) => {
    if (web.path !== '/events')
      return page(() => ({ body: onLoad("new EventSource('/events').onmessage = ({ data }) => { document.title = data; };") }))(web);
    const { response } = web;
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    await trickle(response, trickleMs, (n) => `data: ${n} readers\n\n`);
  },
  'long-polling': async (web) => {
    if (web.path !== '/poll') return page(() => ({ body: onLoad("for (;;) await (await fetch('/poll')).json();") }))(web);
    await pause(web.response, pollMs);
    json(web.response, { news: null });
  },
  'open-fetch': async (web) => {
    if (web.path !== '/open')
      return page(() => ({ body: onLoad("for await (const part of (await fetch('/open')).body) document.title = part.length;") }))(web);
    const { response } = web;
    response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-store' });
    await trickle(response, trickleMs, (n) => `${n} more\n`.repeat(200));
  },
  'hero-video': page(() => ({
    body: `<video src="/web/hero.webm" autoplay muted loop playsinline preload="auto" width="1200" height="440" style="position:absolute;top:90px;left:50%;translate:-50%"></video>`,
  })),
  websocket: page(
    () => ({
      body: `${notice('Mugs today: <b id="price">…</b>')}${onLoad(
        "new WebSocket('wss://' + location.host + '/prices').onmessage = ({ data }) => { document.getElementById('price').textContent = JSON.parse(data).mug; };",
      )}`,
    }),
    'shop',
  ),
  // Each picture once more, as another file: 10 MB, not 7.5.
  'ten-megabytes': page(
    ({ documents }) => ({
      body:
        documents.large
          .match(/\/assets\/print-[24]\.\w+\.png/g)
          ?.map((print) => `<img src="${print}?framed" alt="" width="400">`)
          .join('') ?? '',
    }),
    'large',
  ),
  'ten-thousand': (web) => {
    const { response, path } = web;
    if (path.startsWith('/tiles/')) return send(response, tile, 'image/gif', 200, { 'cache-control': 'max-age=60' });
    return page(() => ({
      body: `<section style="line-height:0">${Array.from({ length: tiles }, (_, n) => `<img src="/tiles/${n}.gif" alt="" width="12" height="12">`).join('')}</section>`,
    }))(web);
  },
  animated: page(() => ({
    body: `<canvas id="sky" width="1200" height="440" style="position:absolute;top:90px;left:50%;translate:-50%"></canvas><script>
const canvas = document.getElementById('sky').getContext('2d');
const start = performance.now();
requestAnimationFrame(function paint(now) {
  for (let n = 0; n < 400; n++) {
    canvas.fillStyle = 'hsl(' + (now / 20 + n) % 360 + ' 60% 55%)';
    canvas.fillRect(Math.random() * 1200, Math.random() * 440, 40, 40);
  }
  if (now - start < 60000) requestAnimationFrame(paint);
});
</script>`,
  })),
  'soft-404': ({ response, documents }) =>
    html(response, { base: documents.shop, headline: 'This pot is gone', body: notice('We could not find what you asked for.') }),

  'basic-auth': ({ request, response, documents }) => {
    const expected = `Basic ${Buffer.from(`${person.user}:${person.password}`).toString('base64')}`;
    if (request.headers.authorization === expected) return html(response, { base: documents.article });
    html(response, { base: documents.article, headline: 'Staging' }, 401, { 'www-authenticate': 'Basic realm="staging"' });
  },
  login: async (web) => {
    const { request, response, path, cookies, documents } = web;
    if (path === '/login' && request.method === 'POST') {
      const form = new URLSearchParams(await bodyOf(web));
      const known = form.get('user') === person.user && form.get('password') === person.password;
      return redirect(response, known ? '/' : '/login?again', known ? { 'set-cookie': 'session=ada; path=/; secure; httponly' } : {});
    }
    if (path === '/login') return html(response, { base: documents.shop, headline: 'Log in', instead: loginForm });
    if (cookies.get('session') !== person.user) return redirect(response, '/login?next=/');
    return html(response, { base: documents.shop, body: notice('Welcome back, Ada.') });
  },

  blocked: async (web) => {
    // Requests that the page aborts must be under way by then.
    if (web.path === '/slow') await pause(web.response, abortedMs);
    return blocked(web);
  },
  // All of the page besides is its header: the distances are from the top.
  lazy: page(
    ({ documents }) => ({
      instead: `<header><a class="brand" href="/">Turned · a long shelf</a></header><h1>Seven pots, far apart</h1><section style="height:5000px">${[
        1000, 1500, 2000, 2500, 3000, 3500, 4000,
      ]
        .map(
          (top, n) =>
            `<img loading="lazy" src="${documents.pots[n]}?at=${top}" alt="" width="240" height="240" style="position:absolute;top:${top}px">`,
        )
        .join('')}</section>`,
    }),
    'shop',
  ),
  frames: (web) => {
    if (web.path === '/counter.js') return script(web.response, "postMessage('ready'); fetch('/counted');");
    return page(() => ({
      body: `<iframe src="${web.site('frame-a')}player.html" width="500" height="320"></iframe><iframe src="${web.site('frame-b')}player.html" width="500" height="320"></iframe>
<iframe src="${web.site('frame-a')}ad.html?slot=7" width="300" height="180"></iframe><script>new Worker('/counter.js');</script>`,
    }))(web);
  },

  ...Object.fromEntries(
    ['alt-port', 'https-record', 'no-h3', 'plain-http', 'corporate-ca', 'proxied'].map((label) => [label, page(() => ({}))]),
  ),
};
/** `?badge`: the host is named by a style sheet, and the load event waits for it, as for a font; `?badge&bare`: the same without hints. */
const preconnect = page((web) => {
  const host = web.site('hinted');
  const hints = `<link rel="dns-prefetch" href="${host}"><link rel="preconnect" href="${host}">`;
  if (web.query.has('badge'))
    return {
      head: `${web.query.has('bare') ? '' : hints}<link rel="stylesheet" href="/badge.css">`,
      body: '<p id="badge" style="position:absolute;top:0;right:0;width:240px;height:240px"></p>',
    };
  return {
    head: hints,
    body: `<p id="late"></p><script>setTimeout(() => { document.getElementById('late').innerHTML = '<img src="${host}pots/1.png" alt="" width="240" height="240">'; }, 500);</script>`,
  };
});
const blocked = page((web) => ({
  head: `<meta http-equiv="content-security-policy" content="img-src 'self' data:">`,
  body: `${pots(web, 'cdn-1', 0, 5)}${onLoad(
    "const stop = new AbortController(); for (let n = 0; n < 3; n++) fetch('/slow?' + n, { signal: stop.signal }).catch(() => {}); setTimeout(() => stop.abort(), 60);",
  )}`,
}));

/** The verdict of walls that look only at the name. */
const isBot = ({ request, path }: WebRequest) =>
  !path.startsWith('/assets/') && /HeadlessChrome/.test(String(request.headers['user-agent']));

const checking = `<main style="max-width:36em;margin:16vh auto"><h1>Checking your browser</h1><p>This takes a moment. Please keep this page open.</p></main>`;

function refuse({ response, documents }: WebRequest, status: number): void {
  html(
    response,
    { base: documents.article, headline: status === 403 ? 'Access denied' : 'Checking your browser', instead: checking },
    status,
  );
}

const loginForm = `<main style="max-width:24em;margin:16vh auto"><h1>Log in</h1><form method="post" action="/login">
<p><label>User <input name="user" id="user" autocomplete="username"></label></p><p><label>Password <input name="password" id="password" type="password"></label></p>
<p><button type="submit" id="submit">Log in</button></p></form></main>`;

async function bodyOf({ request }: WebRequest): Promise<string> {
  let text = '';
  for await (const part of request) text += part;
  return text;
}

const tile = Buffer.from('R0lGODlhAQABAIAAAC9vcwAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');
