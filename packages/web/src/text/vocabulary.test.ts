import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as schemas from '@pronghorn/core/schemas';
import { runViewWords } from '@pronghorn/core/text';
import * as vocabulary from '@pronghorn/core/vocabulary';
import { usualEvents } from '../parts/settings/notification-events.ts';
import * as page from './vocabulary.ts';

const core = { ...schemas, ...vocabulary, runViewWords };

test('the page says of an invalid visit what core says', () => {
  assert.deepEqual(page.invalidReasons, core.invalidReasons);
});

test('the page says of a failed request what core says', () => {
  assert.deepEqual(page.requestErrors, core.requestErrors);
});

test('the page takes a failed load for what core takes it', () => {
  assert.deepEqual(
    page.invalidKinds,
    Object.fromEntries(Object.keys(core.invalidReasons).map((reason) => [reason, core.kindOf(reason as vocabulary.InvalidReason)])),
  );
  assert.deepEqual(Object.keys(page.kindNames), [...core.invalidKinds]);
});

test('the page has a name for every metric, protocol and state', () => {
  assert.deepEqual(Object.keys(page.metricNames), core.metricNames);
  assert.deepEqual(Object.keys(page.protocolNames), [...core.protocols]);
  assert.deepEqual(Object.keys(page.stateNames), [...core.campaignStates]);
  assert.deepEqual(Object.keys(page.adjustmentNames), [...core.adjustments]);
});

test('the page says of the views of runs what core says', () => {
  assert.deepEqual(page.runViewWords, core.runViewWords);
});

test('SpeedIndex of a video is called so, as core calls it', () => {
  for (const engine of core.engines)
    assert.equal(page.metricNameIn({ engine }, 'speedIndex'), core.metricTitle('speedIndex', { engine }), engine);
  assert.equal(page.metricNameIn({ engine: 'browsertime' }, 'onLoad'), 'onLoad');
});

test('the short word of every outcome names who won, and nobody else', () => {
  assert.deepEqual(Object.keys(page.outcomeNames), [...core.verdictOutcomes]);
  for (const protocol of core.protocols) assert.equal(page.outcomeNames[`${protocol}-faster`], `${page.protocolNames[protocol]} faster`);
  assert.doesNotMatch(page.outcomeNames.equivalent + page.outcomeNames.inconclusive, /faster/);
});

test('a protocol on the wire is told by its ALPN identifier', () => {
  for (const protocol of core.protocols) assert.equal(page.protocolOf(core.alpnOf[protocol]), protocol);
  assert.deepEqual([null, 'http/1.0', 'data'].map(page.protocolOf), ['other', 'other', 'other']);
});

test('a new target is told of what core tells it by default', () => {
  assert.deepEqual(usualEvents, core.usualEvents);
});
