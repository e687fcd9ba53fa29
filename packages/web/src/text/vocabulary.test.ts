import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adjustments, metricNamesOf, verdictOutcomes } from '@pronghorn/core/schemas';
import { engines, invalidKinds, protocolNames, protocols } from '@pronghorn/core/vocabulary';
import * as page from './vocabulary.ts';

test('the page has a name for every correction and every kind of invalid visit', () => {
  assert.deepEqual(Object.keys(page.adjustmentNames), [...adjustments]);
  assert.deepEqual(Object.keys(page.kindNames), [...invalidKinds]);
});

test('the page offers the metrics that a campaign’s visits measure', () => {
  for (const engine of engines) assert.deepEqual(page.metricsIn({ engine }).toSorted(), metricNamesOf({ engine }).toSorted(), engine);
});

test('the short word of every outcome names who won, and nobody else', () => {
  assert.deepEqual(Object.keys(page.outcomeNames), [...verdictOutcomes]);
  for (const protocol of protocols) assert.equal(page.outcomeNames[`${protocol}-faster`], `${protocolNames[protocol]} faster`);
  assert.doesNotMatch(page.outcomeNames.equivalent + page.outcomeNames.inconclusive, /faster/);
});
