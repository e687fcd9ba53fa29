// What a Chrome of ours is, and what a page meets in it: what it meets in everybody's.
import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { defaultLimits } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { type Chrome, launchChrome } from '../src/chrome/launch.ts';
import { deriveResources } from '../src/derive/resources.ts';
import { readyTab } from '../src/gather/gather-load.ts';
import { openContext } from '../src/gather/page-session.ts';
import { findChrome } from '../src/machine/find.ts';
import { html, openPages } from './pages.ts';

const isRoot = process.getuid?.() === 0;

describe('a Chrome that was started', proves('isolation'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'chrome-rights-'));
  let server: Server;
  let url: string;
  let chrome: Chrome;
  before(async () => {
    server = createServer((_, reply) => reply.setHeader('content-type', 'text/html').end('<p>Here.'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { PRONGHORN_CHROME: chosen } = process.env;
    if (isRoot) process.env.PRONGHORN_CHROME = copyWithoutHelper(folder);
    chrome = await launchChrome({ protocol: 'h1', discovery: 'forced', forced: [], browser: 'chrome', lab: undefined });
    if (chosen === undefined) delete process.env.PRONGHORN_CHROME;
    else process.env.PRONGHORN_CHROME = chosen;
  });
  after(async () => {
    await chrome.close();
    server.close();
    rmSync(folder, { recursive: true });
  });

  test('has no page of its own beside the one that is measured', async () => {
    const opened = new Set<string>();
    chrome.session.on('Target.targetCreated', ({ targetInfo }) => opened.add(`${targetInfo.type} ${targetInfo.url}`));
    chrome.session.on('Target.targetInfoChanged', ({ targetInfo }) => opened.add(`${targetInfo.type} ${targetInfo.url}`));
    // An empty filter shows all targets, those of Chrome's own window too.
    await chrome.session.send('Target.setDiscoverTargets', { discover: true, filter: [{}] });
    await framesOf(chrome, url);
    const foreign = [...opened].filter((target) => !/^(browser|tab|page) ?(about:blank|http:\/\/127\.0\.0\.1.*)?$/.test(target));
    assert.deepEqual(foreign, []);
    assert.ok([...opened].some((target) => target.includes(url)));
  });

  test('by root is another user, and neither it nor what it starts can get a right', { skip: !isRoot }, () => {
    assert.equal(existsSync(join(folder, 'chrome-sandbox')), false);
    const said = readFileSync(`/proc/${chrome.pid}/status`, 'utf8');
    const [, user] = /^Uid:\t(\d+)/m.exec(said) ?? [];
    assert.equal(user, '47813');
    for (const set of ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb']) assert.match(said, new RegExp(`^Cap${set}:\t0+$`, 'm'));
    assert.match(said, /^NoNewPrivs:\t1$/m);
  });

  // A Chrome loads hundreds of pages. What this process saw of one may not stay as long as that Chrome does.
  test('keeps nothing here of a page that was loaded', async () => {
    const seen: WeakRef<object>[] = [];
    for (let load = 0; load < 3; load++) seen.push(await framesOf(chrome, url));
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    // What the last load left may stand on a stack or in a queue still.
    for (let turn = 0; turn < 3; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      collect();
    }
    assert.deepEqual(
      seen.slice(0, -1).map((frames) => frames.deref()),
      [undefined, undefined],
    );
  });
});

const lazy = [1_000, 1_500, 2_000, 2_500, 3_000, 3_500, 4_000];

test('a visit has the Chrome of a visitor', proves('production-pages', 'conditions'), async (t) => {
  const opening = (event: string) => `<h1>Opens</h1><script>addEventListener('${event}', () => open('/popup'))</script><img src="/a.svg">`;
  const images = lazy.map(
    (top) => `<img loading="lazy" src="/${top}.svg" width="40" height="40" style="position:absolute;top:${top + 768}px">`,
  );
  const told = `<script>new Image().src = '/told?' + navigator.connection.effectiveType</script>`;
  const workerAsked = Promise.withResolvers<void>();
  const pages = await openPages(t, {
    '/early': opening('DOMContentLoaded'),
    '/late': opening('load'),
    '/popup': '<h1>Popup</h1>',
    '/top': ({ socket }, response) => html(response, `<h1>Top</h1><iframe src="http://localhost:${socket.localPort}/frame"></iframe>`),
    // The page is not at rest before its worker has asked.
    '/frame': '<p>Frame</p><img src="/frame-1.svg"><img src="/frame-2.svg"><script>new Worker("/worker.js"); fetch("/asked")</script>',
    '/asked': async (_, response) => {
      await workerAsked.promise;
      response.end();
    },
    // The worker does not read this body: Chrome fetches all of it only if it may cache it.
    '/from-worker.svg': (_, response) => {
      workerAsked.resolve();
      response.writeHead(200, { 'content-type': 'image/svg+xml' }).end('<svg xmlns="http://www.w3.org/2000/svg"/>');
    },
    '/worker.js': (_, response) => response.writeHead(200, { 'content-type': 'text/javascript' }).end('fetch("/from-worker.svg")'),
    '/long': `<h1>Long</h1>${images.join('')}${told}`,
  });

  await t.test('a window without a click is blocked, and the page that tried to open it loads', async () => {
    for (const path of ['/early', '/late']) {
      const { end, page } = await pages.load(path, { isolation: 'context' });
      assert.equal(end.kind, 'quiet', path);
      assert.ok(page !== null && page.navigation.loadEventEnd > 0);
      assert.ok(!pages.seen.some((request) => request.path === '/popup'));
    }
  });

  // 127.0.0.1 and localhost are different sites: Chrome gives the frame its own process, and its own DevTools session.
  await t.test('what frames of other sites and workers request is part of the visit', async () => {
    const evidence = await pages.load('/top', { isolation: 'context' });
    assert.equal(evidence.end.kind, 'quiet');
    const resources = deriveResources(evidence);
    const paths = resources.map(({ url }) => new URL(url).pathname).sort();
    assert.deepEqual(paths, pages.seen.map(({ path }) => path).sort());
    assert.deepEqual(paths, ['/asked', '/frame', '/frame-1.svg', '/frame-2.svg', '/from-worker.svg', '/top', '/worker.js']);
    for (const { url, endMs, status, protocol } of resources) {
      assert.ok(endMs !== null && status === 200 && protocol === 'http/1.1', url);
    }
  });

  await t.test('the network that a page sees, and the lazy images that it loads, follow its condition and nothing before it', async (t) => {
    const load = async (effectiveConnection: '4g' | '3g') => {
      await pages.load('/long', { isolation: 'context', effectiveConnection });
      // Warm-up loads of a new Chrome ask for the same.
      return [...new Set(pages.seen.map(({ path }) => path))].filter((path) => path !== '/long').sort();
    };
    const fast = ['/1000.svg', '/told?4g'];
    const slow = ['/1000.svg', '/1500.svg', '/2000.svg', '/told?3g'];
    const [first, second, third] = [await load('4g'), await load('3g'), await load('4g')];
    t.diagnostic(JSON.stringify([first, second, third]));
    assert.deepEqual(first, fast);
    assert.deepEqual(second, slow);
    assert.deepEqual(third, fast);
  });
});

/** Loads a page. @returns the frames of the load, for as long as anybody else refers to them */
async function framesOf(chrome: Chrome, url: string): Promise<WeakRef<object>> {
  const context = await openContext(chrome);
  const { end, frames } = await (await readyTab(chrome, context.id)).load(url, { ...defaultLimits, quietMs: 100 });
  assert.equal(end.kind, 'quiet');
  await context.dispose();
  return new WeakRef(frames);
}

/** A Chrome beside which no setuid helper stands, as in the images. @returns its path in the folder */
function copyWithoutHelper(folder: string): string {
  chmodSync(folder, 0o755);
  const whole = realpathSync(findChrome('chrome'));
  const copy = join(folder, basename(whole));
  copyFileSync(whole, copy);
  for (const name of readdirSync(dirname(whole)))
    if (name !== basename(whole) && name !== 'chrome-sandbox') symlinkSync(join(dirname(whole), name), join(folder, name));
  return copy;
}
