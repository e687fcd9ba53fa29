import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageMetricNames, transactionMetricNames } from '../schemas/metrics.ts';
import { metricNames } from './metric-names.ts';
import { metricTitle } from './metric-title.ts';

test('a metric is called as people call it, else by its name', () => {
  assert.equal(metricTitle('speedIndex'), 'SpeedIndex');
  assert.equal(metricTitle('speedIndex', { engine: 'browsertime' }), 'SpeedIndex from video');
  assert.equal(metricTitle('onLoad', { engine: 'browsertime' }), 'onLoad');
  assert.equal(metricTitle('largestContentfulPaint'), 'Largest Contentful Paint');
  assert.equal(metricTitle('onLoad'), 'onLoad');
  assert.equal(new Set(metricNames.map((metric) => metricTitle(metric))).size, metricNames.length);
});

test('the list of metrics is that of the schemas, in their order', () => {
  assert.deepEqual(metricNames, [...new Set([...pageMetricNames, ...transactionMetricNames])]);
});
