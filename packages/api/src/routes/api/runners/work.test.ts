import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Environment } from '@pronghorn/core/schemas';
import { sampleEnvironment, sampleRegistration, sampleVisit } from '../../../testing/samples.ts';
import { testApi } from '../../../testing/test-api.ts';

test('what a runner completed and lost in the last 24 hours is counted and listed, with the browser of its latest visit', async (t) => {
  const api = await testApi(t);
  const registration = sampleRegistration('runner');
  const { instance } = registration;
  await api.post('/runners', registration);
  const nothing = { roundsDone: 0, roundsLost: 0, browser: null, rounds: [] };
  assert.deepEqual((await api.get('/runners/1/work')).body, { since: '2026-02-28T12:00:00.000Z', ...nothing });
  assert.deepEqual((await api.get('/runners/work')).body.runners, []);

  const campaign = await api.campaign({ protocols: ['h2'], rounds: 3 });
  const done = await api.lease({ instance });
  const environmentId = await storedEnvironment(api);
  await api.upload(done, sampleVisit(done, 0, { environmentId }));
  await api.complete(done);
  api.clock.now += 1000;
  await api.lease({ instance });
  api.clock.now += 61_000; // nobody hears of it: the next who asks gets its round
  const held = await api.lease({ runner: 'another' });
  assert.ok(held.id);

  const { body } = await api.get('/runners/1/work');
  assert.deepEqual([body.roundsDone, body.roundsLost, body.browser], [1, 1, sampleEnvironment('').browser.product]);
  assert.deepEqual(
    body.rounds.map(({ state, campaignId, condition }: Record<string, string>) => [state, campaignId, condition]),
    ['lost', 'completed'].map((state) => [state, campaign.id, 'native']),
  );
  assert.match(body.rounds[0].reason, /./);
  assert.deepEqual((await api.get('/runners/work')).body.runners, [{ runnerId: '1', roundsDone: 1, roundsLost: 1 }]);

  await api.app.commit(() => api.app.database.prepare('UPDATE campaigns SET deletedAt = ?').run('2026-03-01T12:00:00.000Z'));
  const deleted = (await api.get('/runners/1/work')).body;
  assert.deepEqual([deleted.roundsDone, deleted.rounds], [1, []], 'work is counted, and a deleted campaign is not told of');

  api.clock.now += 86_400_000;
  assert.deepEqual((await api.get('/runners/1/work')).body.rounds, []);
  assert.equal((await api.get('/runners/2/work')).status, 404);
});

async function storedEnvironment(api: Awaited<ReturnType<typeof testApi>>): Promise<string> {
  const environment: Environment = sampleEnvironment('e'.repeat(64));
  const { status, body } = await api.put(`/environments/${environment.id}`, environment);
  assert.ok(status < 300, JSON.stringify(body));
  return environment.id;
}
