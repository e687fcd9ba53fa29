import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { conditionNamed, presets } from '@pronghorn/core/network';
import { CampaignRequest, CampaignSpec, type Condition, defaultLimits, type Problem } from '@pronghorn/core/schemas';
import { Compile } from 'typebox/compile';
import { ProblemError } from '../../../shared/problems.ts';
import { completeSpec } from './campaign-spec.ts';

/** One of a user beside the presets. */
const office: Condition = { name: 'office', up: { delayMs: 5 }, down: { rateKbps: 50_000 } };
const known = [...presets, office];

const errorsOf = (request: CampaignRequest): NonNullable<Problem['errors']> => {
  try {
    completeSpec(request, 1, known);
  } catch (error) {
    assert.ok(error instanceof ProblemError && error.kind === 'invalid-campaign');
    return error.errors;
  }
  return [];
};

test('every choice that is left open is made', () => {
  const { spec, sites } = completeSpec({ sites: [{ url: 'https://site.example' }] }, 42, known);
  assert.deepEqual(spec, {
    name: 'site.example',
    conditions: presets.filter(({ name }) => name === 'native'),
    protocols: ['h2', 'h3'],
    views: ['cold'],
    rounds: 10,
    engine: 'puppeteer',
    discovery: 'forced',
    isolation: 'auto',
    browser: 'chrome',
    primaryMetric: 'onLoad',
    margin: 0.05,
    adjustment: 'hommel',
    maximumRounds: null,
    seed: 42,
    limits: { ...defaultLimits, loadTimeoutMs: 'auto' },
  });
  assert.deepEqual(sites, [{ url: 'https://site.example/', name: 'site.example', expectStatus: 200 }]);
  assert.ok(Compile(CampaignSpec).Check(spec));
});

test('rounds that nobody chose follow what is compared', () => {
  const roundsOf = (pages: number, more: Partial<CampaignRequest> = {}) => {
    const sites = Array.from({ length: pages }, (_, i) => ({ url: `https://site-${i}.example` }));
    return completeSpec({ sites, ...more }, 1, known).spec.rounds;
  };
  assert.deepEqual(
    [1, 9, 10, 60, 61].map((pages) => roundsOf(pages)),
    [10, 10, 15, 15, 20],
  );
  assert.equal(roundsOf(5, { views: ['cold', 'warm'] }), 15);
  assert.equal(roundsOf(1, { maximumRounds: 60 }), 6);
});

test('from 100 sites, conditions and views on the share of false winners is kept, unless another correction is asked for', () => {
  const adjustmentOf = (pages: number, more: Partial<CampaignRequest> = {}) => {
    const sites = Array.from({ length: pages }, (_, i) => ({ url: `https://site-${i}.example` }));
    return completeSpec({ sites, ...more }, 1, known).spec.adjustment;
  };
  assert.deepEqual(
    [1, 99, 100].map((pages) => adjustmentOf(pages)),
    ['hommel', 'hommel', 'benjamini-hochberg'],
  );
  assert.equal(adjustmentOf(50, { views: ['cold', 'warm'] }), 'benjamini-hochberg');
  assert.equal(adjustmentOf(100, { adjustment: 'hommel' }), 'hommel');
  assert.equal(adjustmentOf(1, { adjustment: 'benjamini-hochberg' }), 'benjamini-hochberg');
});

test('what is chosen stays', () => {
  const { spec, sites } = completeSpec(
    {
      name: 'mine',
      sites: [{ url: 'https://a.example/', name: 'the shop', expectStatus: 404 }],
      protocols: ['h2', 'h2'],
      views: ['warm', 'cold'],
      rounds: 3,
      seed: 0,
      discovery: 'alt-svc',
      primaryMetric: 'speedIndex',
      limits: { retries: 0 },
    },
    42,
    known,
  );
  assert.equal(spec.name, 'mine');
  assert.deepEqual(sites, [{ url: 'https://a.example/', name: 'the shop', expectStatus: 404 }]);
  assert.deepEqual([spec.protocols, spec.views, spec.rounds, spec.seed], [['h2', 'h2'], ['warm', 'cold'], 3, 0]);
  assert.deepEqual(spec.limits, { ...defaultLimits, loadTimeoutMs: 'auto', retries: 0 });
});

