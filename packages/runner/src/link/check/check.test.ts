import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { randomSource } from '@pronghorn/core/math';
import { delayToleranceMs, delayWithin, rateWithin } from './check.ts';

describe('the tolerance of a delay', () => {
  it('is 2 ms up to 40 ms and 5 % above', () => {
    assert.deepEqual(
      [0, 10, 40, 50, 200].map((ms) => delayToleranceMs(ms, [{}], 10)),
      [2, 2, 2, 2.5, 10],
    );
  });

  it('counts its edges as within', () => {
    assert.deepEqual(
      [47.4, 47.5, 52.5, 52.6].map((ms) => delayWithin(ms, 50, 2.5)),
      [false, true, true, false],
    );
  });

  it('grows with jitter and shrinks with the number of packets', () => {
    const shape = { jitter: { ms: 10, distribution: 'normal' } } as const;
    // 2.5 + 3.2905 × 1.2533 × 10 / √n
    assert.equal(delayToleranceMs(50, [shape], 10).toFixed(2), '15.54');
    assert.equal(delayToleranceMs(50, [shape], 8_000).toFixed(2), '2.96');
    // Both directions jitter: variances add.
    assert.equal(delayToleranceMs(50, [shape, shape], 10).toFixed(2), '20.94');
  });

  it('holds for the medians of uniform and Pareto jitter, correlated or not, as netem draws them', () => {
    const random = randomSource(7);
    const jitterMs = 20;
    for (const distribution of ['uniform', 'pareto'] as const)
      for (const correlation of [0, 0.25, 0.75])
        for (let sample = 0; sample < 200; sample++) {
          let last = random();
          const delays = Array.from({ length: 10 }, () => {
            last = (1 - correlation) * random() + correlation * last;
            const deviation = distribution === 'uniform' ? 2 * last - 1 : (4 / 3) * ((1 - last) ** (-1 / 3) - 1.5);
            return 100 + jitterMs * deviation;
          }).sort((a, b) => a - b);
          const median = ((delays[4] ?? 0) + (delays[5] ?? 0)) / 2;
          const tolerance = delayToleranceMs(100, [{ jitter: { ms: jitterMs, correlation, distribution } }], 10);
          assert.ok(delayWithin(median, 100, tolerance), `${distribution}, ${correlation}: ${median} ± ${tolerance}`);
        }
  });
});

describe('the tolerance of a rate', () => {
  it('is 7 % either way', () => {
    assert.deepEqual(
      [929, 931, 1_069, 1_071].map((kbps) => rateWithin(kbps, 1_000)),
      [false, true, true, false],
    );
  });
});
