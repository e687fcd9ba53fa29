import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition, Shape } from '../schemas/condition.ts';
import { doTheSame, isLossy, isNative, isShaped, lossShareOf, needsShaping, queueBytesOf } from './shaping.ts';

const condition = (up: Shape, down: Shape = {}, baseRttMs?: number): Condition => ({
  name: 'mine',
  ...(baseRttMs === undefined ? {} : { baseRttMs }),
  up,
  down,
});

test('a condition whose every number is 0 is native', () => {
  const idle = condition({ delayMs: 0, loss: { model: 'independent', share: 0 }, duplicateShare: 0, reorder: { share: 0 } }, {}, 0);
  assert.deepEqual([isNative(idle), needsShaping(idle), isLossy(idle)], [true, false, false]);
});

test('whatever is done to packets needs shaping, in its direction alone; a base RTT in both', () => {
  for (const shape of [
    { delayMs: 1 },
    { rateKbps: 1000 },
    { loss: { model: 'independent', share: 0.01 } },
    { loss: { model: 'gilbert-elliott', p: 0.1, r: 0.5 } },
    { duplicateShare: 0.01 },
    { delayMs: 5, reorder: { share: 0.01 } },
  ] satisfies Shape[]) {
    const shaped = condition({}, shape);
    assert.deepEqual([isNative(shaped), isShaped(shaped, 'up'), isShaped(shaped, 'down')], [false, false, true], JSON.stringify(shape));
  }
  assert.ok(isShaped(condition({}, {}, 10), 'up') && isShaped(condition({}, {}, 10), 'down'));
});

test('bursts lose the share of the time that they are bad, by what is lost in each state', () => {
  const bursts = (given: object) => lossShareOf({ loss: { model: 'gilbert-elliott', p: 0.01, r: 0.24, ...given } });
  assert.equal(bursts({}), 0.04);
  assert.equal(bursts({ lossBad: 0.5 }), 0.02);
  assert.equal(bursts({ lossGood: 0.01 }), 0.04 + 0.96 * 0.01);
  assert.equal(bursts({ p: 0, r: 0 }), 0);
});

test('a queue that nobody gave is 100 ms long and holds at least 32 KB', () => {
  assert.deepEqual(
    [{}, { rateKbps: 10_000 }, { rateKbps: 400 }, { rateKbps: 400, queueBytes: 9000 }].map(queueBytesOf),
    [0, 125_000, 32_768, 9000],
  );
});

test('two conditions do the same whatever they are called and in whatever order they are written', () => {
  const one: Condition = { ...condition({ delayMs: 5, rateKbps: 100 }), description: 'one' };
  assert.ok(doTheSame(one, { ...condition({ rateKbps: 100, delayMs: 5 }, {}, 0), name: 'other' }));
  assert.ok(!doTheSame(one, condition({ delayMs: 5 })));
  assert.ok(!doTheSame(one, condition({}, { delayMs: 5, rateKbps: 100 })));
});
