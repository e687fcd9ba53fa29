// Loads that finished and are another page than the one meant: walls, holes, other URLs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Resource } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import type { Evidence, NetworkEvent, VisitRequest } from '../gather/evidence.ts';
import { answersToKeep } from './answers.ts';
import { resource } from './resource.fixture.ts';
import { judge } from './verdict.ts';

const asked = (different: Partial<VisitRequest> = {}): VisitRequest => ({
  ...{ url: 'https://www.example.org/', protocol: 'h2', discovery: 'forced', view: 'cold', forced: [], expectStatus: 200 },
  finalUrl: 'https://www.example.org/',
  usual: { hosts: { 'www.example.org:443': 10, 'cdn.www.example.org:443': 10, 'ads.example:443': 20 }, requests: 40, broken: [] },
  ...different,
});

const alpn = { h1: 'http/1.1', h2: 'h2', h3: 'h3' } as const;

/** What Chrome says of a load: the answer of its document, and which requests hold the first paint. */
function evidence(url: string, headers: Record<string, string> = {}, blocking: readonly string[] = [], status = 200): Evidence {
  const sent = (address: string, frameId: string, more: object): NetworkEvent => ({
    method: 'Network.requestWillBeSent',
    params: {
      ...{ requestId: address, loaderId: '1', documentURL: url, timestamp: 1, wallTime: 1, redirectHasExtraInfo: false, frameId, ...more },
      request: { url: address, method: 'GET', initialPriority: 'High', referrerPolicy: 'origin', headers: {} },
      initiator: { type: 'other' },
    },
  });
  const answer: NetworkEvent = {
    method: 'Network.responseReceived',
    params: {
      ...{ requestId: url, loaderId: '1', timestamp: 1, type: 'Document', hasExtraInfo: false, frameId: 'main' },
      response: {
        ...{ url, status, statusText: '', headers, mimeType: 'text/html', charset: '', connectionReused: false, connectionId: 1 },
        ...{ encodedDataLength: 100, securityState: 'secure' },
      },
    },
  };
  return {
    ...{ version: 1, startedAt: '2026-01-01T00:00:00.000Z', end: { kind: 'quiet' }, bodyBytes: {}, receivedBytes: {}, sockets: [] },
    network: [
      sent(url, 'main', { type: 'Document' }),
      answer,
      ...blocking.map((one) => sent(one, 'main', { renderBlockingBehavior: 'Blocking' })),
    ],
    page: {
      ...{ timeOrigin: 1_000, url, firstPaint: null, firstContentfulPaint: null, largestContentfulPaint: null, readAt: 300 },
      navigation: {
        ...{ responseStart: 20, finalResponseHeadersStart: 0, domContentLoadedEventStart: 50, nextHopProtocol: 'h2' },
        ...{ loadEventStart: 100, loadEventEnd: 101 },
      },
      ...{ layoutShifts: [], longTasks: [], hints: [] },
    },
    frames: [],
    cpu: { ownShare: 0.5, foreignShare: 0.01 },
    throttledMs: 0,
  };
}

const home = 'https://www.example.org/';
const document = (different: Partial<Resource> = {}) => resource({ url: home, type: 'Document', connectionReused: false, ...different });
const lost = (url: string, failure = 'net::ERR_TIMED_OUT', more: Partial<Resource> = {}) =>
  resource({ url, protocol: null, status: null, connectionId: null, failure, ...more });
const objects = (count: number, protocol = 'h2') =>
  Array.from({ length: count }, (_, i) => resource({ url: `https://ads.example/${i}.js`, type: 'Script', protocol }));
const faultOf = (resources: Resource[], a = asked(), e = evidence(home)) => judge(a, e, resources, 1);

test('a hole is a hole over every protocol, whatever tore it', () => {
  for (const protocol of ['h1', 'h2', 'h3'] as Protocol[]) {
    for (const failure of ['net::ERR_QUIC_PROTOCOL_ERROR', 'net::ERR_TIMED_OUT', 'net::ERR_CONNECTION_RESET']) {
      const forced = asked({ protocol, forced: protocol === 'h3' ? ['www.example.org:443', 'cdn.www.example.org:443'] : [] });
      const load = [document({ protocol: alpn[protocol] }), lost('https://cdn.www.example.org/a.png', failure)];
      const told = judge(forced, evidence(home), load, 1);
      assert.equal(told?.reason, 'incomplete', `${protocol} ${failure}`);
      assert.match(told?.detail ?? '', /cdn\.www\.example\.org\/a\.png, the page’s own, failed/);
    }
  }
});

test('an object of others that holds the first paint is a hole, and one that does not is a trifle', () => {
  const style = 'https://ads.example/style.css';
  const load = [document(), ...objects(30), lost(style)];
  assert.equal(faultOf(load), null);
  assert.equal(faultOf(load, asked(), evidence(home, {}, [style]))?.reason, 'incomplete');
});

