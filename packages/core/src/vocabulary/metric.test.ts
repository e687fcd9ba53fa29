import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageMetrics, TransactionMetrics } from '../schemas/metrics.ts';
import { metricNameIn, metricNames, metrics, metricTitle, pageMetricNames, transactionMetricNames } from './metric.ts';

test('a metric is called as people call it, else by its name', () => {
  assert.equal(metricTitle('speedIndex'), 'SpeedIndex');
  assert.equal(metricTitle('speedIndex', { engine: 'browsertime' }), 'SpeedIndex from video');
  assert.equal(metricTitle('onLoad', { engine: 'browsertime' }), 'onLoad');
  assert.equal(metricTitle('largestContentfulPaint'), 'Largest Contentful Paint');
  assert.equal(metricTitle('onLoad'), 'onLoad');
  assert.equal(new Set(metricNames.map((metric) => metricTitle(metric))).size, metricNames.length);
});

test('every metric has a name and a unit', () => {
  assert.deepEqual(Object.keys(metrics), metricNames);
});

test('what visits measure has the schemas’ names, in their order', () => {
  assert.deepEqual(Object.keys(PageMetrics.properties), [...pageMetricNames]);
  assert.deepEqual(Object.keys(TransactionMetrics.properties), [...transactionMetricNames]);
});

test('SpeedIndex of a video is called so at the head of a table too', () => {
  assert.equal(metricNameIn({ engine: 'browsertime' }, 'speedIndex'), 'SpeedIndex from video');
  assert.equal(metricNameIn({ engine: 'browsertime' }, 'onLoad'), 'onLoad');
});
