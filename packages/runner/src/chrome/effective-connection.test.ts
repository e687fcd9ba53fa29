import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionNamed } from '@pronghorn/core/network';
import { effectiveConnectionOf } from './effective-connection.ts';

const of = (name: string) => effectiveConnectionOf(conditionNamed(name) ?? assert.fail(name));

test('a page is told the connection that its condition is, by round trip or by rate', () => {
  assert.equal(of('native'), '4g');
  assert.equal(of('latency-200'), '4g');
  assert.equal(of('bandwidth-1'), '4g');
  assert.equal(of('4g'), '4g');
  assert.equal(of('3g'), '3g', '300 ms');
  assert.equal(of('3g-slow'), '3g', '400 ms');
  assert.equal(of('satellite'), '3g', '650 ms');
  assert.equal(of('loss-1.rtt-1400'), '2g');
  assert.equal(effectiveConnectionOf({ name: 'thin', up: {}, down: { rateKbps: 700 } }), '3g', '700 kbit/s at 0 ms');
  assert.equal(effectiveConnectionOf({ name: 'thinner', up: {}, down: { rateKbps: 50 } }), 'slow-2g');
});
