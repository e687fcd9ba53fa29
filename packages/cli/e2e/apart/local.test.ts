// A build in a folder and a server of a developer, measured by the real command.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { proves, quickBrowser } from '@pronghorn/core/testing';
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
  assert.match(told, /dist\/ made 1 request to https:\/\/www\.example\.com, which failed/);
  assert.doesNotMatch(told, /Pricing made/);
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

test('a server of this machine is measured behind the link over each protocol, its WebSocket too', {
  ...proves('local-pages', 'protocols'),
  skip: process.getuid?.() === 0 ? false : 'needs root',
}, async (t) => {
  const opened: string[] = [];
  const script = `<script>new WebSocket('wss://' + location.host + '/live').onopen = () => { document.title = 'open'; };</script>`;
  const server = createServer((asked, response) => {
    response.setHeader('content-type', asked.url === '/picture' ? 'image/svg+xml' : 'text/html');
    response.end(asked.url === '/picture' ? picture : `<!doctype html><title>Dev</title><h1>Dev</h1><img src="/picture">${script}`);
  });
  server.on('upgrade', (asked, socket) => {
    opened.push(String(asked.headers.origin));
    socket.on('error', () => {});
    socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const asked = ['measure', `localhost:${port}`, '--protocols', 'h1,h2,h3', ...briefly];
  const { code, stdout, stderr, data } = await runOnSoundLink(t, (data) => [...asked, '--data', data], behindLink);
  assert.equal(code, 0, stdout + stderr);
  assert.match(stderr.replaceAll(/\s+/g, ' '), new RegExp(`behind an emulated network \\(\\w+\\) serves http://localhost:${port}`));
  const { campaign, visits } = await exported(data);
  assert.equal(campaign.sites[0]?.name, `localhost:${port}/`);
  assert.deepEqual(
    visits
      .filter((visit) => visit.counted)
      .map(({ protocol }) => protocol)
      .sort(),
    ['h1', 'h2', 'h3'],
    JSON.stringify(visits),
  );
  // In each counted visit, and those that warmed Chrome up.
  assert.ok(opened.length >= 3, `${opened.length} WebSockets`);
  assert.deepEqual([...new Set(opened)], [`http://localhost:${port}`]);
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
