import assert from 'node:assert/strict';
import { test } from 'node:test';
import Schema from 'typebox/schema';
import { friedmanTest } from '../../math/friedman.ts';
import { kruskalWallisTest } from '../../math/kruskal-wallis.ts';
import { randomSource } from '../../math/random.ts';
import { FactorTest } from '../../schemas/across.ts';
import type { Protocol } from '../../vocabulary/protocol.ts';
import { factorTests, type MetricSample } from './factors.ts';

const cell = (siteId: string, condition: string, protocol: Protocol, values: number[]): MetricSample => ({
  siteId,
  condition,
  view: 'cold',
  protocol,
  values,
});
const normal = (random: () => number) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Load times of sites that are up to some hundred times as slow as each other. */
function made(sites: number, slower: (condition: string, protocol: Protocol) => number, seed: number): MetricSample[] {
  const random = randomSource(seed);
  return Array.from({ length: sites }, (_, i) => ({ id: `site-${i}`, ms: 100 * Math.exp(1.5 * normal(random)) })).flatMap(({ id, ms }) =>
    ['native', 'latency-100', 'loss-1'].flatMap((condition) =>
      (['h2', 'h3'] as const).map((protocol) =>
        cell(
          id,
          condition,
          protocol,
          Array.from({ length: 5 }, () => ms * slower(condition, protocol) * Math.exp(0.1 * normal(random))),
        ),
      ),
    ),
  );
}

test('one site is tested over its visits, and every test is what its schema says', () => {
  const cells = [cell('a', 'native', 'h2', [1, 2, 3]), cell('a', 'loss-1', 'h2', [4, 5, 6]), cell('a', 'loss-1', 'h3', [7, 8, 9])];
  const tests = factorTests(cells);
  for (const one of tests) assert.ok(Schema.Compile(FactorTest).Check(one), JSON.stringify(one));
  assert.deepEqual(
    tests.map(({ factor, siteId, condition, protocol, unit, levels }) => ({ factor, siteId, condition, protocol, unit, levels })),
    [
      { factor: 'condition', siteId: 'a', condition: null, protocol: 'h2', unit: 'visit', levels: 2 },
      { factor: 'protocol', siteId: 'a', condition: 'loss-1', protocol: null, unit: 'visit', levels: 2 },
    ],
  );
  // Mean ranks 2 and 5 about 3.5: H = 12 ÷ (6 · 7) · 3 · 2 · 2.25.
  assert.ok(Math.abs((tests[0]?.kruskalWallis.h ?? 0) - 27 / 7) < 1e-12);
  assert.deepEqual(tests[0]?.medians, [
    { level: 'native', values: 3, median: 2 },
    { level: 'loss-1', values: 3, median: 5 },
  ]);
  assert.deepEqual(
    [tests[0]?.dunn?.[0]?.first, tests[0]?.dunn?.[0]?.second, Math.sign(tests[0]?.dunn?.[0]?.z ?? 0)],
    ['native', 'loss-1', -1],
  );
});

test('from five sites on those with every level are tested together, by their medians, and by Friedman’s test as blocks', () => {
  const cells = made(6, (condition) => (condition === 'native' ? 1 : 2), 1).map((one) =>
    one.siteId === 'site-3' && one.condition === 'loss-1' ? { ...one, values: [] } : one,
  );
  const [test] = factorTests(cells).filter(({ factor, protocol }) => factor === 'condition' && protocol === 'h2');
  assert.deepEqual([test?.unit, test?.siteId, test?.sites, test?.sitesLeftOut, test?.smallestLevel], ['site-median', null, 5, 1, 5]);
  const medians = ['native', 'latency-100', 'loss-1'].map((condition) =>
    cells
      .filter((one) => one.siteId !== 'site-3' && one.protocol === 'h2' && one.condition === condition)
      .map(({ values }) => values.toSorted((a, b) => a - b)[2] as number),
  );
  assert.equal(test?.kruskalWallis.p, kruskalWallisTest(medians).p);
  const blocks = Array.from({ length: 5 }, (_, site) => medians.map((ofCondition) => ofCondition[site] as number));
  assert.equal(test?.friedman?.p, friedmanTest(blocks).p);
  assert.match(test?.cautions.join() ?? '', /a small p of Kruskal–Wallis is reliable, a large one says nothing/);
});

