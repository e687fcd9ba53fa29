import assert from 'node:assert/strict';
import { test } from 'node:test';
import { r, within } from '../../fixtures/statistics/oracles.ts';
import { proportion } from './proportion.ts';

test('the interval is the one of R’s binom.test', () => {
  assert.ok(r.proportions.length >= 80);
  for (const [successes, n, confidence, low, high] of r.proportions) {
    const result = proportion(successes, n, confidence);
    assert.ok(
      within(result.low, low) && within(result.high, high),
      `${successes} of ${n} at ${confidence}: [${result.low}, ${result.high}]`,
    );
    assert.ok(result.low <= result.share && result.share <= result.high);
  }
});

test('failures have the mirrored interval', () => {
  const [some, others] = [proportion(3, 40), proportion(37, 40)];
  assert.ok(within(some.low, 1 - others.high, 1e-12) && within(some.high, 1 - others.low, 1e-12));
});

test('none of n and all of n reach the end', () => {
  assert.equal(proportion(0, 10).low, 0);
  assert.equal(proportion(10, 10).high, 1);
  // The rule of three: (1 − high)ⁿ is half of 5 %.
  assert.ok(within((1 - proportion(0, 100).high) ** 100, 0.025, 1e-12));
});

test('what is no proportion is refused', () => {
  assert.throws(() => proportion(0, 0), { name: 'RangeError', message: /n is 0, expected a positive integer/ });
  assert.throws(() => proportion(3, 2), /successes is 3, expected an integer from 0 to 2/);
  assert.throws(() => proportion(1, 2, 1), /confidence is 1, expected a number in \(0, 1\)/);
});
