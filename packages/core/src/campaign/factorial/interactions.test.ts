import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RandomSource, randomSource } from '../../math/random.ts';
import { interactionsOf, type RatioCell } from './interactions.ts';

/** Box & Muller. */
const normal = (random: RandomSource) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const payloads = ['2 MB', '10 MB'];
const networks = ['baseline', 'medium', 'poor'];
const methods = ['GET', 'POST'];

type Ratio = (payload: string, network: string, method: string) => number;
/** @param ratioOf what HTTP/3’s values are of HTTP/2’s. */
function study(ratioOf: Ratio, { rounds = 5, noise = 0.1, seed = 1 } = {}): RatioCell[] {
  const random = randomSource(seed);
  return payloads.flatMap((payload) =>
    networks.flatMap((network) =>
      methods.map((method) => ({
        levels: { payload, network, method },
        logRatios: Array.from({ length: rounds }, () => Math.log(ratioOf(payload, network, method)) + noise * normal(random)),
      })),
    ),
  );
}
const by = (cells: readonly RatioCell[], permutations = 999) =>
  new Map(interactionsOf(cells, 1, permutations).map((one) => [one.factors.join('+'), one]));
/** Effects of each factor by itself, large beside the noise. */
const mainEffects: Ratio = (payload, network, method) =>
  (payload === '2 MB' ? 0.7 : 1.2) * (network === 'poor' ? 0.5 : 1) * (method === 'GET' ? 1.3 : 1);

test('a factor on which the ratio depends is found, and the others are not', () => {
  const found = by(study((_, network) => (network === 'poor' ? 0.7 : 1)));
  assert.ok((found.get('network')?.adjustedP ?? 1) < 0.02);
  for (const name of ['payload', 'method', 'payload+network', 'payload+method'])
    assert.ok((found.get(name)?.adjustedP ?? 0) > 0.05, `${name} ${found.get(name)?.adjustedP}`);
  const poor = found.get('network')?.levels.find(({ levels }) => levels[0] === 'poor');
  assert.ok(poor && Math.abs(poor.ratio - 0.7) < 0.05 && (poor.low ?? 1) < 0.7 && (poor.high ?? 0) > 0.7, JSON.stringify(poor));
  assert.equal(poor.rounds, 20);
});

test('an interaction of two factors is found beside large effects of each, and only that one', () => {
  const crossed = (payload: string, network: string) => ((payload === '2 MB') === (network === 'poor') ? 0.87 : 1.15);
  const found = by(study((payload, network, method) => mainEffects(payload, network, method) * crossed(payload, network)));
  assert.ok((found.get('payload+network')?.adjustedP ?? 1) < 0.02, `${found.get('payload+network')?.adjustedP}`);
  assert.ok((found.get('payload+method')?.p ?? 0) > 0.05 && (found.get('network+method')?.p ?? 0) > 0.05);
});

/** Of so many studies, in how many each p is at most 5 %. */
function rates(ratioOf: Ratio, studies: number, transform: (cells: RatioCell[]) => RatioCell[] = (cells) => cells): Map<string, number> {
  const named = new Map<string, number>();
  for (let seed = 1; seed <= studies; seed++)
    for (const { factors, p } of interactionsOf(transform(study(ratioOf, { rounds: 3, seed })), seed, 199))
      named.set(factors.join('+'), (named.get(factors.join('+')) ?? 0) + Number(p !== null && p <= 0.05));
  return named;
}
// Of 200 studies at 5 %: fewer than 2 or more than 19 have a chance below 1 in 1,000 each.
const kept = (count: number | undefined) => count !== undefined && count >= 2 && count <= 19;

test('where the ratio depends on nothing each test errs in one study of twenty', () => {
  for (const [name, count] of rates(() => 0.8, 200)) assert.ok(kept(count), `${name}: ${count} of 200`);
});

test('large effects of each factor alone neither pass for an interaction of two nor make its test too shy', () => {
  const named = rates(mainEffects, 200);
  for (const name of ['payload+network', 'payload+method', 'network+method'])
    assert.ok(kept(named.get(name)), `${name}: ${named.get(name)} of 200`);
  assert.equal(named.get('payload'), 200);
});

test('the same where rounds are missing, so that factors are not balanced', () => {
  const without = (cells: RatioCell[]) => cells.map((cell, k) => ({ ...cell, logRatios: cell.logRatios.slice(k % 3 === 0 ? 2 : 0) }));
  const named = rates(mainEffects, 200, without);
  for (const name of ['payload+network', 'payload+method', 'network+method'])
    assert.ok(kept(named.get(name)), `${name}: ${named.get(name)} of 200`);
});

test('half of the combinations tells factors, and not the pairs that are confounded with them', () => {
  const cells = study((_, network, method) => (network === 'poor' ? 0.7 : 1) * (method === 'GET' ? 0.8 : 1)).filter(
    ({ levels: { payload, method, network } }) =>
      network !== 'medium' && [payload === '10 MB', method === 'POST', network === 'poor'].filter(Boolean).length % 2 === 0,
  );
  const found = by(cells);
  assert.ok((found.get('network')?.adjustedP ?? 1) < 0.02);
  assert.deepEqual(found.get('network')?.confoundedWith, [['payload', 'method']]);
  assert.ok((found.get('payload')?.p ?? 0) > 0.05);
  const pair = found.get('payload+method');
  assert.deepEqual([pair?.p, pair?.adjustedP, pair?.confoundedWith], [null, null, [['network']]]);
});

test('what has one level in the data is no factor, and without spread nothing is tested', () => {
  const one = study(() => 0.8).map((cell) => (cell.levels.network === 'poor' ? cell : { ...cell, logRatios: [] }));
  assert.deepEqual([...by(one).keys()], ['payload', 'method', 'payload+method']);
  const flat = study(() => 0.8, { noise: 0 });
  assert.ok([...by(flat).values()].every(({ p }) => p === null));
  assert.deepEqual(interactionsOf([], 1), []);
});