test('a campaign of several sites is named after the first', () => {
  const { spec } = completeSpec(
    { sites: [{ url: 'https://a.example/' }, { url: 'https://b.example/' }, { url: 'https://c.example/' }] },
    1,
    known,
  );
  assert.equal(spec.name, 'a.example and 2 more');
});

test('plain http is refused unless h1 is all that is spoken', () => {
  const http = { sites: [{ url: 'http://site.example/' }] };
  assert.match(errorsOf(http)[0]?.detail ?? '', /is plain http, over which browsers speak only HTTP\/1\.1, but protocols are h2, h3/);
  assert.equal(errorsOf({ ...http, protocols: ['h1', 'h2'] }).length, 1);
  assert.deepEqual(errorsOf({ ...http, protocols: ['h1'] }), []);
  assert.deepEqual(errorsOf({ ...http, protocols: ['h1', 'h1'] }), []);
});

test('the same page twice is refused, however it is written', () => {
  const errors = errorsOf({
    sites: [{ url: 'https://site.example/#a' }, { url: 'https://b.example/' }, { url: 'HTTPS://SITE.example:443' }],
  });
  assert.deepEqual(errors, [
    { pointer: '#/sites/2/url', detail: 'https://site.example/ is the same page as #/sites/0/url; expected each page once.' },
  ]);
});

test('every wrong place is named at once', () => {
  const errors = errorsOf({ sites: [{ url: 'ftp://a' }, { url: 'https://b.example/' }, { url: 'nonsense' }] });
  assert.deepEqual(
    errors.map(({ pointer }) => pointer),
    ['#/sites/0/url', '#/sites/2/url'],
  );
});

test('more rounds than anybody can wait for are refused', () => {
  const sites = Array.from({ length: 11 }, (_, index) => ({ url: `https://site-${index}.example/` }));
  assert.match(errorsOf({ sites, rounds: 10_000 })[0]?.detail ?? '', /are 110000 in all; expected at most 100000/);
  assert.deepEqual(errorsOf({ sites: sites.slice(1), rounds: 10_000 }), []);
});

test('conditions are asked for by name or whole, and stored whole', () => {
  const sites = [{ url: 'https://site.example/' }];
  const mine: Condition = { name: 'mine', up: {}, down: { delayMs: 3 } };
  const { spec } = completeSpec({ sites, conditions: ['loss-2', 'office', 'loss-2.rtt-50', mine] }, 1, known);
  assert.deepEqual(spec.conditions, [conditionNamed('loss-2'), office, conditionNamed('loss-2.rtt-50'), mine]);
  assert.ok(Compile(CampaignSpec).Check(spec));
  assert.deepEqual(completeSpec({ sites, conditions: spec.conditions }, 1, known).spec.conditions, spec.conditions);
});

test('a set’s name stands for its conditions, each of which is measured once', () => {
  const namesOf = (...conditions: string[]) =>
    completeSpec({ sites: [{ url: 'https://site.example/' }], conditions }, 1, known).spec.conditions.map(({ name }) => name);
  assert.deepEqual(namesOf('typical'), ['native', '4g', 'latency-100', 'loss-1']);
  assert.deepEqual(namesOf('office', 'typical', 'loss-1'), ['office', 'native', '4g', 'latency-100', 'loss-1']);
  const [error] = errorsOf({ sites: [{ url: 'https://site.example/' }], conditions: ['typical', 'nowhere'] });
  assert.equal(error?.pointer, '#/conditions/1', 'places are the request’s');
});

