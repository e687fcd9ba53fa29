import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adjustments, invalidKinds, protocolNames, protocols, verdictOutcomes } from '@pronghorn/core/vocabulary';
import * as page from './vocabulary.ts';

test('the page has a name for every correction and every kind of invalid visit', () => {
  assert.deepEqual(Object.keys(page.adjustmentNames), [...adjustments]);
  assert.deepEqual(Object.keys(page.kindNames), [...invalidKinds]);
});

test('the short word of every outcome names who won, and nobody else', () => {
  assert.deepEqual(Object.keys(page.outcomeNames), [...verdictOutcomes]);
  for (const protocol of protocols) assert.equal(page.outcomeNames[`${protocol}-faster`], `${protocolNames[protocol]} faster`);
  assert.doesNotMatch(page.outcomeNames.equivalent + page.outcomeNames.inconclusive, /faster/);
});
