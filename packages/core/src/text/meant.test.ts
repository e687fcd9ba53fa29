import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metricNames, transactionMetricNames } from '../vocabulary/metric.ts';
import { metricMeant, metricNamed, nameMeant } from './meant.ts';

test('a metric is known by its name in any case, and by its initials', () => {
  const known = { LCP: 'largestContentfulPaint', fcp: 'firstContentfulPaint', tbt: 'totalBlockingTime', CLS: 'cumulativeLayoutShift' };
  for (const [text, name] of Object.entries(known)) assert.equal(metricNamed(text), name);
  assert.deepEqual([metricNamed('TTFB'), metricNamed('onload'), metricNamed('SpeedIndex')], ['ttfb', 'onLoad', 'speedIndex']);
  for (const name of metricNames) assert.equal(metricNamed(name), name);
  assert.deepEqual(
    [metricNamed('lc'), metricNamed('paint'), metricNamed('onLaod'), metricNamed('')],
    [undefined, undefined, undefined, undefined],
  );
  assert.equal(metricNamed('lcp', transactionMetricNames), undefined);
});

test('a misspelt metric is one only where no other can be meant', () => {
  assert.deepEqual(
    [metricMeant('onLaod'), metricMeant('speed-index'), metricMeant('L-C-P')],
    ['onLoad', 'speedIndex', 'largestContentfulPaint'],
  );
  assert.deepEqual([metricMeant('paint'), metricMeant('frobnication'), metricMeant('')], [undefined, undefined, undefined]);
});

test('a name is meant in another case, without its marks, or with one slip', () => {
  const names = ['4g', '3g', '3g-fast', 'latency-50', 'latency-100', 'loss-1'];
  const meant = (text: string) => nameMeant(text, names);
  assert.deepEqual(
    [meant('4G'), meant('latency100'), meant('LATENCY_100'), meant('latncy-100')],
    ['4g', 'latency-100', 'latency-100', 'latency-100'],
  );
  assert.deepEqual([meant('5g'), meant('g'), meant(''), meant('nowhere')], [undefined, undefined, undefined, undefined]);
});
