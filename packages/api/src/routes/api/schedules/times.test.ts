import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApi } from '../../../testing/test-api.ts';

const times = (cron: string, timeZone?: string) =>
  `/schedules/times?${new URLSearchParams({ cron, ...(timeZone === undefined ? {} : { timeZone }) })}`;

test('an expression that is being typed is told when it would be due, in its zone', async (t) => {
  const api = await testApi(t);
  const nights = ['02', '03', '04', '05', '06'];
  assert.deepEqual((await api.get(times('30 2 * * *', 'Europe/Berlin'))).body, {
    times: nights.map((day) => `2026-03-${day}T01:30:00.000Z`),
    problems: [],
  });
  assert.deepEqual((await api.get(times('30 2 * * *'))).body.times[0], '2026-03-02T02:30:00.000Z');
  assert.equal((await api.get(times('0 0 29 2 *'))).body.times.length, 5);
});

test('why it could not be stored is said of its place: it is still being typed, so that this is no refusal', async (t) => {
  const api = await testApi(t);
  for (const [cron, zone, pointer, words] of [
    ['every night', 'UTC', '#/cron', /no cron expression/],
    ['* * * * *', 'UTC', '#/cron', /at least 5 min between two starts/],
    ['0 0 31 2 *', 'UTC', '#/cron', /never due again/],
    ['30 2 * * *', '+01:00', '#/timeZone', /no time zone/],
  ] as const) {
    const { status, body } = await api.get(times(cron, zone));
    assert.deepEqual([status, body.times, body.problems[0].pointer], [200, [], pointer]);
    assert.match(body.problems[0].detail, words);
  }
});
