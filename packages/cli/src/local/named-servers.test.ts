import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { loopback6 } from '@pronghorn/core/testing';
import { withNamedServers } from './named-servers.ts';
import { resolveTargets } from './targets.ts';

/** A server with these files, until the test ends. A file that begins with http is a redirect. @returns its port, and the paths asked of it */
async function serving(t: TestContext, files: (port: number) => Record<string, string>, address = '127.0.0.1') {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    const file = files(port)[url];
    const type = url.endsWith('.js') ? 'text/javascript' : url.endsWith('.png') ? 'image/png' : 'text/html';
    if (file?.startsWith('http') === true) response.writeHead(302, { location: file }).end();
    else response.writeHead(file === undefined ? 404 : 200, { 'content-type': type, 'content-encoding': 'gzip' }).end(gzipSync(file ?? ''));
  });
  server.listen(0, address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port, asked };
}

/** `PORT renamed` of each host that a page of this server brings. */
async function hostsFor(port: number, path = '/'): Promise<string[]> {
  const { hosts } = await withNamedServers(await resolveTargets([{ url: `http://localhost:${port}${path}` }], { front: true }));
  return hosts.map(({ name, serves }) => {
    assert.ok('server' in serves);
    assert.equal(name, `localhost-${serves.server.port}.server.pronghorn.test`);
    return `${serves.server.port}${serves.renames === true ? ' renamed' : ''}`;
  });
}

test('a server whose pages name no origin of the loopback, or one where nothing listens, passes as it is', async (t) => {
  const { port, asked } = await serving(t, () => ({
    '/': '<script src=/a.js></script><img src=/a.png><a href=/next>next</a><a href="http://localhost:1/">dead</a>',
    '/a.js': `location.hostname === 'localhost'`,
  }));
  assert.deepEqual(await hostsFor(port), [`${port}`]);
  assert.deepEqual(asked, ['/', '/a.js'], 'pictures and other pages say nothing');
});

test('a server that names itself is renamed, by each of its names and through its redirects', async (t) => {
  const { port } = await serving(t, (own) => ({
    '/': `<link rel="stylesheet" href="http://localhost:${own}/a.css">`,
    '/alias': `http://127.0.0.1:${own}/moved`,
    '/moved': 'moved',
  }));
  assert.deepEqual(await hostsFor(port), [`${port} renamed`]);
  assert.deepEqual(await hostsFor(port, '/alias'), [`${port} renamed`]);
  assert.deepEqual(await hostsFor(port, '/moved'), [`${port}`]);
});

test('another server that a page, its scripts or their imports name becomes a host, on ::1 alone too', async (t) => {
  const api = await serving(t, () => ({}), loopback6);
  const assets = await serving(t, () => ({
    '/main.js': `import{a}from"./deep/a.js"`,
    '/deep/a.js': `fetch("http:\\/\\/localhost:${api.port}\\/x")`,
  }));
  const site = await serving(t, () => ({ '/': `<script type="module" src="http://localhost:${assets.port}/main.js"></script>` }));
  assert.deepEqual(
    await hostsFor(site.port),
    [site, assets, api].map(({ port }) => `${port} renamed`),
  );
});

test('a text that names many servers brings a few', async (t) => {
  const others = await Promise.all(Array.from({ length: 12 }, () => serving(t, () => ({}))));
  const site = await serving(t, () => ({ '/': others.map(({ port }) => `http://localhost:${port}/`).join(' ') }));
  assert.equal((await hostsFor(site.port)).length, 9);
});
