import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moved, shareOf, showing, valueAt, within, zoomed } from './zoom.ts';

const whole = [100, 1100] as const;
const near = (actual: readonly number[] | null, expected: readonly number[]) => {
  assert.ok(actual);
  actual.forEach((value, i) => {
    assert.ok(Math.abs(value - (expected[i] as number)) < 1e-6, `${actual} is not ${expected}`);
  });
};

test('what the pointer is at stays there while one zooms', () => {
  near(zoomed(whole, 0.5, 0.25, whole, 'linear'), [225, 725]);
  const log = zoomed([10, 1000], 0.5, 0.5, [10, 1000], 'log') ?? [0, 0];
  near(log, [10 ** 1.5, 10 ** 2.5]);
  assert.ok(Math.abs(shareOf(100, log, 'log') - 0.5) < 1e-9);
});

test('zooming out ends with the whole, which is no range', () => {
  assert.equal(zoomed([200, 1000], 3, 0.5, whole, 'linear'), null);
  assert.equal(within(whole, whole, 'linear'), null);
});

test('nothing is magnified more than can be read', () => {
  let range = zoomed(whole, 0.01, 0.5, whole, 'linear');
  for (let i = 0; i < 5; i++) range = zoomed(range ?? whole, 0.01, 0.5, whole, 'linear');
  const [low = 0, high = 0] = range ?? [];
  assert.ok(Math.abs(high - low - 0.5) < 1e-6);
});

test('a move ends at the edge, with the same magnification', () => {
  near(moved([200, 400], 10, whole, 'linear'), [900, 1100]);
  near(moved([200, 400], -0.25, whole, 'linear'), [150, 350]);
});

test('a value that is not seen is brought to the middle', () => {
  near(showing(800, [200, 400], whole, 'linear'), [700, 900]);
  near(showing(300, [200, 400], whole, 'linear'), [200, 400]);
});

test('shares and values are each other’s inverse on both kinds of axis', () => {
  for (const kind of ['linear', 'log'] as const) near([valueAt(shareOf(333, whole, kind), whole, kind)], [333]);
});