test('a precision is a number of rounds, and is not asked for beside one', () => {
  const sites = [{ url: 'https://site.example/' }];
  const roundsOf = (precision: NonNullable<CampaignRequest['precision']>) => {
    const { rounds, maximumRounds } = completeSpec({ sites, precision }, 1, known).spec;
    return [rounds, maximumRounds];
  };
  assert.deepEqual((['quick', 'normal', 'precise', 'until-clear'] as const).map(roundsOf), [
    [10, null],
    [20, null],
    [40, null],
    [6, 60],
  ]);
  const [error] = errorsOf({ sites, precision: 'normal', rounds: 12 });
  assert.equal(error?.pointer, '#/precision');
  assert.equal(error?.detail, 'precision normal means 20 rounds, and the request also has rounds 12. Give one of the two.');
  assert.match(errorsOf({ sites, precision: 'until-clear', maximumRounds: 80 })[0]?.detail ?? '', /means at most 60 rounds, until settled/);
  assert.deepEqual(errorsOf({ sites, precision: 'quick', maximumRounds: null }), []);
});

test('an unknown condition is refused with the names of those that are known', () => {
  const errors = errorsOf({ sites: [{ url: 'https://site.example/' }], conditions: ['native', 'latency-51'] });
  assert.deepEqual(
    errors.map(({ pointer }) => pointer),
    ['#/conditions/1'],
  );
  assert.match(
    errors[0]?.detail ?? '',
    /There is no condition "latency-51"\. Did you mean latency-50\? Known are native, latency-50, .*, satellite, office; sets are typical, .*\. Store yours/,
  );
});

