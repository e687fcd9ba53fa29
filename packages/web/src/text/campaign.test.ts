import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CampaignQueue } from '@pronghorn/core/schemas';
import { progressWords, queueWords, roundsInAll } from './campaign.ts';

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

const now = Date.parse('2026-03-01T12:00:00Z');
const queue: CampaignQueue = {
  roundsLeft: 20,
  position: 0,
  roundsAhead: 0,
  roundMs: 4200,
  runnersAble: 1,
  eta: '2026-03-01T12:03:10Z',
  why: null,
};

test('while rounds are performed it is told when the last one will be done, and at which pace', () => {
  assert.deepEqual(queueWords(queue, now), { eta: 'Done in about 3 min, at 4 s a round.', waits: null });
  assert.equal(queueWords({ ...queue, runnersAble: 2 }, now).eta, 'Done in about 3 min, at 4 s a round on 2 runners.');
  assert.equal(queueWords({ ...queue, eta: '2026-03-01T11:59:00Z', roundMs: null }, now).eta, 'Done in a moment.');
});

test('what others have before it is told', () => {
  assert.equal(queueWords({ ...queue, position: 1, roundsAhead: 9 }, now).waits, '1 round of other campaigns goes before its next one.');
  assert.equal(queueWords({ ...queue, roundsAhead: 9 }, now).waits, '9 rounds of other campaigns are performed in between.');
});

test('where nothing happens the service says why', () => {
  const why = 'No runner at location Tokyo is alive.';
  assert.deepEqual(queueWords({ ...queue, eta: null, why }, now), { eta: null, waits: why });
});
