import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frontHeader } from '@pronghorn/core/network';
import type { Resource } from '@pronghorn/core/schemas';
import type { Evidence, LoadEnd, VisitRequest } from '../gather/evidence.ts';
import { hostWithPort, loadedDocument } from './document.ts';
import { resource } from './resource.fixture.ts';
import { judge } from './verdict.ts';

const request = (different: Partial<VisitRequest> = {}): VisitRequest => ({
  url: 'https://example.org/',
  protocol: 'h2',
  discovery: 'forced',
  view: 'cold',
  forced: [],
  expectStatus: 200,
  finalUrl: 'https://example.org/',
  usual: { hosts: { 'example.org:443': 2, 'cdn.example.org:443': 20, 'ads.example:443': 8 }, requests: 30, broken: [] },
  ...different,
});

const evidence = (different: Partial<Evidence> = {}): Evidence => ({
  version: 1,
  startedAt: '2026-01-01T00:00:00.000Z',
  end: { kind: 'quiet' },
  network: [],
  bodyBytes: {},
  receivedBytes: {},
  sockets: [],
  page: {
    timeOrigin: 1_000,
    url: 'https://example.org/',
    navigation: {
      ...{ responseStart: 20, finalResponseHeadersStart: 0, domContentLoadedEventStart: 50, nextHopProtocol: 'h2' },
      ...{ loadEventStart: 100, loadEventEnd: 101 },
    },
    firstPaint: 40,
    firstContentfulPaint: 40,
    largestContentfulPaint: 60,
    layoutShifts: [],
    longTasks: [],
    hints: [],
    readAt: 300,
  },
  frames: [{ timestamp: 1_050, jpegBase64: '' }],
  cpu: { ownShare: 0.5, foreignShare: 0.01 },
  throttledMs: 0,
  ...different,
});

const document = (different: Partial<Resource> = {}) =>
  resource({ url: 'https://example.org/', type: 'Document', connectionReused: false, ...different });
const image = (different: Partial<Resource> = {}) => resource({ url: 'https://cdn.example.org/a.png', ...different });
const reason = (a: VisitRequest, e: Evidence, resources: Resource[]) => judge(a, e, resources, 0.2)?.reason ?? null;

test('a page over the requested protocol is valid', () => {
  assert.equal(reason(request(), evidence(), [document(), image()]), null);
  assert.equal(reason(request({ protocol: 'h1' }), evidence(), [document({ protocol: 'http/1.1' })]), null);
  const forced = ['example.org:443'];
  assert.equal(reason(request({ protocol: 'h3', forced }), evidence(), [document({ protocol: 'h3' }), image({ protocol: 'h2' })]), null);
});

test('each way to end badly has its reason', () => {
  const ends: [LoadEnd, string][] = [
    [{ kind: 'navigation-failed', error: 'net::ERR_NAME_NOT_RESOLVED' }, 'dns-error'],
    [{ kind: 'download' }, 'not-a-page'],
    [{ kind: 'load-timeout', afterMs: 60_000, openRequests: 1 }, 'load-timeout'],
    [{ kind: 'left-page', to: 'https://example.net/' }, 'left-page'],
    [{ kind: 'too-big', requests: 10_001, transferBytes: 1 }, 'page-too-big'],
    [{ kind: 'tab-crashed' }, 'tab-crashed'],
    [{ kind: 'browser-crashed' }, 'browser-crashed'],
  ];
  for (const [end, expected] of ends) assert.equal(reason(request(), evidence({ end }), [document()]), expected);
});

test('a load that never ended names what is still open: first what delays the load event, a few, without queries', () => {
  const detail = (...resources: Resource[]) =>
    judge(request(), evidence({ end: { kind: 'load-timeout', afterMs: 2_500, openRequests: 9 }, page: null }), resources, 0.2)?.detail;
  const open = (path: string, type = 'Image') => resource({ url: `https://example.org/${path}`, type, endMs: null });
  const poll = open('poll', 'Fetch');
  assert.equal(
    detail(document(), image(), poll, open('a.png?id=7'), open('frame', 'Document')),
    'No load event after 2.5 s, still open: https://example.org/a.png, https://example.org/frame.',
  );
  assert.match(detail(document(), poll) ?? '', /still open: https:\/\/example\.org\/poll\.$/);
  assert.match(detail(...[1, 2, 3, 4, 5].map((place) => open(`${place}`))) ?? '', /\/1, https:.*\/2, https:.*\/3 and 2 more\.$/);
  assert.match(detail(document({ endMs: 2_510 })) ?? '', /still open: https:\/\/example\.org\/\.$/, 'a gateway gave up just then');
  assert.equal(detail(document()), 'No load event after 2.5 s, with no request open.');
  assert.ok((detail(open('x'.repeat(8_000))) ?? '').length < 500);
});

test('a document of another protocol is never counted', () => {
  assert.equal(reason(request(), evidence(), [document({ protocol: 'http/1.1' })]), 'wrong-protocol');
  assert.equal(reason(request({ protocol: 'h1' }), evidence(), [document({ protocol: 'h2' })]), 'wrong-protocol');
  assert.equal(
    reason(request({ protocol: 'h3', forced: ['example.org:443'] }), evidence(), [document({ protocol: 'h2' })]),
    'wrong-protocol',
  );
});