test('an error in place of a part of the page is a hole, unless discovery met it; what a script asks for may err', () => {
  const failed = (status: number, type: Resource['type'] = 'Stylesheet') =>
    resource({ url: 'https://cdn.www.example.org/a', type, status });
  for (const status of [500, 503, 429]) {
    const told = faultOf([document(), failed(status)]);
    assert.equal(told?.reason, 'incomplete', String(status));
    assert.match(told?.detail ?? '', new RegExp(`/a, the page’s own, failed: status ${status}`));
  }
  assert.equal(faultOf([document(), failed(404)]), null);
  assert.equal(faultOf([document(), failed(503, 'XHR')]), null);
  const usual = { ...(asked().usual as NonNullable<VisitRequest['usual']>), answers: answersToKeep([failed(503)]) };
  assert.equal(faultOf([document(), failed(503)], asked({ usual })), null);
});

test('what discovery had and a visit has not is a hole, however it was lost', () => {
  const url = 'https://www.example.org/api';
  const had = (type: Resource['type']) => ({
    ...(asked().usual as NonNullable<VisitRequest['usual']>),
    answers: answersToKeep([document(), resource({ url, type, status: 200 })]),
  });
  const lostBy: Partial<Resource>[] = [
    ...[401, 403, 404, 421, 425, 431, 500, 503].map((status) => ({ status })),
    ...['cors: MissingAllowOriginHeader', 'csp', 'net::ERR_BLOCKED_BY_ORB'].map((blocked) => ({ status: 200, blocked })),
    { status: 403, blocked: 'aborted' },
    { status: null, failure: 'net::ERR_QUIC_PROTOCOL_ERROR' },
  ];
  for (const type of ['Stylesheet', 'Script', 'Fetch', 'XHR', 'Image'] as const) {
    for (const how of lostBy) {
      const told = faultOf([document(), resource({ url, type, ...how })], asked({ usual: had(type) }));
      assert.equal(told?.reason, 'incomplete', `${type} ${JSON.stringify(how)}`);
    }
    const [refused, repeated] = [resource({ url, type, status: 425 }), resource({ url, type, status: 200 })];
    assert.equal(faultOf([document(), refused, repeated], asked({ usual: had(type) })), null, 'the browser asked again');
    assert.equal(faultOf([document(), resource({ url, type, status: 200, blocked: 'aborted' })], asked({ usual: had(type) })), null);
  }
  assert.equal(faultOf([document(), resource({ url, type: 'Ping', status: 503 })], asked({ usual: had('Ping') })), null);
});

test('pictures whose names are numbers are different pictures', () => {
  const pictures = (statusOf: (n: number) => number) =>
    Array.from({ length: 60 }, (_, n) =>
      resource({ url: `https://www.example.org/img/${1_000_000 + n}.jpg`, status: statusOf(n), protocol: 'h2' }),
    );
  const usual = {
    ...(asked().usual as NonNullable<VisitRequest['usual']>),
    answers: answersToKeep(pictures((n) => (n === 7 ? 404 : 200))),
  };
  assert.equal(faultOf([document(), ...pictures(() => 403)], asked({ usual }))?.reason, 'incomplete');
  assert.equal(faultOf([document(), ...pictures((n) => (n === 7 ? 404 : 200))], asked({ usual })), null);
});

test('a 421 that only forcing makes is no failure of the page', () => {
  const [url, other] = ['https://www.example.org/a.png', 'https://www.example.org/b.png'];
  const usual = {
    ...(asked().usual as NonNullable<VisitRequest['usual']>),
    answers: answersToKeep([resource({ url, status: 200 }), resource({ url: other, status: 200 })]),
  };
  for (const [protocol, discovery, reason] of [
    ['h3', 'forced', 'protocol-unavailable'],
    ['h3', 'alt-svc', 'incomplete'],
    ['h2', 'forced', 'incomplete'],
  ] as const) {
    const misdirected = [document({ protocol }), resource({ url, status: 421, protocol })];
    const request = asked({ usual, discovery, protocol });
    const told = faultOf(misdirected, request);
    assert.equal(told?.reason, reason, `${protocol}, ${discovery}`);
    assert.equal(/--discovery alt-svc measures/.test(told?.detail ?? ''), reason === 'protocol-unavailable');
    assert.equal(faultOf([...misdirected, resource({ url: other, status: 503, protocol })], request)?.reason, 'incomplete');
    const ofDocument = faultOf([document({ protocol, status: 421 })], request);
    assert.equal(ofDocument?.reason, reason === 'incomplete' ? 'http-status' : reason);
    assert.match(ofDocument?.detail ?? '', /^The document’s status is 421; expected 200\./);
  }
});

test('trifles add up: two and over a twentieth of all objects', () => {
  const withLost = (count: number, all: number) => [
    document(),
    ...objects(all - count - 1),
    ...Array.from({ length: count }, (_, i) => lost(`https://ads.example/lost-${i}.png`)),
  ];
  assert.equal(faultOf(withLost(1, 3)), null, 'one alone is never too many');
  assert.equal(faultOf(withLost(2, 60)), null);
  assert.equal(faultOf(withLost(4, 60))?.reason, 'incomplete');
});

