// A build in a folder and a server of a developer, measured by the real command.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { loopback6, proves, quickBrowser } from '@pronghorn/core/testing';
import { metricOf } from '@pronghorn/core/vocabulary';
import {
  behindLink,
  descendants,
  exported,
  leavesNothing,
  profilesOf,
  quick,
  quickLimits,
  quickShell,
  run,
  runOnSoundLink,
  start,
  temporaryData,
} from '../command.ts';

const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><rect width="300" height="200" fill="#39506b"/></svg>';
const page = (title: string, body = '') => `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"><h1>${title}</h1><img src="/picture 1.svg" width="300" height="200" alt="">
<script src="/app-4f9a12cd.js"></script>${body}`;

/** A small build, as site generators write them, in a folder that holds what must not be served too. */
async function build(t: TestContext): Promise<{ data: string; dist: string }> {
  const data = await temporaryData((remove) => t.after(remove));
  const dist = join(data, 'dist');
  const files = {
    'index.html': page('Home', '<img src="https://www.example.com/banner.png" alt="" width="10" height="10">'),
    'pricing/index.html': page('Pricing'),
    'style.css': 'body { font-family: "Liberation Sans", sans-serif; }'.padEnd(3_000),
    'app-4f9a12cd.js': 'document.body.append("by script");',
    'picture 1.svg': picture,
    '.env': 'SECRET=1',
  };
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(dist, path, '..'), { recursive: true });
    await writeFile(join(dist, path), content);
  }
  await writeFile(join(dist, 'film.mp4'), '');
  await truncate(join(dist, 'film.mp4'), 200_000_000);
  await symlink('/etc/hostname', join(dist, 'hostname.txt'));
  return { data, dist };
}

const briefly = ['--rounds', '1', ...quickShell, '--no-evidence'];

test('a gate measures two pages of the folder that its file names, and what they want elsewhere is told', {
  ...proves('local-pages', 'gates'),
}, async (t) => {
  const { data } = await build(t);
  const file = join(data, 'pronghorn.json');
  const sites = [{ folder: 'dist' }, { folder: 'dist', page: '/pricing/', name: 'Pricing' }];
  const rules = {
    rounds: 1,
    protocols: ['h2'],
    browser: quickBrowser,
    limits: quickLimits,
    assertions: ['transferBytes median <= 100 kB', 'onLoad median <= 60 s'],
  };
  await writeFile(file, JSON.stringify({ sites, ...rules, decide: 'point' }));
  const { code, stdout, stderr } = await run(['gate', '--config', file, '--data', data, '--no-evidence']);
  assert.equal(code, 0, stdout + stderr);
  const told = stderr.replaceAll(/\s+/g, ' ');
  assert.match(told, /nginx \S+ on this machine serves \S+dist \(6 files, 200\.0 MB\)/);
  assert.match(told, /Not served: \.env \(hidden\), hostname\.txt \(a link that leads out of the folder\)\./);
  assert.match(stdout.replaceAll(/\s+/g, ' '), /dist\/: 1 object of the page, from www\.example\.com, failed already .* --outside/);
  assert.doesNotMatch(stdout, /Pricing: 1 object/);
  const { campaign, visits } = await exported(data);
  assert.deepEqual(
    campaign.sites.map(({ name, url }) => [name, url]),
    [
      ['dist/', 'https://dist.folder.pronghorn.test/'],
      ['Pricing', 'https://dist.folder.pronghorn.test/pricing/'],
    ],
  );
  const counted = visits.filter((visit) => visit.counted);
  assert.deepEqual(
    counted.map(({ protocol, outcome }) => `${protocol} ${outcome.verdict}`),
    ['h2 valid', 'h2 valid'],
    JSON.stringify(visits),
  );

  const remote = await run(['gate', '--config', file, '--api', 'http://127.0.0.1:9']);
  assert.deepEqual(
    [remote.code, /on this machine, where the service's runners cannot read it/.test(remote.stderr.replaceAll(/\s+/g, ' '))],
    [2, true],
    remote.stderr,
  );
  await writeFile(file, JSON.stringify({ sites: [{ folder: 'dist', url: 'https://example.com/' }], ...rules }));
  const both = await run(['gate', '--config', file, '--data', data]);
  assert.deepEqual([both.code, /either url or folder/.test(both.stderr.replaceAll(/\s+/g, ' '))], [2, true], both.stderr);
});

type Handler = (asked: IncomingMessage, response: ServerResponse) => void;

/** A developer's server, until the test ends. @returns its port and server */
async function developing(t: TestContext, address: string, handle: Handler): Promise<{ server: Server; port: number }> {
  const server = createServer(handle).listen(0, address);
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port };
}

