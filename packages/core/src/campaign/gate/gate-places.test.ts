import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GateRules } from '../../schemas/gate.ts';
import { assertionsOf, gateProblems, questionsAt } from './gate-questions.ts';

const spec = {
  engine: 'puppeteer' as const,
  protocols: ['h2' as const, 'h3' as const],
  views: ['cold' as const, 'warm' as const],
  conditions: ['native', 'loss-1', 'loss-2'].map((name) => ({ name })),
};
const sites = ['shop', 'a*b', 'news'].map((name) => ({ id: name, name, url: `https://${name}.example/`, expectStatus: 200 }));
const places = (rules: GateRules['assertions']) => questionsAt(assertionsOf({ assertions: rules }), spec, sites);

test('an assertion holds wherever it leaves open, and only where it says', () => {
  assert.equal(places(['onLoad <= 1 s']).length, 3 * 3 * 2 * 2);
  const at = (text: string) => [
    ...new Set(places([text]).map(({ site, condition, view, protocol }) => `${site.name} ${condition} ${view} ${protocol}`)),
  ];
  assert.deepEqual(at('onLoad h3 <= 1 s on loss-1 warm at shop'), ['shop loss-1 warm h3']);
  assert.deepEqual(at('onLoad h3 <= 1 s on loss-* warm at https://news.*'), ['news loss-1 warm h3', 'news loss-2 warm h3']);
  assert.deepEqual(at('onLoad h3 <= h2 on native cold at *'), ['shop native cold h3', 'a*b native cold h3', 'news native cold h3']);
  assert.deepEqual(at('onLoad h3 <= 1 s on native cold at *o*p'), ['shop native cold h3']);
  assert.deepEqual(at('onLoad h3 <= 1 s on native cold at *op*op'), []);
});

test('a bound with two limits is two checks', () => {
  const both = places([
    { kind: 'bound', metric: 'requests', max: 50, min: 10, site: 'shop', condition: 'native', view: 'cold', protocol: 'h3' },
  ]);
  assert.deepEqual(
    both.map(({ side }) => side),
    ['max', 'min'],
  );
});

test('what could never be decided is told with its place', () => {
  const problems = (...assertions: GateRules['assertions']) =>
    gateProblems({ assertions }, { spec, sites }).map(({ pointer, detail }) => `${pointer} ${detail}`);
  assert.deepEqual(problems('onLoad <= 1 s', 'onLoad h3 <= h2'), []);
  assert.deepEqual(problems('onLoad h1 <= 1 s'), ['#/assertions/0 The campaign has no protocol h1; it has h2, h3.']);
  const relation = { kind: 'protocols', metric: 'onLoad', margin: 0 } as const;
  assert.deepEqual(problems({ ...relation, candidate: 'h3', baseline: 'h1' }), [
    '#/assertions/0/baseline The campaign has no protocol h1; it has h2, h3.',
  ]);
  assert.match(problems({ ...relation, candidate: 'h3', baseline: 'h3' })[0] ?? '', /Both protocols are h3/);
  assert.match(
    problems({ ...relation, candidate: 'h3', baseline: 'h2', margin: 1, not: 'below' })[0] ?? '',
    /below 100 % of it is nothing/,
  );
  assert.deepEqual(problems('onLoad <= 1 s', { kind: 'bound', metric: 'onLoad', max: 1, condition: ['native', 'los-1'] }), [
    '#/assertions/1/condition The campaign has no condition los-1; it has native, loss-1, loss-2.',
  ]);
  assert.match(
    problems({ kind: 'bound', metric: 'onLoad', max: 1, statistic: 'p0' })[0] ?? '',
    /#\/assertions\/0\/statistic The statistic is p0/,
  );
  assert.match(problems({ kind: 'bound', metric: 'onLoad', max: 1, min: 2 })[0] ?? '', /min is 2 and max is 1/);
  assert.match(problems('onLoad <= 1 s at nowhere')[0] ?? '', /no site nowhere; it has shop, a\*b, news/);
});