test('failures at discovery, missing objects and stopped requests are no holes', () => {
  const broken = lost('https://www.example.org/gone.png?at=1');
  const usual = { ...(asked().usual as NonNullable<VisitRequest['usual']>), answers: answersToKeep([broken]) };
  assert.equal(faultOf([document(), lost('https://www.example.org/gone.png?at=2')], asked({ usual })), null);
  assert.equal(faultOf([document(), lost('https://new.example/a.js'), lost('https://new.example/b.js')]), null);
  const blocked = resource({ url: 'https://www.example.org/b.png', status: null, blocked: 'csp' });
  assert.equal(faultOf([document(), blocked, lost('https://www.example.org/beacon', 'net::ERR_FAILED', { type: 'Ping' })]), null);
});

test('another path is another page; another query, session or fragment is not', () => {
  const endedOn = (url: string) => faultOf([document({ url: url.split('#')[0] as string })], asked(), evidence(url));
  for (const url of [
    'https://www.example.org/captcha',
    'https://www.example.org/login?next=/',
    'http://www.example.org/',
    'https://m.example.org/',
  ]) {
    const fault = endedOn(url);
    assert.equal(fault?.reason === 'redirected' || fault?.reason === 'wrong-protocol', true, url);
    assert.equal(fault?.detail, `${home} ended on ${url}; at discovery it was ${home}.`);
  }
  for (const url of ['https://www.example.org/?sid=1', 'https://www.example.org/;jsessionid=8F', 'https://www.example.org/#top']) {
    assert.equal(endedOn(url), null, url);
  }
});

test('a wall is recognised by what only walls send or load, whatever its status', () => {
  const script = (url: string) => [document(), resource({ url, type: 'Script' })];
  const walls: [Resource[], Evidence, RegExp][] = [
    [[document()], evidence(home, { 'CF-Mitigated': 'challenge' }), /^Cloudflare \(cf-mitigated: challenge\)/],
    [[document({ status: 403 })], evidence(home, { 'cf-mitigated': 'challenge' }, [], 403), /^Cloudflare/],
    [[document({ status: 202 })], evidence(home, { 'x-amzn-waf-action': 'challenge' }, [], 202), /^AWS WAF/],
    [script('https://www.example.org/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=8'), evidence(home), /^Cloudflare/],
    [script('https://geo.captcha-delivery.com/captcha/?initialCid=A'), evidence(home), /^DataDome/],
    [script('https://captcha.perimeterx.net/PXabc/captcha.js?a=c'), evidence(home), /^HUMAN/],
    [script('https://www.example.org/_Incapsula_Resource?CWUDNSAI=23&incident_id=1'), evidence(home), /^Imperva/],
    [script('https://www.example.org/_sec/cp_challenge/sec-4-4.js'), evidence(home), /^Akamai/],
    // What pages behind a vendor load as well, where next to nothing else came.
    [script('https://www.example.org/_Incapsula_Resource?SWJIYLWA=719d'), evidence(home), /^Imperva \(2 objects where discovery found 40/],
  ];
  for (const [resources, load, words] of walls) {
    const fault = faultOf(resources, asked(), load);
    assert.equal(fault?.reason, 'challenge', String(words));
    assert.match(fault?.detail ?? '', words);
    assert.match(fault?.detail ?? '', /does not evade bot protection/);
  }
});

test('a page that embeds a captcha, or that a vendor watches, is no wall', () => {
  const normal = [
    'https://challenges.cloudflare.com/turnstile/v0/api.js',
    'https://challenges.cloudflare.com/cdn-cgi/challenge-platform/h/g/turnstile/if/ov2/av0/rcv/1/normal',
    'https://www.example.org/cdn-cgi/challenge-platform/h/b/scripts/jsd/main.js',
    'https://www.google.com/recaptcha/api.js',
    'https://js.hcaptcha.com/1/api.js',
    'https://js.datadome.co/tags.js',
    'https://client.perimeterx.net/PXabc/main.min.js',
    'https://www.example.org/_Incapsula_Resource?SWJIYLWA=719d',
    'https://abc.token.awswaf.com/abc/1/challenge.js',
  ];
  const headers = { 'x-datadome': 'protected', server: 'cloudflare', 'x-iinfo': '9-1', 'x-cdn': 'Imperva' };
  const load = [document(), ...objects(30), ...normal.map((url) => resource({ url, type: 'Script' }))];
  assert.equal(faultOf(load, asked(), evidence(home, headers)), null);
  // A small form with a captcha: discovery saw it no larger.
  const usual = { hosts: { 'www.example.org:443': 2, 'challenges.cloudflare.com:443': 1 }, requests: 3, broken: [] };
  const form = [document(), resource({ url: normal[0] as string, type: 'Script' })];
  assert.equal(faultOf(form, asked({ usual }), evidence(home, headers)), null);
});
