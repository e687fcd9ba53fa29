import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notNumbers } from '../../text/typed-number.ts';
import { changed } from '../forms/fields.ts';
import { blank, bodyOf, isFound, numberWords } from './condition-form.ts';

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

test('what both directions have alike is said once, what one has with its direction, and what is not there not at all', () => {
  assert.deepEqual(
    numberWords({
      rttMs: 170,
      up: { ...nothing, lossShare: 0.02, rateKbps: 768 },
      down: { ...nothing, lossShare: 0.02, rateKbps: 1600, jitterMs: 12 },
    }),
    [
      { label: 'RTT', text: '+170 ms' },
      { label: 'Rate', text: '1.6 Mbit/s down, 768 kbit/s up' },
      { label: 'Loss', text: '2 % each way' },
      { label: 'Jitter', text: '±12 ms down' },
    ],
  );
  assert.deepEqual(numberWords({ rttMs: 0, up: nothing, down: nothing }), []);
});

test('a search finds what has all of its words somewhere', () => {
  assert.equal(isFound('loss 20', 'loss-2', 'base RTT 20 ms'), true);
  assert.equal(isFound('', 'loss-2'), true);
  assert.equal(isFound('loss lte', 'loss-2', undefined), false);
});
