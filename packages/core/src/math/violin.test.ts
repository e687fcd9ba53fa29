import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describedSamples, within } from '../../fixtures/statistics/oracles.ts';
import { violin } from './distribution.ts';

test('bandwidth and densities are those of R’s bw.nrd0 and dnorm', () => {
  for (const { kind, values, r } of describedSamples) {
    const drawn = violin(values, 9);
    const what = `${kind}, n = ${values.length}`;
    assert.equal(drawn === null, r.violin === null, what);
    if (drawn === null || r.violin === null) continue;
    assert.ok(within(drawn.bandwidth, r.violin.bandwidth), what);
    for (const [i, density] of drawn.densities.entries()) assert.ok(within(density, r.violin.densities[i] as number), what);
  }
});

test('the grid goes from the smallest to the largest value, and the area over it is 1', () => {
  for (const { kind, values } of describedSamples) {
    const drawn = violin(values);
    if (drawn === null) continue;
    assert.deepEqual([drawn.values[0], drawn.values.at(-1)], [Math.min(...values), Math.max(...values)], kind);
    const area = drawn.densities
      .slice(1)
      .reduce(
        (sum, d, i) => sum + ((d + (drawn.densities[i] as number)) / 2) * ((drawn.values[i + 1] as number) - (drawn.values[i] as number)),
        0,
      );
    assert.ok(within(area, 1), `${kind}: area ${area}`);
    assert.ok(
      drawn.densities.every((density) => density >= 0 && Number.isFinite(density)),
      kind,
    );
  }
});

test('the grid is fine enough for the bandwidth, within its limits', () => {
  const narrowWithStraggler = [...Array.from({ length: 30 }, (_, i) => 300 + (i % 7)), 500];
  const drawn = violin(narrowWithStraggler);
  const step = (drawn?.values[1] ?? 0) - (drawn?.values[0] ?? 0);
  assert.ok(drawn !== null && step <= drawn.bandwidth / 1.9, `step ${step}`);
  assert.equal(violin([1, 2, 3])?.values.length, 64);
  assert.equal(violin([...Array.from({ length: 30 }, (_, i) => i % 7), 1e6])?.values.length, 512);
});

test('where more than half of the values are equal, the standard deviation gives the bandwidth', () => {
  const drawn = violin([5, 5, 5, 5, 5, 5, 5, 9]);
  assert.ok(within(drawn?.bandwidth ?? 0, 0.9 * Math.SQRT2 * 8 ** -0.2));
});

test('one value and a constant have no density', () => {
  assert.equal(violin([4]), null);
  assert.equal(violin([4, 4, 4]), null);
});

test('an empty sample, a value that is not finite and a grid without two points are refused', () => {
  assert.throws(() => violin([]), RangeError);
  assert.throws(() => violin([1, Number.NaN]), RangeError);
  assert.throws(() => violin([1, 2], 1), { name: 'RangeError', message: 'violin: points is 1, expected an integer of at least 2' });
});
