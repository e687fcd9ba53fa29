import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distributionOf } from '@pronghorn/core/campaign';
import { randomSource } from '@pronghorn/core/math';
import { jitterOf } from '../frame/points.ts';
import { firstFrom, nearest, pointCloud, violinWidths } from './rows.ts';

const random = randomSource(3);
const points = Array.from({ length: 4000 }, (_, i) => ({ value: 400 + 60 * (random() + random() + random()), visitId: `visit-${i}` }));
const distribution = distributionOf(points.map(({ value }) => value));

test('a visit stands at the same place each time, and places are spread evenly', () => {
  assert.equal(jitterOf('b7c4'), jitterOf('b7c4'));
  const places = points.map(({ visitId }) => jitterOf(visitId));
  assert.ok(places.every((place) => place >= -1 && place < 1));
  const quarters = [0, 0, 0, 0];
  for (const place of places) quarters[Math.floor((place + 1) * 2)] = (quarters[Math.floor((place + 1) * 2)] ?? 0) + 1;
  for (const count of quarters) assert.ok(Math.abs(count - 1000) < 110, String(quarters));
});

test('points lie within the violin that is drawn around them, in ascending order', () => {
  assert.ok(distribution.violin);
  const cloud = pointCloud(points, distribution.violin, 'linear');
  const { values } = distribution.violin;
  const widths = violinWidths(distribution.violin, 'linear');
  cloud.values.forEach((value, i) => {
    assert.ok(i === 0 || value >= (cloud.values[i - 1] as number));
    assert.equal(cloud.points[i]?.value, value);
    const at = Math.round(((value - (values[0] ?? 0)) / ((values.at(-1) ?? 1) - (values[0] ?? 0))) * (values.length - 1));
    const widest = Math.max(widths[at - 1] ?? 0, widths[at] ?? 0, widths[at + 1] ?? 0);
    assert.ok(Math.abs(cloud.offsets[i] as number) <= widest + 1e-6);
  });
});

test('on a logarithmic axis a violin is that of the logarithms, and values of 0 are left out', () => {
  const violin = { bandwidth: 1, values: [1, 10, 100], densities: [1, 0.1, 0.01] };
  assert.deepEqual(violinWidths(violin, 'log'), [1, 1, 1]);
  assert.deepEqual(violinWidths(violin, 'linear'), [1, 0.1, 0.01]);
  assert.equal(
    pointCloud(
      [
        { value: 0, visitId: 'a' },
        { value: 3, visitId: 'b' },
      ],
      null,
      'log',
    ).values.length,
    1,
  );
});

test('the nearest point is the one a search of all finds, and none is found too far away', () => {
  const cloud = pointCloud(points, null, 'linear');
  const x = (value: number) => (value - 400) * 5;
  for (const [px, dy] of [
    [300, 4],
    [452, -7],
    [610, 0],
  ] as const) {
    const distances = [...cloud.values].map((value, i) => Math.hypot(x(value) - px, (cloud.offsets[i] as number) * 20 - dy));
    const least = Math.min(...distances);
    const from = 400 + (px - 9) / 5;
    assert.ok(least <= 9);
    const index = nearest(cloud, x, from, { px, dy, spread: 20, reach: 9 });
    assert.equal(distances[index ?? -1], least);
  }
  assert.equal(nearest(cloud, x, 0, { px: -50, dy: 0, spread: 20, reach: 9 }), null);
});

test('the first value from a bound on is found, also beyond the ends', () => {
  const values = Float64Array.from([1, 3, 3, 7]);
  assert.deepEqual(
    [0, 1, 2, 3, 7, 8].map((least) => firstFrom(values, least)),
    [0, 0, 1, 1, 3, 4],
  );
});
