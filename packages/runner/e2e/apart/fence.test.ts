// Chrome behind a fence instead of a link: on the machine's own network, with real listeners at the forbidden places.
import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { defaultLimits } from '@pronghorn/core/schemas';
import { isThorough, proves, quickBrowser, thoroughly } from '@pronghorn/core/testing';
import type { DemoOrigin, Load } from '../../src/engines/engine.ts';
import { allEngines, surveyCapabilities } from '../../src/engines/engines.ts';
import { type Link, openLink } from '../../src/link/link.ts';
import { run } from '../../src/machine/run.ts';
import { onMachine } from '../egress-bench.ts';
import { missingWays, visitHostile } from '../egress-page.ts';
import { machine, openWorld, publicHosts, type World } from '../egress-world.ts';
import { visitsOver } from '../laboratory.ts';

const limits = { loadTimeoutMs: 60_000, quietMs: 500, settleMaxMs: 3_000 };

await onMachine(import.meta.filename, 'a fence on the machine’s own network', () => {
  let world: World;
  let link: Link | undefined;
  before(async () => {
    world = await openWorld();
  });
  after(async () => {
    await link?.close();
    await world.close();
  });
  const open = async (allowNet: string[] = []): Promise<Link> => {
    await link?.close();
    link = await openLink({ choice: 'direct', conditions: [], outside: true, allowNet, fencing: 'fenced' });
    await world.forget();
    return link;
  };
  /** Who came to where nobody may: packets of which nothing came back are among them. */
  const forbidden = () => {
    const known: readonly string[] = [...publicHosts.v4, ...publicHosts.v6];
    return world.visitors.filter(
      ({ where, address }) => where !== 'internet' || !(address === '::' || known.includes(address.replace('::ffff:', ''))),
    );
  };

  test('a runner without another link says that it is fenced, and offers no Firefox', proves('fence'), async () => {
    const fenced = await surveyCapabilities('direct', 'fenced');
    assert.equal(fenced.isFenced, true);
    assert.ok(!fenced.engines.includes('firefox') && !fenced.browsers.includes('firefox'));
    assert.equal((await surveyCapabilities('direct', 'unfenced')).isFenced, false);
    await assert.rejects(
      allEngines(undefined, (await open()).vantagePoint).load({
        ...{ url: 'http://public.test/', protocol: 'h2', discovery: 'forced', forced: [], view: 'cold', isolation: 'process' },
        ...{ engine: 'firefox', browser: 'firefox', limits: { ...defaultLimits, ...limits } },
      }),
      /Firefox can’t be fenced/,
    );
  });

  test(
    'a hostile page reaches none of the forbidden addresses, and the public ones in every way it tries',
    proves('fence'),
    async (context) => {
      const fenced = await open();
      const refused = watchRefusals(fenced);
      const tried = ['10.1.2.3 (tcp 8080)', '169.254.169.254 (tcp 8080)', '10.1.2.3 (udp 3478)', '10.1.2.3 (udp 4433)'];
      await visitHostile(world, fenced.vantagePoint, async () => [...missingWays(world), ...(await refused.lacks(tried))]);
      assert.deepEqual(forbidden(), []);
      context.diagnostic(`refused ${refused.all.size} destinations: ${[...refused.all].slice(0, 12).join(', ')} …`);
    },
  );

  test('the same page reaches them where the policy is open, but for the machine: so it does try', thoroughly('fence'), async () => {
    const closed = ['10.1.2.3', '192.168.7.1', '172.16.5.4', '169.254.169.254', '168.63.129.16', '100.64.1.1', 'fd12:3456::1'];
    await visitHostile(world, (await open(['0.0.0.0/0', '::/0'])).vantagePoint, () =>
      closed.filter((one) => !forbidden().some(({ address }) => address === one)),
    );
    assert.deepEqual(
      forbidden().filter(({ where }) => where === 'machine'),
      [],
    );
  });

  test(
    'a page that redirects to an inner address, or is rebound to one, is no visit: nothing of the answer is kept',
    proves('fence', 'invalid-visits'),
    async () => {
      const fenced = await open();
      const { engine, visit } = visitsOver(fenced, noLab, quickBrowser);
      const spec = { limits };
      for (const url of [
        'http://public.test:8080/?to=http://169.254.169.254:8080/secret',
        'http://public.test:8080/?to=http://private.test:8080/secret&code=307',
      ]) {
        const { visit: record, evidence } = await visit(url, 'h1', { spec });
        assert.equal(record.outcome.verdict, 'invalid');
        assert.match(
          record.outcome.verdict === 'invalid' ? record.outcome.detail : '',
          /ERR_NETWORK_ACCESS_DENIED\. .* Refused: [\d.]+ \(tcp 8080\)\. Visits reach public addresses only/,
        );
        assert.match(record.link?.refused[0] ?? '', /^(169\.254\.169\.254|10\.1\.2\.3) \(tcp 8080\)$/);
        assert.doesNotMatch(JSON.stringify(evidence), /reached/);
      }
      world.serve('<h1>public</h1>');
      const first = await visit('http://a.rebind.test:8080/', 'h1', { spec });
      assert.equal(first.visit.documentAddress?.replace(/:\d+$/, ''), publicHosts.v4[1], JSON.stringify(first.visit.outcome));
      const second = await visit('http://a.rebind.test:8080/', 'h1', { spec });
      assert.deepEqual([second.visit.outcome.verdict, second.visit.link?.refused], ['invalid', ['10.1.2.3 (tcp 8080)']]);
      await world.collect();
      assert.deepEqual(forbidden(), []);
      await engine.close();
    },
  );

  test('a page with parts at inner addresses lacks them, and its record names them', proves('fence'), async () => {
    const fenced = await open();
    const { engine, visit } = visitsOver(fenced, noLab, quickBrowser);
    world.serve(`<h1>public</h1><iframe src="http://10.1.2.3:8080/frame"></iframe><img src="http://public.test:8080/x?to=http://192.168.7.1:8080/part">
      <script>new WebSocket('ws://172.16.5.4:8080/'); fetch('http://private.test:8080/fetch', { mode: 'no-cors' }).catch(() => {});
      new Worker(URL.createObjectURL(new Blob(['fetch("http://192.168.255.254:8080/worker", { mode: "no-cors" })'])));</script>
      <link rel="preconnect" href="http://100.64.1.1:8080"><link rel="icon" href="http://169.254.7.7:8080/icon">`);
    const { visit: record, evidence } = await visit('http://public.test:8080/', 'h1', { spec: { limits } });
    const refused = record.link?.refused ?? [];
    for (const address of ['10.1.2.3', '192.168.7.1']) assert.ok(refused.includes(`${address} (tcp 8080)`), `${address}: ${refused}`);
    await world.collect();
    assert.deepEqual(forbidden(), []);
    assert.doesNotMatch(JSON.stringify(evidence), /"reached/);
    await engine.close();
  });

  test('HTTP/3 goes nowhere else, forced or by Alt-Svc', proves('fence'), async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'pronghorn-fence-'));
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    await run([
      'openssl',
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      key,
      '-out',
      certificate,
      '-days',
      '2',
      '-subj',
      '/CN=own.test',
      '-addext',
      'subjectAltName=DNS:own.test,DNS:private.test',
    ]);
    const pem = readFileSync(certificate);
    const spki = createHash('sha256')
      .update(new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' }))
      .digest('base64');
    const server = createSecureServer({ key: readFileSync(key), cert: pem, allowHTTP1: true }, (request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'alt-svc': 'h3="private.test:4433"; ma=3600' });
      response.end(request.url === '/' ? '<h1>own</h1><script>addEventListener("load", () => fetch("/again"))</script>' : 'again');
    });
    context.after(() => {
      server.close();
      rmSync(folder, { recursive: true });
    });
    await new Promise<void>((resolve) => server.listen(8443, machine.v4, resolve));
    const lab: DemoOrigin = {
      trust: { spki, hostRules: `MAP own.test ${machine.v4}`, outside: true },
      serves: () => true,
      settings: {},
    };
    const visitBoth = async (opened: Link, lacks: (refused: Refusals) => string[] | Promise<string[]>): Promise<void> => {
      const engine = allEngines(lab, opened.vantagePoint, { ahead: false });
      const refused = watchRefusals(opened);
      const load = (url: string, rest: Pick<Load, 'discovery' | 'forced' | 'view'>) =>
        engine.load({
          url,
          protocol: 'h3',
          isolation: isThorough ? 'context' : 'process',
          browser: 'chrome',
          limits: { ...defaultLimits, ...limits },
          ...rest,
        });
      // The first use of an alternative of another host is a connection attempt beside the one that works.
      await load('https://own.test:8443/', { discovery: 'alt-svc', forced: ['own.test:8443', 'private.test:4433'], view: 'warm' });
      await load('https://private.test:3478/', { discovery: 'forced', forced: ['private.test:3478'], view: 'cold' });
      // A page does not wait for its connection attempts.
      const giveUp = performance.now() + 60_000;
      for (;;) {
        await world.collect();
        const missing = await lacks(refused);
        if (missing.length === 0) break;
        assert.ok(performance.now() < giveUp, `waited 60 s for ${missing.join(', ')}; refused: ${[...refused.all].join(', ')}`);
        await delay(100);
      }
      await engine.close();
      await world.collect();
    };
    await visitBoth(await open([machine.v4]), (refused) => refused.lacks(['10.1.2.3 (udp 3478)', '10.1.2.3 (udp 4433)']));
    assert.deepEqual(
      forbidden().filter(({ where }) => where !== 'machine'),
      [],
    );
    // Where it is open, both arrive.
    if (isThorough)
      await visitBoth(await open([machine.v4, '10.1.0.0/16']), () =>
        [3478, 4433]
          .filter((one) => !forbidden().some(({ transport, address, port }) => `${transport} ${address} ${port}` === `udp 10.1.2.3 ${one}`))
          .map((port) => `udp ${port} at 10.1.2.3`),
      );
  });
});

type Refusals = ReturnType<typeof watchRefusals>;

/** Everything that is refused from now on. */
function watchRefusals(link: Link) {
  const watched = link.watch();
  const all = new Set<string>();
  return {
    all,
    /** Of these, the ones that were not refused yet. */
    lacks: async (expected: readonly string[]): Promise<string[]> => {
      for (const one of (await watched())?.refused ?? []) all.add(one);
      return expected.filter((one) => !all.has(one));
    },
  };
}

const noLab: DemoOrigin = { trust: { spki: '', hostRules: '' }, serves: () => false, settings: {} };
