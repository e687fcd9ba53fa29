import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notNumbers } from '../../text/typed-number.ts';
import { blank, bodyOf, set } from './condition-body.ts';

test('what is undefined is left out, as what does not happen', () => {
  assert.deepEqual(set({ delayMs: 5, rateKbps: 100 }, { rateKbps: undefined }), { delayMs: 5 });
});

test('what the service tells beside a condition is no part of it', () => {
  const nothing = { delayMs: 0, jitterMs: null, lossShare: 0, rateKbps: null, queueBytes: 0 };
  const known = { ...blank, name: 'mine', preset: false, words: 'nothing added', numbers: { rttMs: 0, up: nothing, down: nothing } };
  assert.deepEqual(bodyOf(known), { ...blank, name: 'mine' });
});

test('what is no number is named by its place', () => {
  assert.deepEqual(notNumbers({ ...blank, baseRttMs: 3, up: { jitter: { ms: Number.NaN } } }), ['#/up/jitter/ms']);
});
