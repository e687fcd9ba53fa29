import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { defaultLimits, type PageMetrics } from '@pronghorn/core/schemas';
import { isThorough, proves, quickBrowser, samples, thoroughly } from '@pronghorn/core/testing';
import { alpnOf, type Protocol, protocols } from '@pronghorn/core/vocabulary';
import type { AccessLogEntry } from '@pronghorn/origin';
import { readEvents } from '../src/derive/netlog/events.ts';
import { deriveNetlog } from '../src/derive/netlog/findings.ts';
import { readQuic } from '../src/derive/netlog/quic.ts';
import { deriveResources } from '../src/derive/resources.ts';
import type { Load } from '../src/engines/engine.ts';
import type { PerformedVisit } from '../src/lease/visit.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';

/** A page of many small objects, or a smaller one, and a number that it has more objects of, in a cache too. */
const [name, most] = isThorough ? (['shop', 60] as const) : (['article', 20] as const);
/** Of a frame of HTTP/2. */
const frameHeader = 9;

/** Where a page is loaded: in a Chrome for one visit, or in a kept one. Each warms up on a page of its own, which the server never sees. */
const places = { h1: isThorough ? 'context' : 'process', h2: 'context', h3: 'context' } as const;

// A Chrome is kept for a protocol until another force list, discovery or visitor replaces it: the tests that share one follow each other.
describe('visits of the demo origin', proves('protocols', 'metrics'), () => {
  let laboratory: Laboratory;
  /** A cold visit over each protocol, the first of its Chrome, with all that nginx logged of it. */
  const cold = {} as Record<Protocol, { performed: PerformedVisit; logged: AccessLogEntry[] }>;
  before(async () => {
    laboratory = await openLaboratory();
    for (const protocol of protocols) {
      const from = Date.now() / 1_000;
      const isolation = places[protocol];
      const performed = await laboratory.visit(page(), protocol, { spec: { isolation } });
      const logged = await laboratory.logged(from, (entries) => entries.length >= performed.visit.resources.length);
      cold[protocol] = { performed, logged };
    }
  });
  after(() => laboratory.close());

  const url = (name: string) => {
    const site = laboratory.origin.sites.find((one) => one.name === name);
    assert.ok(site, `the demo has a site ${name}`);
    return site.url;
  };
  const page = () => url(name);
  const metricsOf = ({ visit }: PerformedVisit): PageMetrics => {
    assert.equal(visit.outcome.verdict, 'valid', JSON.stringify(visit.outcome));
    return (visit.outcome as { metrics: PageMetrics }).metrics;
  };
  const isDocument = ({ uri }: AccessLogEntry) => /^\/(\?|$)/.test(uri);

  for (const protocol of protocols) {
    test(`a cold visit over ${protocol} has every object over ${protocol}, says Chrome and says nginx`, () => {
      const { performed, logged } = cold[protocol];
      const metrics = metricsOf(performed);
      assert.equal(metrics[`${protocol}Share`], 1);
      assert.equal(metrics.failedRequests, 0);
      assert.ok(metrics.requests > most);
      const { visit } = performed;
      for (const resource of visit.resources) assert.equal(resource.protocol, alpnOf[protocol], resource.url);

      assert.equal(logged.filter((entry) => entry.protocol !== alpnOf[protocol]).length, 0);
      assert.equal(logged.length, visit.resources.length);
      // h1 has up to six connections, of which the later ones resume the first one's session; h2 and h3 have one.
      if (protocol === 'h1') assert.ok(metrics.connections <= 6);
      else assert.equal(metrics.connections, 1);
      const document = logged.filter(isDocument);
      assert.equal(document.length, 1);
      // A cold visit resumes nothing of the visits before it.
      for (const { tlsResumed, earlyData } of document)
        assert.deepEqual({ tlsResumed, earlyData }, { tlsResumed: false, earlyData: false });
    });

    test(`over ${protocol} bodies have the length that nginx wrote into its log, and headers the rest of what it sent`, () => {
      checkSizes(protocol, cold[protocol]);
    });
  }

  function checkSizes(protocol: Protocol, { performed, logged }: { performed: PerformedVisit; logged: AccessLogEntry[] }): void {
    metricsOf(performed);
    const { resources } = performed.visit;
    let apart = 0;
    for (const { url: of, host, headerBytes = null, encodedBodyBytes } of resources) {
      const { pathname, search } = new URL(of);
      const entry = logged.findLast((one) => one.host === host && one.uri === pathname + search);
      assert.ok(entry?.bytes, `the log has ${of}`);
      assert.equal(encodedBodyBytes, entry.bodyBytes, of);
      if (headerBytes === null) continue;
      apart += 1;
      const frames = entry.bytes - entry.bodyBytes - headerBytes;
      if (protocol === 'h2') assert.ok(frames > 0 && frames % frameHeader === 0, `${of}: ${frames} bytes besides headers and body`);
      else if (protocol === 'h1') assert.equal(frames, 0, of);
      // On a busy machine nginx sends a body in more than one DATA frame: a header has 2 to 5 bytes (RFC 9114, section 7.1).
      else assert.ok(frames === 0 || (frames >= 2 && frames <= 20), `${of}: ${frames} bytes besides headers and body`);
    }
    // Over h2 some of a body often comes with its headers.
    assert.ok(protocol === 'h2' ? apart > 0 : apart === resources.length, `headers of ${apart} of ${resources.length} objects`);
  }

  test('times are in the order in which things happen, and SpeedIndex lies within them', () => {
    for (const protocol of protocols) {
      const metrics = metricsOf(cold[protocol].performed);
      const { ttfb, firstContentfulPaint, domContentLoaded, onLoad, loadEventEnd, speedIndex, firstVisualChange, lastVisualChange } =
        metrics;
      assert.ok(ttfb > 0 && ttfb < domContentLoaded && domContentLoaded <= onLoad && onLoad <= loadEventEnd);
      assert.ok(firstContentfulPaint !== null && firstContentfulPaint > ttfb);
      assert.ok(speedIndex !== null && firstVisualChange !== null && lastVisualChange !== null);
      assert.ok(ttfb < firstVisualChange && firstVisualChange <= speedIndex && speedIndex <= lastVisualChange);
      assert.ok((metrics.linkedDownload ?? 0) >= ttfb);
    }
  });

  test('a resource tells where its time went', () => {
    const { visit } = cold.h2.performed;
    const [document] = visit.resources;
    assert.ok(document);
    assert.equal(document.type, 'Document');
    assert.equal(document.connectionReused, false);
    assert.ok((document.connectMs ?? 0) > 0 && (document.tlsMs ?? 0) > 0);
    assert.match(document.remoteAddress ?? '', /^127\.0\.0\.\d+:\d+$/);
    assert.match(document.server ?? '', /^nginx/);
    assert.match(document.altSvc ?? '', /h3=/);
    for (const { startMs, endMs, queueingMs, dnsMs, connectMs, sendMs, waitMs, receiveMs, transferBytes } of visit.resources) {
      assert.ok(endMs !== null && endMs >= startMs && transferBytes > 0);
      const phases = [queueingMs, dnsMs, connectMs, sendMs, waitMs, receiveMs].reduce<number>((sum, ms) => sum + (ms ?? 0), 0);
      assert.ok(Math.abs(phases - (endMs - startMs)) < 1, `${phases} of ${endMs - startMs}`);
    }
  });

  test('the environment tells all that could change the numbers', () => {
    const { environment } = cold.h3.performed;
    assert.ok(environment);
    assert.match(environment.browser.product, /Chrome\/\d+/);
    assert.equal(environment.browser.sandbox, true);
    assert.ok(environment.browser.flags.some((flag) => flag.startsWith('--origin-to-force-quic-on=')));
    assert.ok(!environment.browser.flags.some((flag) => flag.includes('user-data-dir')), 'the same environment has the same id');
    assert.equal(environment.origin, laboratory.origin.settings);
    assert.match(environment.id, /^[0-9a-f]{64}$/);
  });

  test('an extra visit has its findings, its log and its trace', proves('evidence'), async () => {
    for (const protocol of protocols.slice(-samples(1, 3))) {
      const performed = await laboratory.visit(page(), protocol, { withNetlog: true });
      metricsOf(performed);
      const { netlog, startedAt } = performed.visit;
      assert.ok(netlog?.findings && netlog.findings.connections.length >= 1);
      for (const connection of netlog.findings.connections) assert.deepEqual(connection.protocol, { found: protocol });
      const fileOf = (kind: string) => JSON.parse(String(performed.files.find((file) => file.kind === kind)?.content));
      const { constants, events } = fileOf('netlog');
      assert.ok(events.length > 1_000 && constants.logEventTypes.URL_REQUEST_START_JOB !== undefined);
      const worldsMs = constants.timeTickOffset + Number(events[0].time);
      assert.ok(Math.abs(worldsMs - Date.parse(startedAt)) < 60_000, 'its clock is the world’s');
      const { traceEvents } = fileOf('trace') as { traceEvents: { name: string; cat: string }[] };
      const names = new Set(traceEvents.map(({ name }) => name));
      for (const name of ['ParseHTML', 'EvaluateScript', 'Layout', 'Paint', 'firstContentfulPaint', 'thread_name'])
        assert.ok(names.has(name), `${name} is in the trace`);
      assert.ok(traceEvents.every(({ cat }) => cat !== 'netlog'));
    }
  });

  test('a load has its own netlog if requested, and all of it only if that is requested', proves('evidence'), async () => {
    assert.equal(cold.h3.performed.evidence?.evidence.netlog, undefined);
    const load: Load = {
      ...{ url: page(), protocol: 'h3', forced: [new URL(page()).host] },
      ...{ discovery: 'forced', view: 'cold', isolation: 'context', browser: 'chrome', limits: { ...defaultLimits, quietMs: 100 } },
    };
    const from = Date.now() / 1_000;
    const slim = await laboratory.engine.load({ ...load, netlog: 'slim' });
    const inSlim = deriveResources(slim.evidence);
    const logged = await laboratory.logged(from, (entries) => entries.length >= inSlim.length);
    const raw = await laboratory.engine.load({ ...load, netlog: 'raw' });
    assert.deepEqual([slim.rawNetlog, slim.trace, raw.trace], [undefined, undefined, undefined]);
    // All were in one Chrome, one after the other.
    for (const { evidence } of [slim, raw]) {
      assert.ok(evidence.netlog);
      const { connections } = deriveNetlog(evidence.netlog, deriveResources(evidence), { protocol: 'h3' });
      assert.deepEqual(
        connections.map(({ protocol }) => protocol),
        [{ found: 'h3' }],
      );
    }
    assert.ok(raw.rawNetlog && raw.evidence.netlog);
    assert.ok(raw.rawNetlog.length > raw.evidence.netlog.events.length);
    for (const secret of [/cookie/i, /user-agent/i, /accept-language/i]) {
      assert.match(JSON.stringify(raw.rawNetlog), secret);
      assert.doesNotMatch(JSON.stringify(raw.evidence.netlog), secret);
    }

    // It has each response whole: the bytes of its frames are those that the server logged.
    assert.ok(slim.evidence.netlog);
    const events = readEvents(slim.evidence.netlog);
    const session = events.find(({ type }) => type === 'QUIC_SESSION')?.source;
    const { frames, urls, unknownType } = readQuic(events.filter(({ source }) => source === session));
    assert.equal(unknownType, null);
    assert.equal(logged.length, inSlim.length);
    for (const { uri, bodyBytes } of logged) {
      const streams = [...urls].flatMap(([stream, of]) => (of.endsWith(uri) ? [stream] : []));
      const end = Math.max(...frames.flatMap(({ stream, offset, length }) => (streams.includes(stream) ? [offset + length] : [])));
      // Beside the body a stream has frames' headers and the response's.
      assert.ok(end > bodyBytes && end < bodyBytes + 700, `${uri}: ${end} bytes on its stream, a body of ${bodyBytes}`);
    }
  });

  test('a warm visit comes from the cache what can, and proves its protocol by what cannot', proves('cold-and-warm'), async () => {
    for (const protocol of protocols.slice(-samples(2, 3))) {
      const from = Date.now() / 1_000;
      const { visit } = await laboratory.visit(page(), protocol, { view: 'warm' });
      assert.equal(visit.outcome.verdict, 'valid', JSON.stringify(visit.outcome));
      const last = (await laboratory.logged(from, (entries) => entries.filter(isDocument).length >= 2)).findLast(isDocument);
      assert.deepEqual([last?.status, last?.protocol], [304, alpnOf[protocol]]);
      assert.equal(last?.tlsResumed, true, 'new connections, old tickets');
      const { earlyData } = visit.likeness ?? {};
      assert.ok(earlyData !== undefined && (protocol === 'h3' || earlyData === 'none'), `${protocol}: ${earlyData}`);
      // nginx says so where the handshake was not complete when the response had been sent: at times it is, over loopback.
      if (last?.earlyData === true) assert.notEqual(earlyData, 'none');
      assert.equal(visit.resources[0]?.status, 304);
      const cached = visit.resources.filter(({ cache }) => cache !== 'none');
      assert.ok(cached.length > most, `${cached.length} of ${visit.resources.length} from a cache`);
      assert.equal(visit.resources[0]?.protocol, alpnOf[protocol]);
    }
  });

  test('sizes of pages with larger objects, and with objects that scripts ask for', thoroughly('metrics'), async () => {
    for (const protocol of protocols)
      for (const other of ['article', 'scripts']) {
        const from = Date.now() / 1_000;
        const performed = await laboratory.visit(url(other), protocol);
        const logged = await laboratory.logged(from, (entries) => entries.length >= performed.visit.resources.length);
        checkSizes(protocol, { performed, logged });
      }
  });

  test(
    'the sharded page shows its true mix, and what discovery forced, in a fresh headless shell too',
    proves('discovery', 'isolation'),
    async () => {
      const discovery = await laboratory.discover(url('sharded'));
      assert.equal(discovery.failure, null);
      assert.equal(discovery.hosts.length, 6);
      for (const { host, remoteAddress } of discovery.hosts) assert.match(remoteAddress ?? '', /^[\d.:[\]]+:\d+$/, host);
      const named = (label: string) => discovery.hosts.find(({ host }) => host.startsWith(`${label}.`))?.h3;
      assert.equal(named('sharded'), 'proven');
      assert.equal(named('sharded-h1'), 'not-offered');
      assert.equal(named('sharded-h2'), 'not-offered');
      assert.equal(discovery.forced.length, 4);

      const shell = { browser: 'headless-shell', isolation: 'process' } as const;
      const { visit, environment } = await laboratory.visit(url('sharded'), 'h3', { discovery, spec: shell });
      assert.equal(visit.outcome.verdict, 'valid', JSON.stringify(visit.outcome));
      assert.match(environment?.browser.executable ?? '', /headless-shell/);
      for (const { host, protocol } of visit.resources) {
        const expected = host.startsWith('sharded-h1') ? 'http/1.1' : host.startsWith('sharded-h2') ? 'h2' : 'h3';
        assert.equal(protocol, expected, host);
      }
    },
  );

  test('with Alt-Svc discovery the first view begins over h2 and the repeat view is over h3', proves('alt-svc'), async () => {
    const spec = { discovery: 'alt-svc', isolation: 'process' } as const;
    const first = await laboratory.visit(page(), 'h3', { spec: { ...spec, browser: quickBrowser } });
    metricsOf(first);
    assert.equal(first.visit.resources[0]?.protocol, 'h2');
    const from = Date.now() / 1_000;
    const warm = await laboratory.visit(page(), 'h3', { spec, view: 'warm' });
    metricsOf(warm);
    // Chrome itself tells the protocol of the cached response here; the log is the witness.
    const last = (await laboratory.logged(from, (entries) => entries.filter(isDocument).length >= 2)).findLast(isDocument);
    assert.equal(last?.protocol, 'h3');
    assert.equal(warm.visit.resources[0]?.protocol, 'h3');
  });

  const journey = (pages: string[], different: object = {}) => ({
    view: 'warm' as const,
    spec: { visitor: { after: pages }, ...different },
  });
  const journeys = [['h3', 'process'], ['h2', 'context'], ...(['h1', 'h3'] as const).map((one) => [one, 'context'] as const)] as const;

  test(
    'a page after another has from the cache what both share, and its own document over new connections',
    proves('journeys'),
    async () => {
      for (const [protocol, isolation] of journeys.slice(0, samples(1, 4))) {
        const from = Date.now() / 1_000;
        const { visit } = await laboratory.visit(page(), protocol, journey(['/?list', '/?list=2'], { isolation }));
        assert.equal(visit.outcome.verdict, 'valid', `${protocol} ${isolation}: ${JSON.stringify(visit.outcome)}`);
        const [document, ...others] = visit.resources;
        assert.deepEqual([document?.status, document?.cache, document?.protocol], [200, 'none', alpnOf[protocol]]);
        const cached = others.filter(({ cache }) => cache !== 'none');
        assert.ok(cached.length > most, `${cached.length} of ${visit.resources.length} from a cache`);
        const logged = await laboratory.logged(from, (entries) => {
          const documents = entries.filter(isDocument).map(({ uri }) => uri);
          return documents.at(-2) === '/?list=2' && documents.at(-1) === '/';
        });
        const documents = logged.filter(isDocument);
        assert.deepEqual(
          documents.slice(-3).map(({ uri }) => uri),
          ['/?list', '/?list=2', '/'],
        );
        assert.deepEqual([documents.at(-1)?.protocol, documents.at(-1)?.tlsResumed], [alpnOf[protocol], true]);
      }
    },
  );

  test('the first page of a journey is cold, and pages before the last tell of HTTP/3', thoroughly('journeys', 'alt-svc'), async () => {
    const found = await laboratory.visit(page(), 'h3', journey(['/?list'], { discovery: 'alt-svc' }));
    assert.equal(found.visit.resources[0]?.protocol, 'h3', 'the page before told of it');
    const first = await laboratory.visit(page(), 'h2', journey([]));
    metricsOf(first);
    assert.ok(first.visit.resources.every(({ cache, status }) => cache === 'none' && status === 200));
  });

  test('a page before that fails makes the visit invalid by its name, and the page is not requested', proves('journeys'), async () => {
    for (const isolation of isThorough ? (['context', 'process'] as const) : (['process'] as const)) {
      const from = Date.now() / 1_000;
      const { visit } = await laboratory.visit(page(), 'h2', journey(['/none'], { isolation, browser: quickBrowser }));
      assert.ok(visit.outcome.verdict === 'invalid' && visit.outcome.reason === 'http-status', JSON.stringify(visit.outcome));
      assert.match(
        visit.outcome.detail,
        /^The page before, https:\/\/(shop|article)\.pronghorn\.test:\d+\/none, failed \(http-status\), so this one was not opened: .*404/,
      );
      const logged = await laboratory.logged(from, (entries) => entries.some(({ uri }) => uri === '/none'));
      assert.ok(logged.some(({ uri }) => uri === '/none'));
      // A Chrome that is kept warms up with the page.
      if (isolation === 'process') assert.ok(!logged.some(isDocument));
    }
  });
});