test('a gate of runs asks for metrics of runs, one of pages for those of pages, and says which was meant', () => {
  const faults = (text: GateRules['assertions'][number], engine: 'transaction' | 'firefox') =>
    gateProblems({ assertions: [text] }, undefined, engine).map(({ pointer, detail }) => `${pointer} ${detail}`);
  assert.deepEqual(faults('responseTime p95 <= 200 ms', 'transaction'), []);
  assert.deepEqual(faults('ttfb <= 200 ms', 'transaction'), []);
  assert.deepEqual(faults('failedShare <= 5 %', 'transaction'), []);
  assert.deepEqual(faults('onLoad <= 1 s', 'firefox'), []);
  assert.deepEqual(faults('onLoad <= 1 s', 'transaction'), [
    '#/assertions/0 A run of REST calls has no onLoad, which is measured for pages; did you mean responseTime?',
  ]);
  assert.deepEqual(faults('ttfbP95 <= 1 s', 'firefox'), [
    '#/assertions/0 A page has no ttfbP95, which is measured for runs of REST calls; did you mean ttfb?',
  ]);
  assert.match(faults('speedIndex <= 1 s', 'transaction')[0] ?? '', /has no speedIndex.*Expected one of responseTime, .*failedShare\.$/);
  assert.match(
    faults({ kind: 'bound', metric: 'clientCpu', max: 1 }, 'firefox')[0] ?? '',
    /^#\/assertions\/0\/metric A page has no clientCpu/,
  );
  // Without a campaign, whose engine could be any, nothing is foreign.
  assert.deepEqual(gateProblems({ assertions: ['onLoad <= 1 s', 'latency <= 1 s'] }), []);
  const ofRuns = { ...spec, engine: 'transaction' as const };
  assert.match(gateProblems({ assertions: ['onLoad <= 1 s'] }, { spec: ofRuns, sites })[0]?.detail ?? '', /did you mean responseTime/);
});

test('a share is from 0 to 100 %, and so is its limit, in a line and in an object', () => {
  const faults = (one: GateRules['assertions'][number]) =>
    gateProblems({ assertions: [one] }).map(({ pointer, detail }) => `${pointer} ${detail}`);
  for (const text of ['h2Share <= 100 %', 'failedShare <= 0', 'h3Share >= 90 %']) assert.deepEqual(faults(text), [], text);
  assert.deepEqual(faults('h2Share <= 1000 %'), [
    '#/assertions/0 The limit of h2Share is 1000 %, and a share is from 0 to 100 %. Expected such a limit: "h2Share <= 5 %" in a line, max: 0.05 in an object.',
  ]);
  assert.match(
    faults({ kind: 'bound', metric: 'failedShare', max: 2 })[0] ?? '',
    /^#\/assertions\/0\/max The limit of failedShare is 200 %/,
  );
  assert.match(faults({ kind: 'bound', metric: 'h3Share', min: -0.1 })[0] ?? '', /^#\/assertions\/0\/min .*"h3Share >= 5 %"/);
});

test('of rates more is better, and a relation that would fail what is faster is refused', () => {
  const faults = (text: string) => gateProblems({ assertions: [text] }, undefined, 'transaction').map(({ detail }) => detail);
  assert.deepEqual(faults('requestsPerSecond h3 >= h2 - 5 %'), []);
  assert.deepEqual(faults('bytesPerSecond >= baseline - 10 %'), []);
  assert.match(
    faults('requestsPerSecond h3 <= h2 + 5 %')[0] ?? '',
    /higher is better for requestsPerSecond.*requestsPerSecond h3 >= h2 - 5 %\.$/i,
  );
  assert.match(faults('bytesPerSecond <= baseline + 5 %')[0] ?? '', /such as bytesPerSecond >= baseline - 5 %\.$/);
});

test('more checks than anybody reads are refused before they are made', () => {
  const many = Array.from({ length: 1000 }, (_, i) => ({ name: `s${i}`, url: `https://s${i}.example/` }));
  const [problem] = gateProblems({ assertions: new Array<string>(10).fill('onLoad <= 1 s') }, { spec, sites: many });
  assert.deepEqual([problem?.pointer, /are 120000 checks/.test(problem?.detail ?? '')], ['#/assertions', true]);
});
