// REST calls by fetch() in Chrome, against the built-in server and against servers that fail.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import type { CampaignSpec, TransactionMetrics, VisitRun, Workload } from '@pronghorn/core/schemas';
import { isThorough, proves, quickBrowser, samples, thoroughly } from '@pronghorn/core/testing';
import { type Protocol, protocols } from '@pronghorn/core/vocabulary';
import { type Origin, startOrigin } from '@pronghorn/origin';
import { ensureCertificates } from '../../../nginx/src/machine/certificates.ts';
import { madeSpec } from '../../core/fixtures/made-campaign.ts';
import type { DemoOrigin } from '../src/engines/engine.ts';
import type { PerformedVisit } from '../src/lease/visit.ts';
import { type Link, openLink } from '../src/link/link.ts';
import { findTransaction } from '../src/machine/find.ts';
import { runInChrome } from '../src/transaction/chrome/run-in-chrome.ts';
import type { Plan } from '../src/transaction/program.ts';
import { callsOf, lacksTransaction, type Visits, visitsOver } from './laboratory.ts';

interface Line {
  due: number;
  sent: number;
  firstByte: number;
  end: number;
  handed?: number;
  opened: boolean;
  status: number;
}

describe('REST calls by Chrome', { ...proves('rest-calls'), skip: lacksTransaction() }, () => {
  let origin: Origin;
  let link: Link;
  let visits: Visits;
  const directory = mkdtempSync(join(tmpdir(), 'pronghorn-e2e-'));

  before(async () => {
    origin = await startOrigin({ directory, calls: { program: findTransaction() } });
    link = await openLink({ choice: 'direct', conditions: [], outside: false });
    visits = visitsOver(link, callsOf(origin));
  });
  after(async () => {
    await visits.engine.close();
    await link.close();
    await origin.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const url = (path: string) => `${origin.calls?.url}${path}`;
  const run = (
    page: string,
    protocol: Protocol,
    workload: Workload,
    {
      view = 'warm',
      over = visits,
      browser = quickBrowser,
    }: { view?: 'cold' | 'warm'; over?: Visits; browser?: CampaignSpec['browser'] } = {},
  ) => over.visit(page, protocol, { view, spec: { engine: 'transaction', browser, workload } });
  const madeOf = ({ visit: { outcome, run: made } }: PerformedVisit): { metrics: TransactionMetrics; made: VisitRun } => {
    assert.equal(outcome.verdict, 'valid', JSON.stringify(outcome));
    assert.ok(made);
    return { metrics: (outcome as { metrics: TransactionMetrics }).metrics, made };
  };
  const linesOf = ({ files }: PerformedVisit): Line[] =>
    String(files[0]?.content)
      .split('\n')
      .filter((line) => line.startsWith('{"kind":"request"'))
      .map((line) => JSON.parse(line) as Line);
  const invalidOf = ({ visit: { outcome } }: PerformedVisit) => (outcome.verdict === 'invalid' ? outcome : assert.fail('it is valid'));

  /** By which the page's clock and that of Chrome's network differ, in either direction. */
  const clocksMs = 1;
  const warm: Partial<Record<Protocol, PerformedVisit>> = {};
  for (const protocol of protocols) {
    test(`${protocol}: each user has a connection, opened before a warm run${isThorough ? ' and in a cold one' : ''}, and times are in order`, async () => {
      const performed = await run(url('/delay?ms=20'), protocol, { users: 2, requests: 10 }, { browser: 'chrome' });
      warm[protocol] = performed;
      const { metrics, made } = madeOf(performed);
      assert.deepEqual([made.planned, made.succeeded, made.errors], [20, 20, {}]);
      assert.deepEqual([made.connectionsBefore, made.connections], [2, 0]);
      assert.equal(metrics[`${protocol}Share`], 1);
      assert.equal(metrics.transferBytes, 20 * '{"delayedMs":20}'.length);
      assert.ok(metrics.clientCpu !== null && (metrics.clientMemory ?? 0) > 50e6, JSON.stringify(metrics));
      assert.ok(metrics.serverCpu !== null && metrics.serverCpu > 0 && metrics.packets === null);
      const lines = linesOf(performed);
      assert.equal(lines.length, 20);
      for (const { due, sent, firstByte, end, handed = 0, opened, status } of lines) {
        // The page's clock says when a request was due and its answer handed over, Chrome's network the rest.
        const byPage = due >= 0 && due + 20 <= handed;
        const byNetwork = sent < firstByte && firstByte <= end;
        const byBoth = due < sent + clocksMs && due + 20 <= firstByte + clocksMs && end <= handed + clocksMs;
        assert.ok(byPage && byNetwork && byBoth, JSON.stringify(lines));
        assert.deepEqual([opened, status], [false, 200]);
      }
      const { browser } = performed.environment ?? assert.fail('no environment');
      assert.match(browser.product, /Chrome\/\d/);
      assert.deepEqual([browser.preferences.crossOriginIsolated, browser.preferences.clockStepMs], [true, 0.005]);
      assert.equal(performed.visit.documentAddress, `127.0.0.30:${origin.port}`);

      if (!isThorough) return;
      const cold = await run(url('/ping'), protocol, { users: 2, requests: 10 }, { view: 'cold' });
      const { made: coldRun, metrics: coldMetrics } = madeOf(cold);
      assert.deepEqual([coldRun.connectionsBefore, coldRun.connections], [0, 2]);
      assert.ok(coldMetrics.handshake !== null && coldMetrics.handshake > 0);
      assert.equal(linesOf(cold).filter(({ opened }) => opened).length, 2);
    });
  }

  for (const protocol of protocols.slice(-samples(1, 3)))
    test(`${protocol}: bodies are sent whole, and are few in Chrome's memory`, async () => {
      const { metrics } = madeOf(warm[protocol] ?? assert.fail('its warm run failed'));
      const large = 5_000_000;
      // The server says how many bytes it got: {"received":5000000}.
      const post: Workload = { method: 'POST', bodyBytes: large, users: 8, requests: 1, connections: 'pool', paths: ['/upload'] };
      const uploaded = madeOf(await run(url('/upload'), protocol, post, { browser: 'chrome' })).metrics;
      assert.equal(uploaded.sentBytes, 8 * large);
      assert.equal(uploaded.transferBytes, 8 * `{"received":${large}}`.length);
      const [some, most] = [metrics.clientMemory ?? 0, uploaded.clientMemory ?? Number.POSITIVE_INFINITY];
      assert.ok(most - some < 4 * large, `${most} bytes, and ${some} without bodies`);
    });

  test(`a run ends after its seconds, and a pool opens what Chrome opens${isThorough ? ', a shared connection one' : ''}`, async () => {
    // Answers that take their time: a quick one frees its connection before Chrome has opened the next.
    const made = async (protocol: Protocol, workload: Workload) =>
      madeOf(await run(url('/delay?ms=50'), protocol, { users: 12, requests: 3, ...workload }, { view: 'cold' })).made;
    const timed = await made('h1', { connections: 'pool', mode: 'duration', seconds: 1 });
    assert.ok(timed.succeeded > 0 && timed.wallSeconds >= 1, JSON.stringify(timed));
    // On a busy machine some of six open when all is asked.
    assert.ok(
      timed.connections > 1 && timed.connections <= 6 && (!isThorough || timed.connections === 6),
      `${timed.connections} connections`,
    );
    if (!isThorough) return;
    const opened = async (protocol: Protocol, workload: Workload) => (await made(protocol, workload)).connections;
    assert.equal(await opened('h3', { connections: 'shared', shared: 2 }), 2);
    assert.equal(await opened('h1', { connections: 'shared' }), 1);
    assert.equal(await opened('h2', { connections: 'pool' }), 1);
  });

  test('at a rate all due requests are sent, and a cold run opens its connection', async () => {
    const rate: Workload = { mode: 'rate', requestsPerSecond: 50, seconds: 1, users: 50, connections: 'pool' };
    const even = await run(url('/ping'), 'h3', rate, { view: 'cold' });
    const { metrics, made } = madeOf(even);
    assert.deepEqual([made.planned, made.succeeded], [0, 50]);
    assert.deepEqual([made.connectionsBefore, made.connections], [0, 1]);
    assert.ok(metrics.handshake !== null && metrics.handshake > 0);
    assert.equal(linesOf(even).filter(({ opened }) => opened).length, 1);
    assert.deepEqual(
      linesOf(even)
        .map(({ due }) => due)
        .sort((a, b) => a - b),
      Array.from({ length: 50 }, (_, n) => n * 20),
    );
    if (!isThorough) return;
    const random = await run(url('/ping'), 'h2', { ...rate, arrivals: 'poisson' });
    const dues = linesOf(random).map(({ due }) => due);
    assert.ok(dues.length > 20 && dues.length < 90 && dues.every((due) => due < 1_000), `${dues}`);
  });

  for (const protocol of protocols)
    test(
      `${protocol}: a server that takes 20 requests on a connection and no more loses none, but a few by Chrome`,
      thoroughly('rest-calls'),
      async (t) => {
        const by = async (browser: 'none' | 'chrome', requests: number) => {
          const spec = { engine: 'transaction', browser, workload: { users: 10, requests, connections: 'shared' } } as const;
          return madeOf(await visits.visit(origin.odd.fewRequests, protocol, { view: 'warm', spec })).made;
        };
        // Enough of them that an answer comes together with the end of its connection.
        const go = await by('none', 100);
        assert.deepEqual([go.succeeded, go.errors], [1_000, {}], JSON.stringify(go.details));
        assert.ok(go.connections >= 45, `${go.connections} connections`);
        assert.equal((go.sentAgain ?? 0) > 0, protocol !== 'h1', `${go.sentAgain} sent again`);
        const chrome = await by('chrome', 20);
        t.diagnostic(`Chrome: ${JSON.stringify(chrome.errors)} ${JSON.stringify(chrome.details)}, ${chrome.connections} connections`);
        assert.equal(chrome.sentAgain, null);
        // Chrome does not send again what it sent while nginx ended the QUIC connection; of 16,000 requests over HTTP/2 it gave one up.
        const { closed = 0, reset = 0, other = 0 } = chrome.errors;
        const lost = { h1: 0, h2: chrome.details.other === 'ERR_FAILED' ? other : 0, h3: closed + reset }[protocol];
        const most = { h1: 0, h2: 2, h3: 39 }[protocol];
        assert.deepEqual([chrome.succeeded + lost, lost <= most], [200, true], JSON.stringify([chrome.errors, chrome.details]));
      },
    );

  test('answers that are no success, and none in time, are counted by why', async () => {
    const nothing = await run(url('/nothing'), 'h2', { requests: 4 });
    assert.equal(invalidOf(nothing).reason, 'http-status');
    assert.deepEqual(nothing.visit.run?.errors, { 'http-status': 4 });
    if (!isThorough) return;
    const late = await run(url('/delay?ms=2000'), 'h2', { requests: 2, requestTimeoutMs: 100 });
    assert.equal(invalidOf(late).reason, 'load-timeout');
    assert.deepEqual(late.visit.run?.errors, { timeout: 2 });
    assert.equal(late.visit.run?.latency.count, 2);
  });

  test('a server of HTTP/1.1 alone is a wrong protocol for HTTP/2, a redirect is no success, and a cut and a refused connection are named', async () => {
    const { leaf, spki } = await ensureCertificates(directory);
    const sockets = new Set<Duplex>();
    const server = createServer({ key: readFileSync(leaf.key), cert: readFileSync(leaf.certificate) }, (request, response) => {
      if (request.url === '/cut') response.writeHead(200, { 'content-length': '100' }).write('half', () => request.socket.destroy());
      else if (request.url === '/away') response.writeHead(302, { location: '/ping' }).end();
      else response.end('pong\n');
    });
    server.on('connection', (socket) => sockets.add(socket.on('error', () => {})));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const lab: DemoOrigin = {
      trust: { spki, hostRules: 'MAP odd.pronghorn.test 127.0.0.1' },
      serves: (hostname) => hostname.endsWith('.pronghorn.test'),
      settings: { server: 'h1 alone' },
    };
    const alone = visitsOver(link, lab);
    const page = `https://odd.pronghorn.test:${port}`;
    try {
      assert.equal(invalidOf(await run(`${page}/ping`, 'h2', { requests: 3 }, { over: alone })).reason, 'wrong-protocol');
      const cut = await run(`${page}/cut`, 'h1', { requests: 2 }, { over: alone });
      assert.deepEqual([invalidOf(cut).reason, cut.visit.run?.errors], ['connection-error', { incomplete: 2 }]);
      if (!isThorough) return;
      madeOf(await run(`${page}/ping`, 'h1', { requests: 3 }, { over: alone }));
      assert.equal(invalidOf(await run(`${page}/away`, 'h1', { requests: 2 }, { over: alone })).reason, 'http-status');
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      const refused = await run(`${page}/ping`, 'h1', { requests: 2 }, { view: 'cold', over: alone });
      assert.deepEqual([invalidOf(refused).reason, refused.visit.run?.errors], ['connection-error', { refused: 2 }]);
      assert.equal(refused.visit.run?.details.refused, 'ERR_CONNECTION_REFUSED');
      const silent = await run(`${page}/ping`, 'h3', { requests: 1, requestTimeoutMs: 1_000 }, { view: 'cold', over: alone });
      assert.equal(invalidOf(silent).reason, 'quic-error');
    } finally {
      await alone.engine.close();
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  });

  test('if only one address has been confirmed, Chrome connects to it', async () => {
    const plan = (host: string, at: string): Plan => ({
      ...{ urls: [`https://${host}/ping`], method: 'GET', body: 0, protocol: 'h2', mode: 'count', users: 1, requests: 2, seconds: 10 },
      ...{ requestsPerSecond: 0, poisson: false, seed: 1, connections: 'user', shared: 1, state: 'cold', earlyData: false },
      ...{ timeoutMs: 30_000, at, authority: '', askUsage: false, maxSamples: 10 },
    });
    const errorsAt = async (host: string, at: string) => {
      const choices = {
        browser: quickBrowser,
        lab: undefined,
        enter: link.vantagePoint.enter,
        signal: new AbortController().signal,
      } as const;
      return (await runInChrome(plan(host, at), choices)).summary.errors;
    };
    // Nobody outside trusts the demo's certificate: that it is refused shows that its server was reached.
    assert.deepEqual(await errorsAt(`own.example:${origin.port}`, `127.0.0.30:${origin.port}`), { tls: 2 });
    if (!isThorough) return;
    assert.deepEqual(await errorsAt(`127.0.0.30:${origin.port}`, ''), { tls: 2 });
    assert.deepEqual(await errorsAt(`localhost:${origin.port}`, `127.0.0.30:${origin.port}`), { tls: 2 });
  });

  test('a count that its time limit ends has the rest as not sent', thoroughly('rest-calls'), async () => {
    const made = await runInChrome(
      {
        ...{ urls: [url('/delay?ms=500')], method: 'GET', body: 0, protocol: 'h2', mode: 'count', users: 1, requests: 50, seconds: 3 },
        ...{ requestsPerSecond: 0, poisson: false, seed: 1, connections: 'user', shared: 1, state: 'warm', earlyData: false },
        ...{ timeoutMs: 30_000, at: '', authority: '', askUsage: false, maxSamples: 10 },
      },
      { browser: 'chrome', lab: origin.trust, enter: link.vantagePoint.enter, signal: new AbortController().signal },
    );
    const { succeeded, errors, planned } = made.summary;
    assert.ok(succeeded > 0 && succeeded <= 6, `${succeeded}`);
    assert.deepEqual([planned, errors], [50, { 'not-sent': 50 - succeeded }]);
  });

  test('a page refuses runs that it can’t do', async () => {
    const { outcome } = (await run(url('/ping'), 'h2', { connections: 'each' })).visit;
    assert.match(outcome.verdict === 'invalid' ? outcome.detail : '', /cannot open one for each request/);
  });

  test('discovery asks by Chrome as well', async () => {
    const { engine } = visits;
    const spec = { engine: 'transaction', browser: quickBrowser } as const;
    const page = url('/ping');
    const found = await engine.transactions?.discover(
      { id: 'site', url: page, name: 'site', expectStatus: 200 },
      { spec: madeSpec({ protocols: isThorough ? ['h2', 'h3'] : ['h3'], rounds: 1, ...spec }) },
      { id: 'campaign', replaces: null },
      'test',
    );
    assert.deepEqual([found?.failure, found?.objectCoverage, found?.hosts[0]?.h3], [null, 1, 'proven']);
  });
});