test('a condition that is named twice, or cannot be meant, is refused', () => {
  const sites = [{ url: 'https://site.example/' }];
  assert.match(errorsOf({ sites, conditions: ['poor', 'poor'] })[0]?.detail ?? '', /poor is named by #\/conditions\/0 too/);
  const faulty: Condition = { name: 'mine', up: { delayMs: 1, jitter: { ms: 5 } }, down: {} };
  assert.deepEqual(
    errorsOf({ sites, conditions: ['native', faulty] }).map(({ pointer }) => pointer),
    ['#/conditions/1/up/jitter/ms'],
  );
  assert.match(errorsOf({ sites, conditions: [{ ...faulty, name: 'native' }] })[0]?.detail ?? '', /native is a preset/);
});

test('warm views need a browser that can close its connections between the two', () => {
  const sites = [{ url: 'https://site.example/' }];
  const warm = { sites, views: ['cold' as const, 'warm' as const] };
  assert.match(errorsOf({ ...warm, browser: 'headless-shell' })[0]?.detail ?? '', /Ask for browser chrome/);
  assert.deepEqual(errorsOf(warm), []);
  assert.deepEqual(errorsOf({ sites, browser: 'headless-shell' }), []);
});

test('an engine drives its own browsers, and what puppeteer alone can is refused of the others', () => {
  const sites = [{ url: 'https://site.example/' }];
  const specOf = (request: object) => completeSpec({ sites, ...request }, 1, presets).spec;
  assert.deepEqual(
    [{}, { engine: 'browsertime' }, { engine: 'firefox' }, { browser: 'firefox' }]
      .map(specOf)
      .map(({ engine, browser }) => [engine, browser]),
    [
      ['puppeteer', 'chrome'],
      ['browsertime', 'chrome'],
      ['firefox', 'firefox'],
      ['firefox', 'firefox'],
    ],
  );
  const wrong = errorsOf({
    sites,
    engine: 'browsertime',
    browser: 'firefox',
    views: ['warm'],
    isolation: 'context',
    visitor: { device: 'phone' },
  });
  assert.deepEqual(
    wrong.map(({ pointer }) => pointer),
    ['#/browser', '#/views', '#/visitor', '#/isolation'],
  );
  assert.match(wrong[0]?.detail ?? '', /browsertime does not drive firefox\. Ask for chrome, or for another engine\./);
});

test('what Chrome can’t do of a workload is refused, of a campaign and of a site in it', () => {
  const sites = [{ url: 'https://calls.pronghorn.test/ping', workload: { connections: 'each' as const } }];
  const asked = { sites, engine: 'transaction' as const, workload: { earlyData: true } };
  assert.deepEqual(errorsOf(asked), []);
  const wrong = errorsOf({ ...asked, browser: 'chrome' });
  assert.deepEqual(
    wrong.map(({ pointer }) => pointer),
    ['#/workload/earlyData', '#/sites/0/workload/connections', '#/sites/0/workload/earlyData'],
  );
  assert.match(wrong[1]?.detail ?? '', /or browser none\.$/);
});

test('options are browsertime’s, few, and kept as asked for', () => {
  const { spec } = completeSpec(
    { sites: [{ url: 'https://site.example/' }], engine: 'browsertime', engineOptions: { video: false } },
    1,
    presets,
  );
  assert.deepEqual(spec.engineOptions, { video: false });
  const [error] = errorsOf({ sites: [{ url: 'https://site.example/' }], engineOptions: { video: false } });
  assert.equal(error?.pointer, '#/engineOptions');
  const Request = Compile(CampaignRequest);
  assert.equal(Request.Check({ sites: [{ url: 'https://site.example/' }], engineOptions: { chrome: { args: ['--no-sandbox'] } } }), false);
});

test('pages before a page are URLs, relative to it too, and need a warm view', () => {
  const list = { url: 'https://shop.example/item', visitor: { after: ['/list'] } };
  assert.deepEqual(errorsOf({ sites: [list], views: ['warm'] }), []);
  assert.deepEqual(errorsOf({ sites: [list], views: ['cold', 'warm'] }), []);
  for (const views of [undefined, ['cold' as const]]) {
    const [error, ...others] = errorsOf({ sites: [list], ...(views === undefined ? {} : { views }) });
    assert.deepEqual([error?.pointer, others], ['#/views', []]);
    assert.match(error?.detail ?? '', /views are cold\. Ask for views warm, or leave out after\./);
  }
  const wrong = { url: 'https://shop.example/item', visitor: { after: ['/list', 'ftp://shop.example/'] } };
  assert.deepEqual(
    errorsOf({ sites: [{ url: 'https://shop.example/' }, wrong], views: ['warm'] }).map(({ pointer }) => pointer),
    ['#/sites/1/visitor/after/1'],
  );
  assert.deepEqual(
    errorsOf({ sites: [{ url: 'https://shop.example/' }], visitor: { after: ['https://ann:pw@shop.example/'] }, views: ['warm'] }).map(
      ({ pointer }) => pointer,
    ),
    ['#/visitor/after/0'],
  );
});

test('an account of a site may be for the proxy of all, and is for none where there is none', () => {
  const site = { url: 'https://shop.example/', visitor: { proxyAuth: { user: 'ann', password: 'env:PROXY_PASSWORD' } } };
  const protocols: CampaignRequest['protocols'] = ['h1', 'h2'];
  assert.deepEqual(errorsOf({ sites: [site], protocols, visitor: { proxy: 'http://proxy.example:3128' } }), []);
  assert.deepEqual(
    errorsOf({ sites: [site], protocols }).map(({ pointer }) => pointer),
    ['#/sites/0/visitor/proxyAuth'],
  );
});

/** In PEM, signed by itself. */
const certificate = (isAuthority: boolean): string => {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', '/dev/null'];
  const extension = `basicConstraints=critical,CA:${isAuthority ? 'TRUE' : 'FALSE'}`;
  const args = ['req', '-x509', ...key, '-subj', '/O=Example/CN=staging.example', '-addext', extension];
  return execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
};

test('a CA is made of certificates of authorities, each whole', () => {
  const sites = [{ url: 'https://a.example/' }];
  const [authority, leaf] = [certificate(true), certificate(false)];
  assert.deepEqual(errorsOf({ sites, visitor: { ca: authority + authority } }), []);
  const [ofLeaf] = errorsOf({ sites: [{ url: 'https://a.example/', visitor: { ca: authority + leaf } }] });
  assert.equal(ofLeaf?.pointer, '#/sites/0/visitor/ca');
  assert.match(
    ofLeaf?.detail ?? '',
    /Certificate 2 of the CA is of O=Example, CN=staging\.example, which is no authority .* Give the one that signed it/,
  );
  const lines = authority.split('\n');
  for (const junk of [
    '-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----\n',
    [...lines.slice(0, 3), 'junk-', ...lines.slice(3)].join('\n'),
    lines.slice(0, 4).join('\n'),
  ]) {
    const [error] = errorsOf({ sites, visitor: { ca: authority + junk } });
    assert.equal(error?.pointer, '#/visitor/ca');
    assert.match(error?.detail ?? '', /Certificate 2 of the CA can't be read; expected PEM/);
  }
});

test('the headless shell takes no certificate, nor plain http a cookie for https alone', () => {
  const of = (url: string, request: Partial<CampaignRequest>) => errorsOf({ sites: [{ url }], protocols: ['h1'], ...request });
  const certified = { browser: 'headless-shell', visitor: { clientCertificate: 'secret:mine' } } as const;
  assert.match(of('https://a.example/', certified)[0]?.detail ?? '', /no store for certificates of your own\. Ask for browser chrome/);
  for (const visitor of [{ cookies: [{ name: '__Secure-a', value: 'x' }] }, { steps: [{ cookie: '__Host-a', value: 'x' }] }]) {
    assert.deepEqual(of('https://a.example/', { visitor }), []);
    assert.match(
      of('http://a.example/', { visitor })[0]?.detail ?? '',
      /is for https alone by its name, and http:\/\/a\.example\/ is plain http/,
    );
  }
});

test('a workload asks for the engine transaction, whose runs have choices and metrics of their own', () => {
  const calls = { sites: [{ url: 'https://calls.pronghorn.test/items' }], workload: { users: 50, requests: 10 } };
  const { spec } = completeSpec(calls, 1, known);
  assert.deepEqual(
    [spec.engine, spec.browser, spec.views, spec.primaryMetric, spec.workload],
    ['transaction', 'none', ['warm'], 'responseTime', { users: 50, requests: 10 }],
  );
  assert.ok(Compile(CampaignSpec).Check(spec));
  assert.deepEqual(errorsOf({ ...calls, primaryMetric: 'latencyP95' }), []);
  assert.deepEqual(errorsOf({ ...calls, primaryMetric: 'onLoad' }), [
    {
      pointer: '#/primaryMetric',
      detail: 'A run of REST calls has no onLoad, which is measured for pages; did you mean responseTime?',
    },
  ]);
  assert.match(errorsOf({ ...calls, primaryMetric: 'speedIndex' })[0]?.detail ?? '', /Expected one of responseTime, .*ttfb\.$/);
  assert.match(errorsOf({ ...calls, primaryMetric: 'requestsPerSecond' })[0]?.detail ?? '', /Ask for timePerRequest, its reciprocal/);
  assert.match(
    errorsOf({ sites: calls.sites, primaryMetric: 'responseTime' })[0]?.detail ?? '',
    /A page has no responseTime.*did you mean onLoad\?/,
  );
});

test('what of a workload cannot be run is named by its place, also a site’s own', () => {
  const site = { url: 'https://calls.pronghorn.test/items' };
  const at = (request: CampaignRequest) => errorsOf(request).map(({ pointer }) => pointer);
  assert.deepEqual(at({ sites: [site], workload: { mode: 'rate', requests: 5, arrivals: 'even' } }), [
    ...['#/workload/requests', '#/workload/requestsPerSecond'],
  ]);
  assert.deepEqual(at({ sites: [{ ...site, workload: { bodyBytes: 5 } }], workload: { users: 2 } }), ['#/sites/0/workload/bodyBytes']);
  assert.deepEqual(at({ sites: [site], engine: 'firefox', workload: { users: 2 } }), ['#/workload']);
});
