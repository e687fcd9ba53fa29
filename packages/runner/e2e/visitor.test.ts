import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Visitor } from '@pronghorn/core/schemas';
import { isThorough, proves, quickBrowser, thoroughly } from '@pronghorn/core/testing';
import { screenOf } from '@pronghorn/core/visitor';
import { browsersOf, version } from '@pronghorn/core/vocabulary';
import { madeSpec } from '../../core/fixtures/made-campaign.ts';
import type { Engine, Load, Loaded } from '../src/engines/engine.ts';
import { puppeteerEngine } from '../src/engines/puppeteer.ts';
import { unavailableTo } from '../src/lease/visiting-engine.ts';
import { openLink } from '../src/link/link.ts';
import { loadOf, loadVisitor, openVisitorWorld, patient, type VisitorWorld, type VisitRequest } from './visitor-world.ts';

/** Asks from the page, from a worker, from a service worker and in a frame of another site, and tells the server what the page sees of itself. */
const page = (
  third: string,
) => `<!doctype html><meta name="viewport" content="width=device-width"><title>Page</title><iframe src="${third}"></iframe>
<img src="${third.replace('/frame', '/ad.png')}"><script>
new Worker('/worker.js');
const hints = ['architecture', 'bitness', 'fullVersionList', 'model', 'platformVersion', 'formFactors'];
(async () => {
  const seen = {
    userAgent: navigator.userAgent, languages: navigator.languages, width: innerWidth, ratio: devicePixelRatio, touch: navigator.maxTouchPoints,
    coarse: matchMedia('(pointer: coarse)').matches, cookie: document.cookie, storage: { ...localStorage },
    hints: await navigator.userAgentData.getHighEntropyValues(hints),
  };
  await fetch('/seen', { method: 'POST', headers: { seen: encodeURIComponent(JSON.stringify(seen)) } });
  // Chrome begins with it a while after the page has loaded.
  await navigator.serviceWorker.register('/service-worker.js').catch(() => {});
  while (!(await (await fetch('/all-there')).json())) await new Promise((resolve) => setTimeout(resolve, 100));
})();
</script><p>Page`;

/**
 * Tells how long the same work takes a worker, which is never made slower, and the page itself: in turns, so that whatever else this machine
 * does meets both, and each the median. Of Chrome's own code, since a script's depends on when it is compiled. Until it is slower: Chrome holds
 * the page up by a thread of its own, which a machine that is busy may not let run for a while. Its load ends when it has told.
 */
const busy = `<!doctype html><title>Busy</title><img src="/told.png"><script>
const setUp = () => {
  const numbers = Float64Array.from({ length: 2e4 }, (_, i) => Math.sin(i));
  return () => {
    const begin = performance.now();
    numbers.slice().sort();
    return performance.now() - begin;
  };
};
const median = (all) => all.sort((a, b) => a - b)[all.length >> 1];
const worker = new Worker(URL.createObjectURL(new Blob(['const work = (' + setUp + ')(); onmessage = () => postMessage(work());'])));
const byWorker = () => new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); worker.postMessage(0); });
(async () => {
  const work = setUp();
  let [own, other] = [0, 0];
  for (let tries = 0; tries < 20 && own <= 2 * other; tries++) {
    const [owns, others] = [[], []];
    for (let turn = 0; turn < 41; turn++) { others.push(await byWorker()); owns.push(work()); }
    [own, other] = [median(owns), median(others)];
  }
  await fetch('/took?own=' + own + '&other=' + other);
})();
</script>`;

const hasNssTools = spawnSync('pk12util', ['-h'], { stdio: 'ignore' }).error === undefined;

