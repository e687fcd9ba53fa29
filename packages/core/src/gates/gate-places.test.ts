import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GateRules } from '../schemas/gate.ts';
import { assertionsOf, gateProblems, questionsAt } from './gate-places.ts';

const spec = {
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

test('more checks than anybody reads are refused before they are made', () => {
  const many = Array.from({ length: 1000 }, (_, i) => ({ name: `s${i}`, url: `https://s${i}.example/` }));
  const [problem] = gateProblems({ assertions: new Array<string>(10).fill('onLoad <= 1 s') }, { spec, sites: many });
  assert.deepEqual([problem?.pointer, /are 120000 checks/.test(problem?.detail ?? '')], ['#/assertions', true]);
});
