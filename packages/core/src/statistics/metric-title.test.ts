import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metricNames } from '../schemas/metrics.ts';
import { metricTitle } from './metric-title.ts';

test('a metric is called as people call it, else by its name', () => {
  assert.equal(metricTitle('speedIndex'), 'SpeedIndex');
  assert.equal(metricTitle('largestContentfulPaint'), 'Largest Contentful Paint');
  assert.equal(metricTitle('onLoad'), 'onLoad');
  assert.equal(new Set(metricNames.map(metricTitle)).size, metricNames.length);
});
