import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressWords, roundsInAll } from './progress.ts';

const campaign = (state: 'running' | 'done', maximumRounds: number | null) => ({
  state,
  progress: { rounds: 24, roundsDone: 12, visitsValid: 0, visitsInvalid: 0 },
  sites: [{}],
  spec: {
    conditions: [
      { name: 'a', up: {}, down: {} },
      { name: 'b', up: {}, down: {} },
    ],
    views: ['cold' as const],
    maximumRounds,
  },
});

test('progress is told in rounds, and of a campaign until settled against the most that it may take', () => {
  assert.equal(progressWords(campaign('running', null)), '12 of 24 rounds');
  assert.equal(progressWords(campaign('running', 30)), '12 of at most 60 rounds, until settled');
  assert.equal(progressWords(campaign('done', 30)), '12 of at most 60 rounds');
});

test('the bar is full when a campaign is over, however few rounds it took', () => {
  assert.deepEqual(
    [roundsInAll(campaign('running', null)), roundsInAll(campaign('running', 30)), roundsInAll(campaign('done', 30))],
    [24, 60, 24],
  );
});
