import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import { proportion } from '../math/proportion.ts';
import { type RandomSource, randomSource } from '../math/random.ts';
import { OrderEffect } from '../schemas/calibration.ts';
import type { Protocol } from '../vocabulary/protocol.ts';
import { judgeCalibration, type OrderedVisit, orderEffect } from './calibration.ts';

const normal = (random: RandomSource) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const typicalMs: Record<Protocol, number> = { h1: 900, h2: 500, h3: 400 };

/** Rounds of each protocol in random order, with 4 % of noise, rounds that are slow as a whole, and places that cost so much. */
function madeRounds(count: number, seed: number, costs: readonly number[], protocols: readonly Protocol[] = ['h2', 'h2', 'h3', 'h3']) {
  const random = randomSource(seed);
  return Array.from({ length: count }, (): OrderedVisit[] => {
    const slow = Math.exp(0.2 * normal(random));
    const order = protocols.map((protocol) => ({ protocol, at: random() })).sort((a, b) => a.at - b.at);
    return order.map(({ protocol }, place) => ({
      protocol,
      value: typicalMs[protocol] * slow * Math.exp(0.04 * normal(random)) * (1 + (costs[place] ?? 0)),
    }));
  });
}

/** As if nothing else had been measured. */
const found = (...given: Parameters<typeof madeRounds>) => {
  const effect = orderEffect(madeRounds(...given)) ?? assert.fail();
  return judgeCalibration([], [effect]).orders[0] ?? assert.fail();
};

test('places that change nothing are rarely said to change something, of two and of four', () => {
  for (const protocols of [
    ['h2', 'h3'],
    ['h2', 'h2', 'h3', 'h3'],
  ] as const) {
    for (const count of [10, 50]) {
      const times = 600;
      const wrong = Array.from({ length: times }, (_, i) => found(count, 1_000 + i, [], protocols)).filter(({ p }) => p <= 0.05).length;
      const { low } = proportion(wrong, times, 0.99);
      assert.ok(low <= 0.05 && wrong > 0.015 * times, `${wrong} of ${times} with ${count} rounds of ${protocols}`);
    }
  }
});

test('a first visit that takes 5 % more is found in 50 rounds, with its size, though protocols differ by more', () => {
  for (const protocols of [
    ['h1', 'h3'],
    ['h2', 'h2', 'h3', 'h3'],
  ] as const) {
    const effects = Array.from({ length: 100 }, (_, i) => found(50, 2_000 + i, [0.05], protocols));
    assert.ok(effects.filter(({ p }) => p <= 0.05).length >= 90, `${protocols}`);
  }
  const { positions, rounds, caution, p } = found(1_000, 3, [0.05]);
  assert.equal(rounds, 1_000);
  const [first = 0, ...others] = positions;
  for (const other of others) assert.ok(Math.abs((1 + first) / (1 + other) - 1.05) < 0.03, `${positions}`);
  assert.ok(p < 1e-6);
  assert.match(
    caution ?? '',
    /^A visit’s position in its round matters: from the first to the last \+[\d.]+ %, [+−][\d.]+ %, [+−][\d.]+ %, [+−][\d.]+ % against its protocol’s median \(Friedman, p < 0\.001\)\. Each protocol is first/,
  );
});

test('what is found fits its schema, and nothing to be careful of has no words', () => {
  const calm = found(60, 5, []);
  assert.ok(Value.Check(OrderEffect, calm));
  assert.equal(calm.caution, null);
  assert.match(found(100, 5, [0, 0.1], ['h2', 'h3']).caution ?? '', /\(signed-rank, p < 0\.001\)/);
});

test('a round that lost a visit is left out, and too few rounds tell nothing', () => {
  const rounds = madeRounds(12, 6, []);
  assert.equal(orderEffect(rounds.with(3, rounds[3]?.slice(1) ?? []))?.rounds, 11);
  assert.equal(orderEffect(rounds.slice(0, 9)), null);
  assert.equal(orderEffect([]), null);
  assert.equal(orderEffect(madeRounds(20, 6, [], ['h2'])), null);
});

test('values that are all alike are no effect, and 0 is refused', () => {
  const alike = Array.from({ length: 20 }, () => ['h2', 'h3', 'h3'].map((protocol) => ({ protocol: protocol as Protocol, value: 250 })));
  assert.deepEqual(orderEffect(alike), { rounds: 20, positions: [0, 0, 0], p: 1 });
  assert.throws(() => orderEffect([[{ protocol: 'h2', value: 0 }]]), /a value over h2 is 0, expected a positive number/);
});
