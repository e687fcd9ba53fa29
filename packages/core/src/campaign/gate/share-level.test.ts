import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareLevel } from './level.ts';

const loads = (failed: number, all: number) => Array.from({ length: all }, (_, i) => Number(i < failed));

test('149 loads without a failure show that at most 2 % fail, and 148 do not', () => {
  assert.ok(shareLevel(loads(0, 149)).atMost(0.02) <= 0.05);
  assert.ok(shareLevel(loads(0, 148)).atMost(0.02) > 0.05);
  assert.equal(shareLevel(loads(0, 1)).minValues('max', 0.05, 0.02), 149);
});

test('tests and bounds turn at the same share', () => {
  for (const [failed, all] of [
    [3, 20],
    [1, 100],
    [19, 20],
  ] as const) {
    const level = shareLevel(loads(failed, all));
    const [low, high] = [level.low(0.05) ?? 0, level.high(0.05) ?? 1];
    assert.ok(Math.abs(level.atMost(high) - 0.05) < 1e-9 && Math.abs(level.above(low) - 0.05) < 1e-9);
    assert.ok(low < level.value && level.value < high);
  }
});

test('a share of 1 is always kept, and one of 0 is never shown', () => {
  assert.equal(shareLevel(loads(20, 20)).atMost(1), 0);
  assert.equal(shareLevel(loads(0, 1000)).atMost(0), 1);
  assert.equal(shareLevel(loads(0, 1000)).minValues('max', 0.05, 0), Number.POSITIVE_INFINITY);
  assert.equal(shareLevel(loads(1, 1000)).above(0), 0, 'one failure shows that some fail');
});