/** Passes on to this machine what comes with an account, as proxies of companies do. */
async function openProxy(t: TestContext, account: string): Promise<{ url: string; requests: { to: string; welcome: boolean }[] }> {
  const requests: { to: string; welcome: boolean }[] = [];
  const expected = `Basic ${Buffer.from(account).toString('base64')}`;
  const server = createServer();
  server.on('connect', ({ url: to = '', headers }, client) => {
    client.on('error', () => client.destroy());
    const welcome = headers['proxy-authorization'] === expected;
    requests.push({ to, welcome });
    if (!welcome) {
      client.end('HTTP/1.1 407 Who are you\r\nproxy-authenticate: Basic realm="company"\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    const upstream = connect(Number(to.split(':')[1]), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.end('HTTP/1.1 502 Nobody there\r\ncontent-length: 0\r\n\r\n'));
    client.once('close', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** How one visits who is to be let in. */
const ways: Partial<Load>[] = isThorough ? [{ protocol: 'h1' }, { protocol: 'h2', isolation: 'context' }] : [{ protocol: 'h2' }];

/** A visit of a page that loaded, whether it came to rest or was still busy on a busy machine. */
const loaded = ({ evidence: { end, settled } }: Pick<Loaded, 'evidence'>) =>
  assert.ok(end.kind === 'quiet' || end.kind === 'settle-cut', JSON.stringify([end, settled]));

describe('a visitor', proves('visitors'), () => {
  let world: VisitorWorld;
  let engine: Engine;
  /** Paths whose requests the page waits for before it comes to rest. */
  let awaited: readonly string[] = [];
  const untilTold: { end(): unknown }[] = [];
  /** Knows where the names are, and trusts nobody but the authorities that it is told to. */
  let strict: Engine;
  before(async () => {
    world = await openVisitorWorld((_request, response, { path, host }) => {
      if (host !== 'third.test' && path === '/away') {
        response.writeHead(302, { location: world.url('/ad.png', 'third.test') }).end();
        return;
      }
      if (path === '/all-there') {
        response.end(JSON.stringify(awaited.every((one) => world.requests.some((request) => request.path === one))));
        return;
      }
      if (path === '/told.png') {
        untilTold.push(response);
        return;
      }
      if (path.startsWith('/took')) for (const held of untilTold.splice(0)) held.end();
      const script = path.endsWith('.js');
      if (path === '/busy') {
        response.setHeader('content-type', 'text/html');
        response.end(busy);
        return;
      }
      response.setHeader('content-type', script ? 'text/javascript' : path.endsWith('.png') ? 'image/png' : 'text/html');
      if (path === '/') response.setHeader('accept-ch', 'Sec-CH-UA-Model, Sec-CH-UA-Full-Version-List');
      if (script) response.end(`fetch('/from-${path.slice(1, -3)}')`);
      else response.end(path === '/' ? page(world.url('/frame', 'third.test')) : 'ok');
    });
    const link = await openLink({ choice: 'direct', conditions: [], outside: false });
    engine = puppeteerEngine(world.lab(), link.vantagePoint, { ahead: false });
    strict = puppeteerEngine(world.lab(false), link.vantagePoint, { ahead: false });
  });
  after(async () => {
    await engine.close();
    await strict.close();
    await world.close();
  });

  const visit = async (visitor?: Visitor, more: Partial<Load> = {}): Promise<Loaded & { requests: VisitRequest[]; seen: Seen }> => {
    world.requests.length = 0;
    const loaded = await (visitor?.ca === undefined ? engine : strict).load(
      loadOf(world.url(), visitor, { browser: visitor?.ca === undefined ? quickBrowser : 'chrome', ...more }),
    );
    const requests = [...world.requests];
    const seen = requests.find(({ path }) => path === '/seen')?.headers.seen;
    assert.ok(
      typeof seen === 'string',
      `the page told what it sees: ${JSON.stringify(loaded.evidence.end)}, ${requests.map(({ path }) => path)}`,
    );
    return { ...loaded, requests, seen: JSON.parse(decodeURIComponent(seen)) };
  };
  interface Seen {
    userAgent: string;
    languages: string[];
    width: number;
    ratio: number;
    touch: number;
    coarse: boolean;
    cookie: string;
    storage: Record<string, string>;
    hints: {
      model: string;
      mobile: boolean;
      platform: string;
      architecture: string;
      fullVersionList: { brand: string; version: string }[];
    };
  }

  for (const browser of browsersOf.puppeteer) {
    test(`${browser}: all requests have the user agent of a Chrome with a window and our name behind it${browser === 'chrome' ? ', under an authority of the visitor’s' : ''}`, async () => {
      // A service worker wants a certificate that is trusted, which the headless shell's can't be here.
      const ofWorkers = ['/worker.js', '/from-worker', ...(browser === 'chrome' ? ['/service-worker.js', '/from-service-worker'] : [])];
      awaited = ofWorkers;
      const { requests, seen, environment } = await visit(browser === 'chrome' ? { ca: world.ca } : undefined, {
        browser,
        limits: patient,
      });
      awaited = [];
      if (browser === 'chrome') assert.ok(!environment.browser.flags.some((flag) => flag.startsWith('--ignore-certificate-errors=')));
      const chrome = environment.browser.product.replace(/^\D+/, '');
      const [major = ''] = chrome.split('.');
      const expected = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36 Pronghorn/${version}`;
      for (const path of ['/', '/frame', ...ofWorkers])
        assert.ok(
          requests.some((one) => one.path === path),
          `${path} was asked for: ${requests.map((one) => one.path)}`,
        );
      for (const { path, headers } of requests) {
        assert.equal(headers['user-agent'], expected, path);
        assert.doesNotMatch(String(headers['sec-ch-ua']), /Headless/, path);
      }
      assert.match(String(requests[0]?.headers['sec-ch-ua']), new RegExp(`"Chromium";v="${major}"`));
      assert.equal(seen.userAgent, expected);
      assert.ok(
        seen.hints.fullVersionList.some((one) => one.brand === 'Chromium' && one.version === chrome),
        JSON.stringify(seen.hints),
      );
      assert.notEqual(seen.hints.architecture, '');
    });
  }

  /** A visit of one who brings a cookie and local storage, both of which have to be there from the first request. */
  async function broughtAlong(visitor: Visitor, more: Partial<Load> = {}) {
    const given = loadVisitor(world.url(), { ...visitor, cookies: [{ name: 'consent', value: 'all' }] });
    given.state.storage.push({ origin: world.url().slice(0, -1), items: [['theme', 'dark']] });
    const made = await visit(undefined, { ...more, visitor: given });
    assert.equal(made.requests[0]?.headers.cookie, 'consent=all');
    assert.deepEqual([made.seen.cookie, made.seen.storage], ['consent=all', { theme: 'dark' }]);
    return made;
  }

  test('a user agent of the owner takes its place, and first parties alone are asked, with cookies and storage', async () => {
    const visitor = { userAgent: 'Staging/1.0', firstPartyOnly: true };
    const { requests, seen } = await broughtAlong(visitor, isThorough ? { isolation: 'context' } : {});
    assert.deepEqual(new Set(requests.map(({ headers }) => headers['user-agent'])), new Set(['Staging/1.0']));
    assert.equal(seen.userAgent, 'Staging/1.0');
    assert.deepEqual(new Set(requests.map(({ host }) => host)), new Set(['own.test']));
  });

  test('a phone is one in viewport, touch, client hints and user agent, in the first request already; what it blocks is never requested', async () => {
    const { requests, seen, evidence } = await broughtAlong(
      { device: 'phone', language: 'de-CH', block: ['*://*:*/ad.png'] },
      { browser: 'chrome' },
    );
    assert.ok(requests.some(({ path }) => path === '/frame') && !requests.some(({ path }) => path === '/ad.png'));
    const failed = evidence.network.flatMap((event) => (event.method === 'Network.loadingFailed' ? [event.params.blockedReason] : []));
    assert.deepEqual(failed, ['inspector']);
    assert.deepEqual([seen.width, seen.ratio, seen.touch, seen.coarse], [412, 2.625, 5, true]);
    assert.match(seen.userAgent, /Android 10; K\).* Mobile Safari\/537\.36 Pronghorn/);
    assert.deepEqual([seen.hints.mobile, seen.hints.platform, seen.hints.model], [true, 'Android', 'Pixel 7']);
    assert.equal(requests[0]?.headers['sec-ch-ua-mobile'], '?1');
    assert.match(String(requests[0]?.headers['accept-language']), /^de-CH,de/);
    assert.deepEqual(seen.languages, ['de-CH', 'de']);
  });

  test('a tablet is one, without a mobile mark', thoroughly('visitors'), async () => {
    const { requests, seen } = await visit({ device: 'tablet' }, { isolation: 'context' });
    const { width, scale } = screenOf({ device: 'tablet' });
    assert.deepEqual([seen.width, seen.ratio, seen.touch, seen.coarse], [width, scale, 5, true]);
    assert.match(seen.userAgent, /Android 10; K\).* Safari\/537\.36 Pronghorn/);
    assert.doesNotMatch(seen.userAgent, /Mobile/);
    assert.deepEqual([seen.hints.mobile, seen.hints.platform, seen.hints.model], [false, 'Android', 'Pixel Tablet']);
    assert.equal(requests[0]?.headers['sec-ch-ua-mobile'], '?0');
  });

  test('a CPU that is made four times slower takes a page longer by far than its worker, which is not', async (t) => {
    world.requests.length = 0;
    await engine.load(loadOf(world.url('/busy'), { cpuSlowdown: 4 }, { browser: quickBrowser, limits: patient }));
    const told = world.requests.find(({ path }) => path.startsWith('/took'))?.path ?? assert.fail('the page told nothing');
    const { searchParams } = new URL(told, world.url());
    const [own, other] = [Number(searchParams.get('own')), Number(searchParams.get('other'))];
    t.diagnostic(`the worker ${other} ms, the page ${own} ms`);
    assert.ok(own > 2 * other, `the worker ${other} ms, the page ${own} ms`);
  });

  test('through a proxy that wants a password, HTTP/1.1 or HTTP/2 has it with its first connection, and HTTP/3 is refused', async (t) => {
    const proxy = await openProxy(t, 'ann:open sesame');
    const visitor = { proxy: proxy.url, proxyAuth: { user: 'ann', password: 'open sesame' } };
    for (const more of ways) {
      proxy.requests.length = 0;
      const { evidence } = await visit(visitor, more);
      loaded({ evidence });
      const ofPages = proxy.requests.filter(({ to }) => /\.test:/.test(to));
      assert.deepEqual(new Set(ofPages.map(({ to }) => to.replace(/:\d+$/, ''))), new Set(['own.test', 'third.test']));
      assert.ok(ofPages.every(({ welcome }) => welcome));
      assert.ok(
        evidence.network.every((event) => event.method !== 'Network.responseReceived' || event.params.response.url.startsWith('https://')),
        'the visit knows nothing of the question before it',
      );
    }
    const wrong = { ...visitor, proxyAuth: { user: 'ann', password: 'open up' } };
    await assert.rejects(
      engine.load(loadOf(world.url(), wrong, { browser: quickBrowser })),
      /^Error: The proxy http:\S+ refuses the user ann and the password of proxyAuth\.$/,
    );

    const url = world.url();
    const site = { id: 'site', url, name: 'page', expectStatus: 200, visitor: { proxy: proxy.url } };
    const refused = unavailableTo('h3', { spec: madeSpec(), site });
    assert.match(refused?.detail ?? '', /^HTTP\/3 can't pass the proxy http:/);
    assert.equal(unavailableTo('h2', { spec: madeSpec(), site }), null);
  });

  test('a server that asks for a certificate gets the visitor’s, over HTTP/1.1 or HTTP/2, and nobody else is let in', {
    skip: hasNssTools ? false : 'needs pk12util (package libnss3-tools)',
  }, async (t) => {
    const closed = await openVisitorWorld((_request, response) => void response.end('<!doctype html><title>In</title>In'), {
      clientCa: true,
    });
    t.after(() => closed.close());
    const link = await openLink({ choice: 'direct', conditions: [], outside: false });
    const knocking = puppeteerEngine(closed.lab(), link.vantagePoint, { ahead: false });
    t.after(() => knocking.close());
    const { clientCertificate } = closed;
    for (const more of ways) {
      const { evidence, environment } = await knocking.load(loadOf(closed.url(), { clientCertificate }, more));
      loaded({ evidence });
      assert.ok(closed.requests.some(({ path }) => path === '/'));
      assert.ok(!JSON.stringify(environment).includes('PRIVATE KEY'));
      closed.requests.length = 0;
    }
    const { evidence } = await knocking.load(loadOf(closed.url()));
    assert.ok(evidence.end.kind === 'navigation-failed', JSON.stringify(evidence.end));
    assert.deepEqual(closed.requests, []);
  });

  test('an authority that is not the visitor’s is refused as always', async () => {
    const refused = await strict.load(loadOf(world.url(), undefined, { browser: quickBrowser }));
    assert.ok(refused.evidence.end.kind === 'navigation-failed', JSON.stringify(refused.evidence.end));
    assert.match(refused.evidence.end.error, /ERR_CERT_AUTHORITY_INVALID/);
  });

  // The first test above visits by it over HTTP/2.
  test('an authority of the visitor is trusted over HTTP/1.1 too', thoroughly('visitors'), async () =>
    loaded(await visit({ ca: world.ca }, { protocol: 'h1' })),
  );

  test('headers and a password go to the page’s own hosts, with the first request already, and to nobody else', async () => {
    const visitor = { headers: [{ name: 'X-Staging', value: 'yes' }], basicAuth: { user: 'ann', password: 'open sesame' } };
    awaited = ['/from-worker'];
    const { requests } = await visit(isThorough ? { ...visitor, ca: world.ca } : visitor, { limits: patient });
    awaited = [];
    const own = requests.filter(({ host }) => host === 'own.test');
    const others = requests.filter(({ host }) => host !== 'own.test');
    for (const path of ['/', '/worker.js', '/from-worker'])
      assert.ok(
        own.some((one) => one.path === path),
        JSON.stringify(requests.map((one) => one.host + one.path)),
      );
    assert.ok(others.length >= 2, JSON.stringify(requests.map(({ host, path }) => host + path)));
    const authorization = `Basic ${Buffer.from('ann:open sesame').toString('base64')}`;
    for (const { path, headers } of own) {
      // Chrome asks for icons by itself, not for the page.
      if (path === '/favicon.ico') continue;
      assert.deepEqual([headers['x-staging'], headers.authorization], ['yes', authorization], path);
    }
    for (const { path, headers } of others) assert.deepEqual([headers['x-staging'], headers.authorization], [undefined, undefined], path);
    world.requests.length = 0;
    await engine.load(loadOf(world.url('/away'), visitor, { browser: quickBrowser }));
    assert.deepEqual(
      world.requests.filter(({ path }) => path !== '/favicon.ico').map(({ host, headers }) => [host, headers['x-staging']]),
      [
        ['own.test', 'yes'],
        ['third.test', undefined],
      ],
      'a redirect to another host takes nothing along',
    );
  });

  test(
    'cookies and local storage are there in a Chrome of its own, and hosts that are blocked are never requested',
    thoroughly('visitors'),
    async () => {
      await broughtAlong({});
      const hostsAsked = async (visitor: Visitor) =>
        new Set((await visit(visitor, { isolation: 'context' })).requests.map(({ host }) => host));
      assert.deepEqual(await hostsAsked({}), new Set(['own.test', 'third.test']));
      assert.deepEqual(await hostsAsked({ block: ['third.test'] }), new Set(['own.test']));
    },
  );
});
