// Folders and servers of this machine as sites: what nginx answers, over each protocol that Node speaks.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, request as plainRequest } from 'node:http';
import { connect as connectH2 } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connect } from 'node:tls';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { frontHeader } from '@pronghorn/core/network';
import { loopback6, proves } from '@pronghorn/core/testing';
import { type LocalHost, type LocalOrigin, startLocalOrigin } from '../src/index.ts';
import { type Answer, overH1Socket } from './requests.ts';
import { temporaryFolder } from './temporary-origin.ts';

/** One request over HTTP/1.1 to a host, by its address in the rules for Chrome. */
const get = async (origin: LocalOrigin, host: string, path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  await overH1Socket(await secured(origin, host, ['http/1.1']), path, { host, ...headers });

async function secured({ trust }: LocalOrigin, host: string, alpn: string[]) {
  const [address = '', port] =
    trust.hostRules
      .split(',')
      .find((rule) => rule.startsWith(`MAP ${host} `))
      ?.split(' ')[2]
      ?.split(':') ?? [];
  const socket = connect({
    host: address,
    port: Number(port),
    servername: host,
    ca: await readFile(trust.certificate),
    ALPNProtocols: alpn,
  });
  await once(socket, 'secureConnect');
  return socket;
}

describe('a folder', proves('local-pages'), () => {
  const host = 'dist.folder.pronghorn.test';
  const text = '<!doctype html><title>A page</title>'.padEnd(5_000, ' words');
  let folder: string;
  let origin: LocalOrigin;
  before(async () => {
    folder = await temporaryFolder();
    const files = {
      ...{ 'index.html': text, 'about.html': 'about', 'pricing/index.html': 'pricing', '404.html': text.replace('A page', 'Nothing here') },
      ...{ 'both.html': 'file', 'both/index.html': 'folder', 'empty/readme.txt': 'no index', '.env': 'SECRET=1', '.git/config': 'x' },
      ...{
        'assets/app-4f9a12cd.js': 'let x',
        'app.js': 'let y'.padEnd(3_000),
        'café menu.html': 'café',
        'a "b" $c;.html': 'odd',
        'font.woff2': 'x',
      },
      ...{ 'site.webmanifest': '{}', 'module.wasm': 'x', README: 'x' },
    };
    for (const [path, content] of Object.entries(files)) {
      await mkdir(join(folder, 'dist', path, '..'), { recursive: true });
      await writeFile(join(folder, 'dist', path), content);
    }
    await writeFile(join(folder, 'dist', 'app.js.br'), brotliCompressSync(files['app.js']));
    await writeFile(join(folder, 'dist', '404.html.br'), brotliCompressSync(files['404.html']));
    await symlink('/etc/hostname', join(folder, 'dist', 'hostname.txt'));
    const hosts: LocalHost[] = [
      { name: host, serves: { folder: join(folder, 'dist') } },
      { name: 'app.folder.pronghorn.test', serves: { folder: join(folder, 'dist'), fallback: 'index.html' } },
      { name: 'fonts.example', protocols: ['h1'], crossOrigin: true, serves: { folder: join(folder, 'dist') } },
    ];
    origin = await startLocalOrigin({ directory: join(folder, 'state'), hosts });
  });
  after(async () => {
    await origin.stop();
    await rm(folder, { recursive: true });
  });
  const statusOf = async (path: string, headers = {}, name = host) => (await get(origin, name, path, headers)).status;

  test('has clean URLs, and a folder is a path with a slash at its end', async () => {
    assert.equal((await get(origin, host, '/about')).body.toString(), 'about');
    assert.equal((await get(origin, host, '/both')).body.toString(), 'file');
    assert.equal((await get(origin, host, '/pricing/')).body.toString(), 'pricing');
    const { status, headers } = await get(origin, host, '/pricing?x=1');
    assert.deepEqual([status, headers.location], [301, '/pricing/?x=1']);
    assert.equal((await get(origin, host, '/caf%C3%A9%20menu')).body.toString(), 'café');
    assert.equal((await get(origin, host, '/a%20%22b%22%20%24c%3B.html')).body.toString(), 'odd');
  });

  test('gives types, and cache headers by whether a name carries a hash', async () => {
    const told = async (path: string) => {
      const { 'content-type': type, 'cache-control': cache } = (await get(origin, host, path)).headers;
      return `${type}: ${cache}`;
    };
    assert.equal(await told('/'), 'text/html; charset=utf-8: public, max-age=0, must-revalidate');
    assert.equal(await told('/assets/app-4f9a12cd.js'), 'text/javascript; charset=utf-8: public, max-age=31536000, immutable');
    assert.equal(await told('/app.js'), 'text/javascript; charset=utf-8: public, max-age=0, must-revalidate');
    assert.match(await told('/font.woff2'), /^font\/woff2:/);
    assert.match(await told('/site.webmanifest'), /^application\/manifest\+json:/);
    assert.match(await told('/module.wasm'), /^application\/wasm:/);
    assert.match(await told('/README'), /^application\/octet-stream:/);
  });

  test('is compressed: by brotli if the build has that, else by gzip, and not for clients that accept neither', async () => {
    const asked = async (path: string, accepts: string) =>
      await get(origin, host, path, accepts === '' ? {} : { 'accept-encoding': accepts });
    const brotli = await asked('/app.js', 'gzip, deflate, br, zstd');
    assert.deepEqual([brotli.headers['content-encoding'], brotli.headers.vary], ['br', 'Accept-Encoding']);
    assert.match(brotliDecompressSync(brotli.body).toString(), /^let y/);
    const gzip = await asked('/', 'gzip, br');
    assert.equal(gzip.headers['content-encoding'], 'gzip');
    assert.equal(gunzipSync(gzip.body).toString(), text);
    const plain = await asked('/app.js', '');
    assert.deepEqual([plain.headers['content-encoding'], plain.body.length], [undefined, 3_000]);
    assert.equal((await asked('/app.js', 'gzip')).headers['content-encoding'], 'gzip');
    const missing = await asked('/nowhere', 'br');
    assert.deepEqual([missing.status, missing.headers['content-encoding']], [404, 'br']);
    assert.match(brotliDecompressSync(missing.body).toString(), /Nothing here/);
  });

  test('serves nothing that is hidden, links out of it or leads above it', async () => {
    for (const path of [
      '/.env',
      '/.git/config',
      '/hostname.txt',
      '/../state',
      '/%2e%2e/state',
      '/empty/',
      '/empty',
      '/br/app.js',
      '/plain/app.js',
    ])
      assert.ok([400, 404].includes(await statusOf(path)), path);
    assert.deepEqual(
      origin.snapshots.get(host)?.notServed.map(({ path }) => path),
      ['.env', '.git', 'hostname.txt'],
    );
  });

  test('answers requests for pages with its fallback, and others with 404', async () => {
    const app = 'app.folder.pronghorn.test';
    const page = { accept: 'text/html,application/xhtml+xml' };
    const { status, body, headers } = await get(origin, app, '/users/17', page);
    assert.deepEqual([status, body.toString(), headers['cache-control']], [200, text, 'public, max-age=0, must-revalidate']);
    assert.equal(await statusOf('/users/17.js', { accept: '*/*' }, app), 404);
    assert.equal((await get(origin, app, '/pricing/', page)).body.toString(), 'pricing');
    assert.equal(await statusOf('/users/17', page), 404);
  });

  test('takes no fallback but a page of the copy', async () => {
    await writeFile(join(folder, 'private.html'), 'private');
    await symlink('../private.html', join(folder, 'dist', 'linked.html'));
    for (const fallback of ['../private.html', '../../access.log', 'linked.html', '.env', 'app.js']) {
      const hosts: LocalHost[] = [{ name: host, serves: { folder: join(folder, 'dist'), fallback } }];
      const started = startLocalOrigin({ directory: join(folder, 'other'), hosts });
      await assert.rejects(started, /is not a page served from .*dist: name one of its pages/, fallback);
    }
  });

  test('speaks what its host does, offers HTTP/3 at the URL’s port, and lets others read it where it is to', async () => {
    const h2 = await secured(origin, host, ['h2']);
    assert.equal(h2.alpnProtocol, 'h2');
    const session = connectH2(`https://${host}`, { createConnection: () => h2 });
    const [answer] = await once(session.request({ ':path': '/about' }), 'response');
    assert.deepEqual(
      [answer[':status'], answer['alt-svc'], answer['access-control-allow-origin']],
      [200, 'h3=":443"; ma=86400', undefined],
    );
    session.destroy();
    const fonts = await secured(origin, 'fonts.example', ['h2', 'http/1.1']);
    assert.equal(fonts.alpnProtocol, 'http/1.1');
    fonts.destroy();
    const { headers } = await get(origin, 'fonts.example', '/font.woff2');
    assert.deepEqual([headers['alt-svc'], headers['access-control-allow-origin'], headers['timing-allow-origin']], [undefined, '*', '*']);
  });
});

test('a server of this machine stands behind nginx: its name, its redirects, its WebSockets', proves('local-pages'), async (t) => {
  const folder = await temporaryFolder();
  t.after(() => rm(folder, { recursive: true }));
  const server = createServer({ maxHeaderSize: 256 * 1024 }, (asked, response) => {
    if (asked.url?.startsWith('/answer') === true) {
      const [, bytes, status] = asked.url.split('-').map(Number);
      const cookies = Array.from({ length: Math.ceil((bytes ?? 0) / 4_000) }, (_, n) => `c${n}=${'x'.repeat(3_900)}`);
      response.writeHead(status ?? 0, { link: '</a.js>; rel=preload; as=script, '.repeat((bytes ?? 0) / 34), 'set-cookie': cookies }).end();
    } else if (asked.url === '/moved') response.writeHead(302, { location: `http://${asked.headers.host}/there` }).end();
    else if (asked.url === '/alias')
      response.writeHead(302, { location: `http://127.0.0.1:${own.port}/there?x=1`, 'set-cookie': 'a=1; Domain=localhost' }).end();
    else if (asked.url === '/other') response.writeHead(302, { location: `http://127.0.0.1:${own.port}0/` }).end();
    else if (asked.url === '/named') response.end(own.origin);
    else response.end(JSON.stringify(asked.headers));
  });
  server.on('upgrade', (asked, socket) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-Origin: ${asked.headers.origin}\r\n\r\n`,
    );
    socket.pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const own = new URL(`http://localhost:${(server.address() as AddressInfo).port}/`);
  const host = 'localhost-3000.server.pronghorn.test';
  const origin = await startLocalOrigin({ directory: folder, hosts: [{ name: host, serves: { server: own } }] });
  t.after(() => origin.stop());

  const told = JSON.parse((await get(origin, host, '/', { origin: `https://${host}` })).body.toString());
  assert.deepEqual([told.host, told.origin, told['x-forwarded-proto'], told['x-forwarded-host']], [own.host, own.origin, 'https', host]);
  assert.equal(
    JSON.parse((await get(origin, host, '/', { origin: 'https://other.example' })).body.toString()).origin,
    'https://other.example',
  );
  const { status, headers } = await get(origin, host, '/moved');
  assert.deepEqual([status, headers.location], [302, '/there']);
  const alias = (await get(origin, host, '/alias')).headers;
  assert.deepEqual([alias.location, alias['set-cookie']], ['/there?x=1', [`a=1; Domain=${host}`]]);
  assert.equal((await get(origin, host, '/other')).headers.location, `http://127.0.0.1:${own.port}0/`);
  assert.equal((await get(origin, host, '/named')).body.toString(), own.origin, 'nothing renames its answers');

  for (const bytes of [0, 5_000, 60_000]) {
    const answer = await get(origin, host, `/answer-${bytes}-200`, { cookie: `a=${'x'.repeat(bytes)}` });
    assert.deepEqual([answer.status, answer.headers[frontHeader]], [200, undefined], `${bytes} bytes`);
  }
  const statuses = async (path: string, headers = {}) => {
    const answer = await get(origin, host, path, headers);
    return [answer.status, answer.headers[frontHeader]];
  };
  assert.deepEqual(await statuses('/answer-0-502'), [502, undefined], 'the server’s own');
  assert.deepEqual(await statuses('/answer-90000-200'), [502, '1']);
  assert.deepEqual(await statuses('/', { cookie: `a=${'x'.repeat(140_000)}` }), [400, '1']);

  const socket = await secured(origin, host, ['http/1.1']);
  const asked = plainRequest({
    createConnection: () => socket,
    headers: { host, connection: 'Upgrade', upgrade: 'websocket', origin: `https://${host}` },
  });
  asked.end();
  const [response, upgraded] = await once(asked, 'upgrade');
  assert.deepEqual([response.statusCode, response.headers['x-origin']], [101, own.origin]);
  upgraded.write('hello');
  assert.equal(String((await once(upgraded, 'data'))[0]), 'hello');
  upgraded.destroy();

  server.closeAllConnections();
  server.close();
  assert.deepEqual(await statuses('/'), [502, '1'], 'nothing listens any more');
});

test('servers that name each other on the loopback answer with names behind nginx, as compressed as before', {
  ...proves('local-pages'),
}, async (t) => {
  const folder = await temporaryFolder();
  t.after(() => rm(folder, { recursive: true }));
  const etag = '"1"';
  const texts = { gzip: gzipSync, br: brotliCompressSync, zstd: zstdCompressSync } as const;
  const server = createServer((asked, response) => {
    const named = `<img src="http://localhost:${own.port}/a.png"><script>fetch("http:\\/\\/127.0.0.1:${api.port}\\/x")</script>`.repeat(
      2_000,
    );
    const path = asked.url ?? '';
    const coding = Object.entries(texts).find(([name]) => path === `/${name}`);
    response.setHeader('content-type', path.startsWith('/picture') ? 'image/png' : 'text/html; charset=utf-8');
    response.setHeader('etag', etag);
    if (coding !== undefined) response.setHeader('content-encoding', coding[0]).end(coding[1](named));
    else if (path === '/told') response.end(JSON.stringify(asked.headers));
    else if (path === '/moved') response.writeHead(302, { location: `http://127.0.0.1:${api.port}/there` }).end();
    else if (path === '/headers') {
      const links = `<http://localhost:${own.port}/a.js>; rel=modulepreload, `.repeat(200);
      response.setHeader('link', links).setHeader('access-control-allow-origin', own.origin);
      response.setHeader('set-cookie', ['a=1; Path=/; Domain=localhost; HttpOnly', 'b=2', '__Host-c=3; Secure; Path=/']).end('x');
    } else if (path === '/slow') response.write('<p>early</p>');
    else response.setHeader('content-length', Buffer.byteLength(named)).end(named);
  });
  server.on('upgrade', (asked, socket) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-Origin: ${asked.headers.origin}\r\n\r\n`,
    );
    socket.pipe(socket);
  });
  // The API listens on ::1 alone, whatever the machine's list of hosts says of localhost.
  const beside = createServer((asked, response) => response.end(`${asked.headers.origin}`));
  server.listen(0, '127.0.0.1');
  beside.listen(0, loopback6);
  await Promise.all([once(server, 'listening'), once(beside, 'listening')]);
  t.after(() => {
    for (const one of [server, beside]) {
      one.closeAllConnections();
      one.close();
    }
  });
  const [own, api] = [server, beside].map((one) => new URL(`http://localhost:${(one.address() as AddressInfo).port}/`)) as [URL, URL];
  const [host, apiHost] = ['localhost-1.server.pronghorn.test', 'localhost-2.server.pronghorn.test'];
  const hosts: LocalHost[] = [
    { name: host, serves: { server: own, renames: true } },
    { name: apiHost, serves: { server: api, renames: true } },
  ];
  const origin = await startLocalOrigin({ directory: folder, hosts });
  t.after(() => origin.stop());
  const expected = `<img src="https://${host}/a.png"><script>fetch("https:\\/\\/${apiHost}\\/x")</script>`.repeat(2_000);

  const plain = await get(origin, host, '/');
  assert.deepEqual([plain.body.toString(), plain.headers['content-encoding'], plain.headers.etag], [expected, undefined, etag]);
  for (const [coding, decode] of Object.entries({ gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync })) {
    const { body, headers } = await get(origin, host, `/${coding}`);
    assert.deepEqual([decode(body).toString(), headers['content-encoding']], [expected, coding]);
    assert.ok(body.length < expected.length / 20, `${coding}: ${body.length}`);
  }
  const picture = await get(origin, host, '/picture');
  assert.match(picture.body.toString(), /^<img src="http:/);
  assert.equal(picture.headers['content-length'], String(picture.body.length));
  assert.equal((await get(origin, host, '/moved')).headers.location, `https://${apiHost}/there`);

  const { headers } = await get(origin, host, '/headers');
  assert.equal(headers.link, `<https://${host}/a.js>; rel=modulepreload, `.repeat(200).trim());
  assert.equal(headers['access-control-allow-origin'], `https://${host}`);
  assert.deepEqual(headers['set-cookie'], [
    'a=1; Path=/; HttpOnly; Domain=server.pronghorn.test',
    'b=2; Domain=server.pronghorn.test',
    '__Host-c=3; Secure; Path=/',
  ]);
  // As the developer's browser says it.
  assert.equal((await get(origin, apiHost, '/x', { origin: `https://${host}` })).body.toString(), own.origin);
  assert.equal(JSON.parse((await get(origin, host, '/told')).body.toString()).host, own.host);

  const early = await secured(origin, host, ['http/1.1']);
  early.write(`GET /slow HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  let begun = '';
  for await (const chunk of early) {
    begun += chunk;
    if (begun.includes('<p>early</p>')) break;
  }

  const socket = await secured(origin, host, ['http/1.1']);
  const asked = plainRequest({
    createConnection: () => socket,
    headers: { host, connection: 'Upgrade', upgrade: 'websocket', origin: `https://${host}` },
  });
  asked.end();
  const [response, upgraded] = await once(asked, 'upgrade');
  assert.deepEqual([response.statusCode, response.headers['x-origin']], [101, own.origin]);
  upgraded.write('hello');
  assert.equal(String((await once(upgraded, 'data'))[0]), 'hello');
  upgraded.destroy();

  beside.closeAllConnections();
  beside.close();
  const gone = await get(origin, apiHost, '/x');
  assert.deepEqual([gone.status, gone.headers[frontHeader]], [502, '1']);
});

test('a stopped origin leaves neither its copies nor its sockets', proves('local-pages'), async (t) => {
  const folder = await temporaryFolder();
  t.after(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'dist'));
  await writeFile(join(folder, 'dist', 'index.html'), 'page');
  const hosts: LocalHost[] = [
    { name: 'dist.folder.pronghorn.test', serves: { folder: join(folder, 'dist') } },
    { name: 'localhost-9.server.pronghorn.test', serves: { server: new URL('http://localhost:9/') } },
  ];
  const origin = await startLocalOrigin({ directory: join(folder, 'state'), hosts });
  const [run = ''] = await readdir(join(folder, 'state', 'runs'));
  assert.equal((await get(origin, 'localhost-9.server.pronghorn.test', '/')).status, 502);
  await origin.stop();
  await assert.rejects(stat(join(folder, 'state', 'runs', run, 'sites')), { code: 'ENOENT' });
  await assert.rejects(stat(join(folder, 'state', 'runs', run, 'sockets')), { code: 'ENOENT' });
});