test('sites are tested within each protocol and condition, by their visits', () => {
  const tests = factorTests(made(20, () => 1, 2)).filter(({ factor }) => factor === 'site');
  assert.deepEqual(
    tests.map(({ protocol, condition, unit, levels }) => `${protocol} ${condition} ${unit} ${levels}`),
    ['h2 native', 'h3 native', 'h2 latency-100', 'h3 latency-100', 'h2 loss-1', 'h3 loss-1'].map((place) => `${place} visit 20`),
  );
  for (const { kruskalWallis, medians, dunn } of tests) {
    assert.ok(kruskalWallis.p < 1e-6);
    assert.deepEqual([medians, dunn], [null, null]);
  }
});

test('what differs between sites hides a condition from Kruskal and Wallis, not from Friedman', () => {
  const [test] = factorTests(made(30, (condition) => (condition === 'loss-1' ? 1.3 : 1), 3));
  assert.ok(test && test.kruskalWallis.p > 0.3, `${test?.kruskalWallis.p}`);
  assert.ok(test.friedman && test.friedman.p < 1e-6, `${test.friedman?.p}`);
});

test('without any difference p is below 0.05 in at most 5 % of campaigns, and far more rarely where sites are blocks', () => {
  const found = { condition: [0, 0], protocol: [0, 0], friedman: [0, 0] };
  for (let seed = 0; seed < 200; seed++) {
    for (const { factor, kruskalWallis, friedman } of factorTests(made(10, () => 1, seed))) {
      if (factor === 'site') continue;
      for (const [key, p] of [[factor, kruskalWallis.p] as const, ['friedman', friedman?.p ?? 0] as const]) {
        found[key][0] = (found[key][0] ?? 0) + Number(p < 0.05);
        found[key][1] = (found[key][1] ?? 0) + 1;
      }
    }
  }
  const share = ([below = 0, all = 1]: number[]) => below / all;
  assert.ok(share(found.condition) < 0.005 && share(found.protocol) < 0.005, JSON.stringify(found));
  assert.ok(share(found.friedman) > 0.02 && share(found.friedman) < 0.07, JSON.stringify(found));
});

test('protocols are left to the paired tests', () => {
  const tests = factorTests(made(3, () => 1, 5)).filter(({ factor }) => factor === 'protocol');
  assert.equal(tests.length, 9);
  for (const { cautions } of tests) assert.match(cautions.join(), /the paired tests decide between them/);
});

test('five sites of two levels are said to be too few for Friedman’s test; six are not', () => {
  const caution = (sites: number) =>
    factorTests(made(sites, (condition) => (condition === 'native' ? 1 : 2), 1).filter(({ condition }) => condition !== 'loss-1'))
      .filter(({ factor }) => factor === 'condition')
      .map(({ cautions, friedman }) => [/5 % needs six/.test(cautions.join()), (friedman?.p ?? 1) <= 0.05]);
  assert.deepEqual(caution(5), [
    [true, false],
    [true, false],
  ]);
  assert.deepEqual(caution(6), [
    [false, true],
    [false, true],
  ]);
});

test('fewer than five values are said to be few', () => {
  const four = factorTests([cell('a', 'native', 'h2', [1, 2, 3, 4]), cell('a', 'loss-1', 'h2', [1, 2, 3, 4, 5])]);
  assert.match(four[0]?.cautions.join() ?? '', /fewer than five values/);
  const five = factorTests([cell('a', 'native', 'h2', [1, 2, 3, 4, 5]), cell('a', 'loss-1', 'h2', [1, 2, 3, 4, 5])]);
  assert.deepEqual(five[0]?.cautions, []);
});

test('where nothing can be compared there is no test', () => {
  assert.deepEqual(factorTests([]), []);
  assert.deepEqual(factorTests([cell('a', 'native', 'h2', [1, 2]), cell('a', 'loss-1', 'h2', [])]), []);
  // Seven sites, of which four have every condition: too few to stand for all, and too many to go through one by one.
  const partly = made(7, () => 1, 4).filter(
    ({ siteId, condition, protocol }) => protocol === 'h2' && (condition !== 'loss-1' || siteId > 'site-2'),
  );
  assert.deepEqual(
    factorTests(partly).filter(({ factor }) => factor === 'condition'),
    [],
  );
});

test('views are tested apart', () => {
  const cold = [cell('a', 'native', 'h2', [1, 2, 3]), cell('a', 'loss-1', 'h2', [4, 5, 6])];
  const tests = factorTests([...cold, ...cold.map((one) => ({ ...one, view: 'warm' as const }))]);
  assert.deepEqual(
    tests.map(({ view }) => view),
    ['cold', 'warm'],
  );
});