test('one object over a newer protocol is enough: QUIC was not off', () => {
  assert.equal(reason(request(), evidence(), [document(), image({ protocol: 'h3' })]), 'wrong-protocol');
  assert.equal(reason(request({ protocol: 'h1' }), evidence(), [document({ protocol: 'http/1.1' }), image()]), 'wrong-protocol');
});

test('a forced host that falls back or fails makes the visit invalid, others may speak what they can', () => {
  const h3 = request({ protocol: 'h3', forced: ['example.org:443', 'cdn.example.org:443'] });
  const top = document({ protocol: 'h3' });
  assert.equal(reason(h3, evidence(), [top, image({ protocol: 'h2' })]), 'wrong-protocol');
  const failed = image({ protocol: null, status: null, failure: 'net::ERR_QUIC_PROTOCOL_ERROR' });
  assert.equal(reason(h3, evidence(), [top, failed]), 'incomplete');
  assert.equal(reason(h3, evidence(), [top, image({ url: 'https://other.example/', protocol: 'h2' })]), null);
});

test('with Alt-Svc a document over h2 is what a first visitor gets', () => {
  const found = request({ protocol: 'h3', discovery: 'alt-svc' });
  assert.equal(reason(found, evidence(), [document(), image({ protocol: 'h3' })]), null);
  assert.equal(reason(found, evidence(), [document({ protocol: 'http/1.1' })]), 'wrong-protocol');
});

test('a warm document out of the cache needs another proof of its protocol', () => {
  const warm = request({ view: 'warm' });
  const cached = document({ cache: 'disk', connectionId: null });
  assert.equal(reason(warm, evidence(), [cached]), 'protocol-unproven');
  assert.equal(reason(warm, evidence(), [cached, image()]), null);
  assert.equal(reason(warm, evidence(), [document({ status: 304 })]), null);
});

test('status, host, hanging pages and pages without frames are reported', () => {
  assert.equal(reason(request(), evidence(), [document({ status: 503 })]), 'http-status');
  assert.match(
    judge(request(), evidence(), [document({ status: 401 })], 0.2)?.detail ?? '',
    /status is 401; expected 200\. It requires a login.*--basic-auth/,
  );
  const refused = evidence({ end: { kind: 'navigation-failed', error: 'net::ERR_INVALID_AUTH_CREDENTIALS' } });
  assert.match(judge(request(), refused, [], 0.2)?.detail ?? '', /\. Status 401\. It requires a login.*--basic-auth/);
  const answer = (headers: Record<string, string>) => {
    const network = [
      { method: 'Network.responseReceived', params: { type: 'Document', response: { url: 'https://example.org/', status: 502, headers } } },
    ];
    return judge(request(), evidence({ network: network as unknown as Evidence['network'] }), [document({ status: 502 })], 0.2)?.detail;
  };
  assert.match(answer({}) ?? '', /^The document’s status is 502/);
  assert.match(answer({ [frontHeader]: '1' }) ?? '', /^Pronghorn’s own nginx answered with status 502: the server behind it/);
  assert.equal(reason(request({ expectStatus: 404 }), evidence(), [document({ status: 404 })]), null);
  assert.equal(reason(request({ finalUrl: 'https://www.example.org/' }), evidence(), [document()]), 'redirected');
  assert.equal(reason(request(), evidence({ page: null }), [document()]), 'load-timeout');
  assert.equal(reason(request(), evidence({ frames: [] }), [document()]), 'no-visual-progress');
  // A browser that sends no frames at all has none missing.
  assert.equal(reason(request(), evidence({ frames: [], untold: ['frames'] }), [document()]), null);
});

test('a page that ends on another path each time is told what it may be, one that ends on a login is not', () => {
  const ended = (path: string) => {
    const e = evidence();
    return judge(
      request({ finalUrl: 'https://example.org/s/5f2b9c01/home' }),
      { ...e, page: e.page && { ...e.page, url: `https://example.org${path}` } },
      [document({ url: `https://example.org${path}` })],
      0.2,
    );
  };
  assert.equal(ended('/s/5f2b9c01/home')?.reason, undefined);
  const session = ended('/s/77ae10d3/home');
  assert.equal(session?.reason, 'redirected');
  assert.match(session.detail, /at discovery it was .*\. Only 77ae10d3 in its path differs\. If it is a session, .* in a cookie/);
  assert.match(ended('/s/5f2b9c01/login')?.detail ?? '', /at discovery it was https:\/\/example\.org\/s\/5f2b9c01\/home\.$/);
});