const send = (response: ServerResponse, type: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  response.writeHead(200, { 'content-type': type, ...headers }).end(body);

test('servers of this machine are measured whole behind the link over each protocol, with all that they name on the loopback', {
  ...proves('local-pages', 'protocols'),
  skip: process.getuid?.() === 0 ? false : 'needs root',
}, async (t) => {
  const svg = 'image/svg+xml';
  const api = await developing(t, '127.0.0.1', ({ headers, url }, response) => {
    // As an API lets in the pages of its developer, by name.
    const allowed = [site, vite].map(({ port }) => `http://localhost:${port}`);
    const cors: Record<string, string> = allowed.includes(headers.origin ?? '')
      ? { 'access-control-allow-origin': `${headers.origin}` }
      : {};
    if (url?.startsWith('/api') === true)
      send(response, 'application/json', JSON.stringify({ picture: `http://localhost:${api.port}/p.svg` }), cors);
    else send(response, svg, picture);
  });
  const ask = () =>
    `fetch('http://localhost:${api.port}/api').then((r) => r.json()).then(({ picture }) => { new Image().src = picture; });`;

  // As WordPress writes addresses, and SvelteKit what is to be preloaded; it compresses what it sends.
  const modules = Array.from({ length: 90 }, (_, n) => `/immutable/chunk-${n}.a1b2c3d4.js`);
  const site = await developing(t, '127.0.0.1', ({ url = '' }, response) => {
    const own = `http://localhost:${site.port}`;
    if (url === '/moved') response.writeHead(302, { location: `http://127.0.0.1:${site.port}/blog` }).end();
    else if (url === '/blog') {
      const settings = JSON.stringify({ logo: `${own}/logo.svg` }).replaceAll('/', '\\/');
      const html = `<!doctype html><title>Blog</title><link rel="icon" href="data:,"><link rel="stylesheet" href="${own}/blog.css"><h1>Blog</h1>
<img src="${own}/picture.svg"><script>const settings = ${settings}; new Image().src = settings.logo; ${ask()}</script><script src="${own}/blog.js"></script>`;
      const link = modules.map((path) => `<${path}>; rel="modulepreload"; nopush`).join(', ');
      send(response, 'text/html', gzipSync(html), { 'content-encoding': 'gzip', link });
    } else if (url.endsWith('.css')) send(response, 'text/css', `h1 { height: 50px; background: url(${own}/ground.svg); }`);
    else if (url.endsWith('.js')) send(response, 'text/javascript', url === '/blog.js' ? 'document.title += "!";' : 'export {};');
    else send(response, svg, picture);
  });

  // As Vite serves modules: on ::1 alone, with a WebSocket for changes.
  const opened: string[] = [];
  const vite = await developing(t, loopback6, ({ url }, response) => {
    const script = (text: string) => send(response, 'text/javascript', text);
    if (url === '/client.js') script(`new WebSocket('wss://' + location.host + '/hot').onopen = () => { document.title = 'open'; };`);
    else if (url === '/main.js') script(`import { ask } from './api.js'; ask();`);
    else if (url === '/api.js') script(`export const ask = () => { ${ask()} };`);
    else
      send(
        response,
        'text/html',
        '<!doctype html><title>App</title><link rel="icon" href="data:,"><h1>App</h1><script type="module" src="/client.js"></script><script type="module" src="/main.js"></script>',
      );
  });
  vite.server.on('upgrade', (asked, socket) => {
    opened.push(String(asked.headers.origin));
    socket.on('error', () => {});
    socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
  });

  const asked = ['measure', `localhost:${site.port}/moved`, `localhost:${vite.port}`, '--protocols', 'h1,h2,h3', ...briefly];
  const { code, stdout, stderr, data } = await runOnSoundLink(t, (data) => [...asked, '--data', data], behindLink);
  assert.equal(code, 0, stdout + stderr);
  const told = stderr.replaceAll(/\s+/g, ' ');
  for (const { port } of [site, vite, api])
    assert.match(told, new RegExp(`behind an emulated network \\(\\w+\\) serves http://localhost:${port} as localhost-${port}\\.server`));
  assert.match(told, /the names above replace these addresses/);
  assert.doesNotMatch(stdout, /failed already/);
  const { campaign, visits } = await exported(data);
  const loads = visits
    .filter(({ counted }) => counted)
    .map(({ siteId, protocol, outcome }) => {
      const [requests, failedRequests, blockedRequests, h3Share] = (
        ['requests', 'failedRequests', 'blockedRequests', 'h3Share'] as const
      ).map((metric) => (outcome.verdict === 'valid' ? metricOf(outcome.metrics, metric) : outcome.reason));
      return { site: campaign.sites.find(({ id }) => id === siteId)?.name, protocol, requests, failedRequests, blockedRequests, h3Share };
    });
  for (const [name, requests] of [
    // The document and the way to it, sheet, its ground, picture, logo, script, answer, its picture; and what the header names.
    [`localhost:${site.port}/moved`, 9 + modules.length],
    [`localhost:${vite.port}/`, 6],
  ] as const) {
    const whole = { site: name, requests, failedRequests: 0, blockedRequests: 0 };
    assert.deepEqual(
      loads.filter((load) => load.site === name).sort((a, b) => a.protocol.localeCompare(b.protocol)),
      ['h1', 'h2', 'h3'].map((protocol) => ({ ...whole, protocol, h3Share: protocol === 'h3' ? 1 : 0 })),
      JSON.stringify(visits),
    );
  }
  const har = join(data, 'har');
  assert.equal((await run(['results', '1', '--data', data, '--har', har])).code, 0);
  const files = await Promise.all((await readdir(har)).map((name) => readFile(join(har, name), 'utf8')));
  const entries = files.flatMap(
    (file) => (JSON.parse(file) as { log: { entries: { request: { url: string }; response: { status: number } }[] } }).log.entries,
  );
  const statuses = new Set(entries.map(({ request, response }) => (request.url.endsWith('/moved') ? 'moved' : response.status)));
  assert.deepEqual(statuses, new Set(['moved', 200]));
  // In each counted visit, and in discovery.
  assert.ok(opened.length >= 4, `${opened.length} WebSockets`);
  assert.deepEqual([...new Set(opened)], [`http://localhost:${vite.port}`]);
});

test('a gate is unmeasured if its page needs a server of this machine that nobody can map, and says what helps', {
  ...proves('local-pages', 'gates'),
}, async (t) => {
  const head = '<!doctype html><title>Dev</title><link rel="icon" href="data:,"><h1>Dev</h1>';
  const other = await developing(t, '127.0.0.1', (_, response) => send(response, 'application/json', '{}'));
  const { port } = await developing(t, '127.0.0.1', ({ url }, response) => {
    const needs = `fetch('http://' + 'localhost:${other.port}/api').catch(() => {})`;
    const hears = `new WebSocket('ws://localhost:1/hot'); new EventSource('http://localhost:1/hot')`;
    send(response, 'text/html', `${head}<script>${url === '/needs' ? needs : hears}</script>`);
  });
  const data = await temporaryData((remove) => t.after(remove));
  const gate = async (path: string) => {
    const rules = {
      rounds: 1,
      protocols: ['h2'],
      browser: quickBrowser,
      limits: quickLimits,
      assertions: ['onLoad median <= 60 s'],
      decide: 'point',
    };
    await writeFile(join(data, 'pronghorn.json'), JSON.stringify({ sites: [{ url: `http://localhost:${port}${path}` }], ...rules }));
    const { code, stdout, stderr } = await run([
      'gate',
      '--config',
      join(data, 'pronghorn.json'),
      '--data',
      data,
      '--no-evidence',
      '--front',
    ]);
    return { code, told: (stdout + stderr).replaceAll(/\s+/g, ' ') };
  };
  const needs = await gate('/needs');
  assert.match(needs.told, /Gate: UNMEASURED/);
  assert.equal(needs.code, 5, needs.told);
  assert.ok(needs.told.includes(`needs http://localhost:${other.port}/api, which visits can’t reach`), needs.told);
  assert.doesNotMatch(needs.told, /spelling|--outside/);
  const hears = await gate('/hears');
  assert.equal(hears.code, 0, hears.told);
  // What it advises.
  const advised = ['--link', 'direct', '--no-front', '--protocols', 'h1', ...briefly, '--data', data];
  const { code, stdout, stderr } = await run(['measure', `localhost:${port}/needs`, ...advised]);
  assert.equal(code, 0, stdout + stderr);
});

test(
  'a campaign that Ctrl-C stops tells what it has and leaves nothing, and does not go on with another build',
  proves('local-pages', 'campaigns'),
  async (t) => {
    const { data, dist } = await build(t);
    const command = start(['measure', dist, '--rounds', '40', '--protocols', 'h2', ...quick, '--no-evidence', '--data', data]);
    await command.says('First visits of', 240_000);
    const second = await run(['resume', '1', '--data', data]);
    assert.equal(second.code, 2);
    assert.match(second.stderr, new RegExp(`Process ${command.pid} is already measuring campaign 1`));
    const [profiles, below] = [profilesOf(command.pid), descendants(command.pid)];
    command.child.kill('SIGINT');
    command.child.kill('SIGINT');
    const { code, stdout, stderr } = await command.ended;
    assert.equal(code, 130, stderr);
    assert.match(stdout, /^onLoad +[\d,.]+ ms/m);
    assert.match(stderr, new RegExp(`Continue with: \\./pronghorn resume 1 --data ${data}`));
    await leavesNothing(profiles, below);
    await writeFile(join(dist, 'index.html'), page('Another'));
    const refused = await run(['resume', '--data', data]);
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, /has changed since campaign 1 began/);
  },
);
