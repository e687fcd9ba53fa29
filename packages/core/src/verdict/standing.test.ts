import assert from 'node:assert/strict';
import { test } from 'node:test';
import { levelOf, standingNights } from './standing.ts';

const step = { before: 1000, level: 1310, threshold: 0.1 };
const series = (...medians: number[]) => medians.map((median, campaignId) => ({ campaignId, median, failing: false }));
const standing = (...medians: number[]) => {
  const { worse, isBack } = standingNights(series(...medians), step);
  return [worse.map(({ campaignId }) => campaignId), isBack];
};

test('a step stands until two nights in a row are fine: one is none, and no part of its level', () => {
  assert.deepEqual(standing(1310, 1290), [[0, 1], false]);
  assert.deepEqual(standing(1310, 1290, 1000), [[0, 1], false]);
  assert.deepEqual(standing(1310, 1290, 1000, 1320, 1000, 1300), [[0, 1, 3, 5], false]);
  assert.deepEqual(standing(1310, 1290, 1000, 1010), [[], true]);
});

test('it is back after two in a row that are as much above as matters, from the first of them on', () => {
  assert.deepEqual(standing(1310, 1290, 1000, 1010, 1320), [[], true]);
  assert.deepEqual(standing(1310, 1290, 1000, 1010, 1320, 1300), [[4, 5], true]);
});

test('fine is what lost half of the step, however small that is', () => {
  const small = { before: 1000, level: 1120, threshold: 0.1 };
  assert.equal(standingNights(series(1120, 1120, 1070, 1070), small).worse.length, 4);
  assert.equal(standingNights(series(1120, 1120, 1050, 1050), small).worse.length, 0);
  assert.equal(standingNights(series(1120, 1120, 1050, 1050, 1070, 1070), small).worse.length, 0, 'back is what matters');
});

test('the level is one that was measured: a wild night does not move it, and one of failed loads is none', () => {
  assert.deepEqual(levelOf(series(1310, 1320)), { level: 1315, failing: false });
  assert.deepEqual(levelOf(series(1200, 1310, 1320, 2600)), { level: 1320, failing: false });
  const failing = [...series(1310), { campaignId: 1, median: 300_000, failing: true }, { campaignId: 2, median: 300_000, failing: true }];
  assert.deepEqual(levelOf(failing), { level: 300_000, failing: true });
  assert.deepEqual(levelOf([...series(1310, 1320), ...failing.slice(1, 2)]), { level: 1320, failing: false });
});
