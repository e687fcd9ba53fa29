import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { UsageError } from '../program/errors.ts';
import { resolveTargets, targetOf } from './targets.ts';

/** A folder `dist` with these files, in a folder of its own. */
async function dist(t: TestContext, ...files: string[]): Promise<string> {
  const above = await mkdtemp(join(tmpdir(), 'pronghorn-targets-'));
  t.after(() => rm(above, { recursive: true }));
  for (const path of files) {
    await mkdir(join(above, 'dist', path, '..'), { recursive: true });
    await writeFile(join(above, 'dist', path), 'x');
  }
  return join(above, 'dist');
}

const refused = (message: RegExp) => (thrown: unknown) => thrown instanceof UsageError && message.test(thrown.message);
const resolved = async (folders: { folder: string; page?: string }[], options: { root?: string; fallback?: string } = {}) => {
  const { sites, hosts } = await resolveTargets(folders, { front: true, ...options });
  return { sites: sites.map(({ name, url }) => `${name} ${url}`), hosts: hosts.length };
};

test('a folder, a page of it and a folder in it are pages of one host, whose name has nothing of the machine', async (t) => {
  const folder = await dist(t, 'index.html', 'about.html', 'pricing/index.html', 'Preise für alle/index.html');
  const pages = ['', '/index.html', '/about.html', '/pricing/', '/Preise für alle'].map((path) => ({ folder: `${folder}${path}` }));
  const { sites, hosts } = await resolved(pages);
  assert.deepEqual(sites, [
    'dist/ https://dist.folder.pronghorn.test/',
    'dist/ https://dist.folder.pronghorn.test/',
    'dist/about.html https://dist.folder.pronghorn.test/about.html',
    'dist/pricing/ https://dist.folder.pronghorn.test/pricing/',
    'dist/Preise für alle/ https://dist.folder.pronghorn.test/Preise%20f%C3%BCr%20alle/',
  ]);
  assert.equal(hosts, 1);
  assert.deepEqual((await resolved([{ folder: `${folder}/pricing` }], { root: folder })).sites, [
    'dist/pricing/ https://dist.folder.pronghorn.test/pricing/',
  ]);
});

test('two folders beside each other are two hosts, with different names', async (t) => {
  const one = await dist(t, 'index.html');
  const other = await dist(t, 'index.html');
  const { sites, hosts } = await resolved([{ folder: one }, { folder: other }]);
  assert.deepEqual([sites[1], hosts], ['dist/ https://dist-2.folder.pronghorn.test/', 2]);
});

test('pages by their paths: clean ones, and any where there is a fallback', async (t) => {
  const folder = await dist(t, 'index.html', 'about.html');
  const about = await resolved([{ folder, page: '/about?x=1' }]);
  assert.deepEqual(about.sites, ['dist/about?x=1 https://dist.folder.pronghorn.test/about?x=1']);
  await assert.rejects(resolved([{ folder, page: '/users/17' }]), refused(/has no page \/users\/17/));
  const users = await resolved([{ folder, page: '/users/17' }], { fallback: 'index.html' });
  assert.deepEqual(users.sites, ['dist/users/17 https://dist.folder.pronghorn.test/users/17']);
  await assert.rejects(resolved([{ folder, page: 'https://example.com/' }]), refused(/is not the path of a page/));
});

test('what is no site is refused with what is there instead', async (t) => {
  const folder = await dist(t, 'about.html', 'style.css', 'docs/index.html');
  await assert.rejects(resolved([{ folder }]), refused(/dist has no index\.html.*Name one of its pages: about\.html\./));
  await assert.rejects(
    resolved([{ folder: `${folder}/style.css` }]),
    refused(/is not a page; expected a folder, or a file whose name ends in \.html/),
  );
  await assert.rejects(resolved([{ folder: `${folder}/none` }]), refused(/There is no folder or page .*none.*Build it first/));
  await assert.rejects(resolved([{ folder }], { root: `${folder}/docs` }), refused(/is not below --root/));
  await writeFile(`${folder}/../private.html`, 'x');
  for (const fallback of ['index.html', '../private.html', 'docs', 'style.css', 'docs/../../private.html'])
    await assert.rejects(
      resolved([{ folder }], { fallback }),
      refused(/The fallback .* is not in .*; expected one of its pages/),
      fallback,
    );
});

const skip = process.getuid?.() === 0 && 'root may read everything';
test('a folder that may not be listed or entered is told so', { skip }, async (t) => {
  const folder = await dist(t, 'index.html');
  for (const mode of [0o444, 0]) {
    await chmod(folder, mode);
    await assert.rejects(resolved([{ folder }]), refused(/The folder .*dist can't be read \(permission denied\)/));
  }
  await chmod(folder, 0o755);
});

test('a path is told from a URL by how it is written, and else by what is there', () => {
  assert.deepEqual(targetOf('./dist'), { folder: './dist' });
  assert.deepEqual(targetOf('/srv/dist'), { folder: '/srv/dist' });
  assert.deepEqual(targetOf('packages'), { folder: 'packages' });
  assert.deepEqual(targetOf('example.org/shop'), { url: 'https://example.org/shop' });
  assert.deepEqual(targetOf('localhost:3000'), { url: 'http://localhost:3000' });
  assert.deepEqual(targetOf('https://localhost:3000/'), { url: 'https://localhost:3000/' });
  assert.deepEqual(targetOf('http://intranet/'), { url: 'http://intranet/' });
  assert.deepEqual(targetOf('shop:8443'), { url: 'https://shop:8443' });
  assert.deepEqual(targetOf('[::1]:3000'), { url: 'http://[::1]:3000' });
  assert.throws(() => targetOf('h3'), /h3 is a protocol, not a page\. Separate protocols by commas, without spaces: --protocols h2,h3\./);
  assert.throws(() => targetOf('loss-1'), /loss-1 is neither a file here nor a host with a dot\. .* https:\/\/loss-1\./);
});

test('a server of this machine is a host unless it is to be measured as it is; one that is not there is refused', async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address() as { port: number };
  const url = `http://localhost:${port}/a?b=1`;
  const fronted = await resolveTargets([{ url }, { url: 'https://example.org/' }], { front: true });
  assert.deepEqual(fronted.sites[0], { url: `https://localhost-${port}.server.pronghorn.test/a?b=1`, name: `localhost:${port}/a?b=1` });
  assert.deepEqual([fronted.hosts.length, fronted.world, fronted.sites[1]], [1, true, { url: 'https://example.org/' }]);
  assert.deepEqual((await resolveTargets([{ url }], { front: false })).sites, [{ url }]);
  await new Promise((closed) => server.close(closed));
  await assert.rejects(
    resolveTargets([{ url }], { front: true }),
    refused(/Nothing listens at .*connection refused.*Start the server first/),
  );
});
