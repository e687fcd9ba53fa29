import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Comparison, Summary } from '@pronghorn/core/schemas';
import { missingDelta } from './cells.ts';
import { failureTitle, withoutNumber } from './statistics.ts';

const censored = { censored: { count: 3, atLeastMs: 60_000, words: '' } } as Summary;

test('a quantile among visits that failed is at least their time limit', () => {
  assert.equal(withoutNumber('p90', censored), '≥ 60 s');
  assert.equal(withoutNumber('mean', censored), '–', 'nobody knows how long they would have taken');
  assert.equal(withoutNumber('p90', { censored: null } as Summary), '–');
  assert.equal(withoutNumber('median', undefined), '–');
});

test('a count of failures comes with its share and the interval of that', () => {
  const rate = { failed: 3, loads: 20, share: 0.15, low: 0.032, high: 0.379 };
  assert.equal(failureTitle(rate), '3 of 20 visits failed: 15 %, exact 95 % interval 3.2 % to 38 %');
  assert.equal(failureTitle({ failed: 0, loads: 0, share: null, low: null, high: null }), 'No visit counts yet.');
});

test('a delta that loads took away is told with these, one that waits for rounds is not', () => {
  const failures = (candidate: number) => ({ candidate, baseline: 0, words: 'HTTP/3 failed in 11.' }) as Comparison['failures'];
  assert.equal(missingDelta({ delta: null, failures: failures(11) }), 'HTTP/3 failed in 11.');
  assert.equal(missingDelta({ delta: null, failures: failures(0) }), null);
  assert.equal(missingDelta({ delta: { value: 0.1, low: null, high: null }, failures: failures(1) }), null);
});