test('of a video, a SpeedIndex of 0 or none is no measurement; without a video there is none to ask for', () => {
  const metrics = { speedIndex: 0, firstVisualChange: 0, lastVisualChange: 0, curve: [] };
  const ofVideo = (video: Evidence['video']) => judge(request(), evidence({ frames: [], video: video ?? null }), [document()], 1);
  assert.deepEqual(ofVideo(metrics), {
    reason: 'no-visual-progress',
    detail: 'The page painted, but nothing changes in its video: SpeedIndex would be 0.',
  });
  assert.match(ofVideo({ failure: 'ffmpeg is gone' })?.detail ?? '', /no SpeedIndex: ffmpeg is gone/);
  assert.equal(ofVideo({ ...metrics, speedIndex: 1 }), null);
  assert.equal(ofVideo(null), null);
});

test('a visit that begins on an open connection was not cold', () => {
  assert.equal(reason(request(), evidence(), [document({ connectionReused: true })]), 'connection-reused');
  const opened = (connectionId: number, earlierConnections: number[]) =>
    reason(request(), evidence({ earlierConnections }), [document({ connectionReused: true, connectionId })]);
  assert.equal(opened(7, []), null, 'Chrome’s own, made ready for this navigation');
  assert.equal(opened(7, [5, 6]), null, 'opened since the first view');
  assert.equal(opened(6, [5, 6]), 'connection-reused');
});

test('on a busy machine neither a load that succeeded nor one that failed is an outcome; an unfit load stays unfit', () => {
  const busy = evidence({ cpu: { ownShare: 0.5, foreignShare: 0.4 } });
  assert.equal(reason(request(), busy, [document()]), 'busy-machine');
  const failed = judge(request(), busy, [document({ status: 500 })], 0.2);
  assert.equal(failed?.reason, 'busy-machine');
  assert.match(failed.detail, /40 % of the machine’s CPU time.* The load failed meanwhile: The document’s status is 500/);
  assert.equal(reason(request(), busy, [document({ protocol: 'http/1.1' })]), 'wrong-protocol');
});

test('a load that a limit on CPU time kept waiting is invalid, however calm the machine was', () => {
  assert.equal(reason(request(), evidence({ throttledMs: 10 }), [document()]), null);
  const held = judge(request(), evidence({ throttledMs: 10.5 }), [document()], 1);
  assert.equal(held?.reason, 'busy-machine');
  assert.match(held?.detail ?? '', /^A limit on the runner’s CPU time stopped it for 11 ms during the visit: remove the limit/);
});

test('the main document is the end of its redirects', () => {
  const hop = document({ status: 301 });
  const end = document({ url: 'https://www.example.org/' });
  const loaded = (...resources: Resource[]) => loadedDocument({ network: [] }, resources);
  assert.equal(loaded(hop, end, image()), end);
  assert.equal(loaded(document(), document({ url: 'https://frame.example/' }))?.url, 'https://example.org/');
  assert.equal(loaded(), undefined);
});

test('hosts are named with their port, as the force list is', () => {
  assert.equal(hostWithPort('https://example.org/a'), 'example.org:443');
  assert.equal(hostWithPort('https://example.org:8443/a'), 'example.org:8443');
  assert.equal(hostWithPort('http://example.org/'), 'example.org:80');
});

test('a page of this machine that lacks a part on the loopback is no page; what it does without is none, nor what public pages ask there', () => {
  const [server, folder] = ['https://localhost-3000.server.pronghorn.test/', 'https://dist.folder.pronghorn.test/'];
  const lacks = (url: string, different: Partial<Resource>, end?: LoadEnd) => {
    const part = resource({
      url: 'http://localhost:3001/api',
      type: 'Fetch',
      status: null,
      failure: 'net::ERR_CONNECTION_REFUSED',
      ...different,
    });
    const page = evidence(end === undefined ? {} : { end });
    return judge({ ...request({ finalUrl: url }), url }, page, [document({ url }), part], 0.2);
  };
  for (const type of ['Document', 'Stylesheet', 'Script', 'Image', 'Font', 'Media', 'XHR', 'Fetch'])
    assert.equal(lacks(server, { type })?.reason, 'out-of-reach', type);
  for (const url of ['http://127.0.0.1:3001/', 'https://localhost/', 'http://[::1]:3000/x', 'http://0.0.0.0:1/'])
    assert.equal(lacks(folder, { url })?.reason, 'out-of-reach', url);
  const moved: LoadEnd = { kind: 'navigation-failed', error: 'net::ERR_NAME_NOT_RESOLVED' };
  assert.equal(lacks(server, { type: 'Document' }, moved)?.reason, 'out-of-reach');
  assert.match(lacks(server, {})?.detail ?? '', /needs http:\/\/localhost:3001\/api, which.* --link direct --no-front --protocols h1\.$/);
  assert.match(lacks(folder, {})?.detail ?? '', /--link direct --outside/);

  const fine = (url: string, different: Partial<Resource>) => assert.notEqual(lacks(url, different)?.reason, 'out-of-reach', url);
  for (const type of ['WebSocket', 'EventSource', 'Ping', 'Other']) fine(server, { type });
  fine(server, { status: 404, failure: null });
  fine(server, { blocked: 'csp' });
  fine(server, { blocked: 'aborted' });
  fine(server, { url: 'https://cdn.example/a.js' });
  fine('https://shop.example/', {});
});
