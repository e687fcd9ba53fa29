import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notNumbers } from '../../text/typed-number.ts';
import { changed } from '../forms/fields.ts';
import { blank, bodyOf, isFound } from './condition-form.ts';

const nothing = { delayMs: 0, jitterMs: null, lossShare: 0, rateKbps: null, queueBytes: 0 };

test('what is undefined is left out, as what does not happen', () => {
  assert.deepEqual(changed<{ delayMs: number; rateKbps?: number }>({ delayMs: 5, rateKbps: 100 }, { rateKbps: undefined }), { delayMs: 5 });
});

test('what the service tells beside a condition is no part of it', () => {
  const known = { ...blank, name: 'mine', preset: false, words: 'nothing added', numbers: { rttMs: 0, up: nothing, down: nothing } };
  assert.deepEqual(bodyOf(known), { ...blank, name: 'mine' });
});

test('what is no number is named by its place', () => {
  assert.deepEqual(notNumbers({ ...blank, baseRttMs: 3, up: { jitter: { ms: Number.NaN } } }), ['#/up/jitter/ms']);
});

test('a search finds what has all of its words somewhere', () => {
  assert.equal(isFound('loss 20', 'loss-2', 'base RTT 20 ms'), true);
  assert.equal(isFound('', 'loss-2'), true);
  assert.equal(isFound('loss lte', 'loss-2', undefined), false);
});
