import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RandomSource, randomSource } from '../random.ts';
import { type FactorialCell, factorDifferences, interactionsOf, scenariosOf } from './factorial.ts';

/** Box & Muller. */
const normal = (random: RandomSource) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const payloads = ['2 MB', '10 MB'];
const networks = ['baseline', 'medium', 'poor'];

/** @param ratioOf what HTTP/3’s values are of HTTP/2’s. */
function study(ratioOf: (payload: string, network: string) => number, { rounds = 10, noise = 0.1, seed = 1 } = {}): FactorialCell[] {
  const random = randomSource(seed);
  return payloads.flatMap((payload) =>
    networks.map((network) => {
      const base = (payload === '2 MB' ? 200 : 1_000) * (1 + networks.indexOf(network));
      const some = (factor: number) => Array.from({ length: rounds }, () => base * factor * Math.exp(noise * normal(random)));
      return { levels: { payload, network }, values: { h2: some(1), h3: some(ratioOf(payload, network)) } };
    }),
  );
}

test('a scenario is told by its replications: by how much, how sure, how much it matters', () => {
  const scenarios = scenariosOf(
    study((_, network) => (network === 'poor' ? 0.6 : 1)),
    'h3',
    'h2',
  );
  assert.equal(scenarios.length, 6);
  for (const { levels, relative, rankBiserial, isRelevant, p, adjustedP, cvClass } of scenarios) {
    assert.equal(isRelevant, levels.network === 'poor', JSON.stringify({ levels, relative, adjustedP }));
    if (isRelevant) assert.ok(relative < -0.3 && rankBiserial < -0.5);
    assert.ok(adjustedP >= p);
    assert.ok(cvClass.candidate !== null);
  }
});

test('what no replication has is left out', () => {
  const cell: FactorialCell = { levels: { payload: '2 MB' }, values: { h2: [1, 2, 3], h3: [Number.NaN, Number.POSITIVE_INFINITY] } };
  assert.deepEqual(scenariosOf([cell], 'h3', 'h2'), []);
  assert.deepEqual(interactionsOf([cell], 'h3', 'h2', 1), []);
});

test('factors are tested with everything else pooled, the protocol among them', () => {
  const tests = factorDifferences(study(() => 1));
  assert.deepEqual(
    tests.map(({ factor }) => factor),
    ['payload', 'network', 'protocol'],
  );
  const [payload, , protocol] = tests;
  assert.ok((payload?.p ?? 1) < 1e-6 && (protocol?.p ?? 0) > 0.05);
  assert.deepEqual(
    payload?.levels.map(({ level, runs }) => [level, runs]),
    [
      ['2 MB', 60],
      ['10 MB', 60],
    ],
  );
});

test('an interaction is one where the ratio depends on a level, and not where only the times do', () => {
  const by = (cells: FactorialCell[]) => new Map(interactionsOf(cells, 'h3', 'h2', 1, 1_999).map((one) => [one.factors.join('+'), one]));
  const ofNetwork = by(study((_, network) => (network === 'poor' ? 0.7 : 1)));
  assert.ok((ofNetwork.get('network')?.adjustedP ?? 1) < 0.01);
  assert.ok((ofNetwork.get('payload')?.p ?? 0) > 0.05);
  const poor = ofNetwork.get('network')?.levels.find(({ level }) => level === 'poor');
  assert.ok(Math.abs((poor?.ratio ?? 0) - 0.7) < 0.05, `${poor?.ratio}`);
  assert.equal(poor?.rounds, 20);
  // Neither factor alone: HTTP/3 gains where one is high and the other low.
  const crossed = by(study((payload, network) => ((payload === '2 MB') === (network === 'poor') ? 0.75 : 1.25)));
  assert.ok((crossed.get('payload+network')?.adjustedP ?? 1) < 0.01);
});

test('without an interaction one is named in no more than a twentieth of studies', () => {
  let named = 0;
  const studies = 60;
  for (let seed = 1; seed <= studies; seed++) {
    const cells = study(() => 0.8, { rounds: 6, seed });
    if (interactionsOf(cells, 'h3', 'h2', seed, 499).some(({ adjustedP }) => adjustedP <= 0.05)) named += 1;
  }
  // More than 8 of 60 have a chance of 0.2 % at a rate of 5 %.
  assert.ok(named <= 8, `${named} of ${studies}`);
});
