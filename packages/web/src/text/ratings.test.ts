import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitWords, ratingOf } from './ratings.ts';

test('a metric is rated by the limits of web.dev, where it has some', () => {
  assert.deepEqual([ratingOf('largestContentfulPaint', 2500), ratingOf('largestContentfulPaint', 2501)], ['good', 'needs improvement']);
  assert.deepEqual([ratingOf('cumulativeLayoutShift', 0.26), ratingOf('onLoad', 1)], ['poor', null]);
  assert.equal(limitWords('ttfb'), 'Good up to 800 ms, poor beyond 1,800 ms (web.dev, Lighthouse)');
  assert.equal(limitWords('cumulativeLayoutShift'), 'Good up to 0.100, poor beyond 0.250 (web.dev, Lighthouse)');
  assert.equal(limitWords('onLoad'), null);
});
