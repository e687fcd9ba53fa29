import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Loss } from '@pronghorn/core/schemas';
import { lostInterval } from './lost-count.ts';

const independent = (share: number): Loss => ({ model: 'independent', share });
const burst = (p: number, r: number, lossBad = 1, lossGood = 0): Loss => ({ model: 'gilbert-elliott', p, r, lossBad, lossGood });

describe('the interval of lost packets', () => {
  // SciPy 1.17.1: binom.ppf(0.0005, n, p), binom.ppf(0.9995, n, p)
  for (const [packets, share, low, high] of [
    [8_000, 0.005, 21, 62],
    [8_000, 0.01, 52, 111],
    [8_000, 0.02, 120, 203],
    [8_000, 0.05, 337, 466],
    [8_000, 0.15, 1_096, 1_306],
    [8_000, 0.5, 3_853, 4_147],
    [8_000, 0.0001, 0, 5],
    [100, 0.5, 34, 66],
  ] as const) {
    it(`is the binomial’s for ${packets} packets at ${share}`, () => {
      assert.deepEqual(lostInterval({ loss: independent(share) }, packets), { low, high });
    });
  }

  it('allows no loss where none is requested, and nothing else where all is', () => {
    assert.deepEqual(lostInterval({}, 8_000), { low: 0, high: 0 });
    assert.deepEqual(lostInterval({ loss: independent(0) }, 8_000), { low: 0, high: 0 });
    assert.deepEqual(lostInterval({ loss: independent(1) }, 8_000), { low: 8_000, high: 8_000 });
  });

  it('is the binomial’s for bursts that are none', () => {
    const alike = lostInterval({ loss: independent(0.02) }, 8_000);
    // The next state does not depend on the present one.
    assert.deepEqual(lostInterval({ loss: burst(0.02, 0.98) }, 8_000), alike);
    assert.deepEqual(lostInterval({ loss: burst(0.3, 0.2, 0.02, 0.02) }, 8_000), alike);
  });

  it('is wider for bursts by what their variance says', () => {
    // NumPy: 100,000 chains of 8,000 packets, p 0.01, r 0.3: quantiles 150 and 392; mean 258.1, standard deviation 36.97.
    // By the autocovariance b(1 − b)(1 − p − r)^k (Hasslinger & Hohlfeld 2008): 36.89. Of the binomial: 15.8.
    const { low, high } = lostInterval({ loss: burst(0.01, 0.3) }, 8_000);
    assert.ok(Math.abs(low - 150) <= 3 && Math.abs(high - 392) <= 5, `${low}–${high}`);
  });

  it('expects less loss of packets that are doubled', () => {
    assert.deepEqual(
      lostInterval({ loss: independent(0.02), duplicateShare: 0.5 }, 8_000),
      lostInterval({ loss: independent(0.01) }, 8_000),
    );
  });
});
