import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { GateAnswer } from '@pronghorn/core/schemas';
import { sampleMetrics, sampleVisit } from '../../../testing/samples.ts';
import { type TestApi, testApi, testFolder } from '../../../testing/test-api.ts';

const budget = { assertions: ['onLoad p75 h3 <= 1 s'] };

/** A campaign with a question that waits for it. */
async function asked(api: TestApi): Promise<GateAnswer> {
  const campaign = { sites: [{ url: 'https://site.example/' }], protocols: ['h3'], rounds: 12 };
  const { status, body } = await api.post('/gates/check', { campaign, ...budget });
  assert.deepEqual([status, body.outcome], [202, null]);
  return body;
}

async function performOne(api: TestApi): Promise<boolean> {
  const { status, body: lease } = await api.post('/leases', { runner: 'runner' });
  if (status === 204) return false;
  const outcome = { verdict: 'valid', metrics: sampleMetrics({ onLoad: 500 }) } as const;
  for (const slot of lease.round.order)
    await api.upload(lease, sampleVisit(lease, slot, { outcome, link: { refused: [], receiveDrops: 0 } }));
  await api.complete(lease);
  return true;
}

const answerOf = async (api: TestApi, { id, campaignId }: GateAnswer): Promise<GateAnswer> =>
  (await api.get(`/campaigns/${campaignId}/gates/${id}`)).body;

test('a question ends when its campaign is cancelled: inconclusive, with why and what to do', async (t) => {
  const api = await testApi(t);
  const question = await asked(api);
  await performOne(api);
  await api.post(`/campaigns/${question.campaignId}/cancel`);
  await api.app.gates.tick();
  const { outcome, checkedAt, result } = await answerOf(api, question);
  assert.deepEqual([outcome, checkedAt, result?.state], ['inconclusive', '2026-03-01T12:00:00.000Z', 'cancelled']);
  assert.equal(
    result?.words,
    'Campaign 1 was cancelled before all of its rounds were done, so nothing is decided. Resume it, and the gate is checked again when it is done; or check a new campaign.',
  );
  const reasons = [{ reason: 'unfinished', words: 'The campaign is cancelled: not all of its rounds are done.' }];
  assert.deepEqual(
    result?.checks.map((check) => [check.value, check.reasons]),
    [[500, reasons]],
    'with what was measured until then',
  );
});

test('it ends by itself, also when another process cancels', { timeout: 60_000 }, async (t) => {
  const database = join(testFolder(t), 'pronghorn.db');
  const [here, there] = [await testApi(t, { database }), await testApi(t, { database })];
  const question = await asked(here);
  await there.post(`/campaigns/${question.campaignId}/cancel`);
  while ((await answerOf(here, question)).outcome === null) await new Promise((resolve) => setImmediate(resolve));
  assert.equal((await answerOf(here, question)).outcome, 'inconclusive');
});

test('who asks of a campaign that was cancelled before is answered at once', async (t) => {
  const api = await testApi(t);
  const { id: campaignId } = await api.campaign({ protocols: ['h3'] });
  await api.post(`/campaigns/${campaignId}/cancel`);
  const { status, body } = await api.post('/gates/check', { campaignId, ...budget });
  assert.deepEqual([status, body.outcome, body.result.state], [200, 'inconclusive', 'cancelled']);
});

test('of a campaign that is resumed the gate is asked again', async (t) => {
  const api = await testApi(t);
  const question = await asked(api);
  await api.post(`/campaigns/${question.campaignId}/cancel`);
  await api.app.gates.tick();
  await api.post(`/campaigns/${question.campaignId}/resume`);
  assert.deepEqual(await answerOf(api, question), question);
  while (await performOne(api));
  await api.app.gates.tick();
  const { id, outcome, result } = await answerOf(api, question);
  assert.deepEqual([id, outcome, result?.state], [question.id, 'pass', 'done']);
});

test('what was found of a cancelled campaign is not stored when that is resumed meanwhile', async (t) => {
  const api = await testApi(t);
  const question = await asked(api);
  await api.post(`/campaigns/${question.campaignId}/cancel`);
  const { gate } = api.app.results;
  api.app.results.gate = async (...given) => {
    const result = await gate(...given);
    await api.post(`/campaigns/${question.campaignId}/resume`);
    return result;
  };
  await api.app.gates.tick();
  assert.equal((await answerOf(api, question)).outcome, null);
});

test('a question goes with the campaign that is deleted', async (t) => {
  const api = await testApi(t);
  const question = await asked(api);
  await api.post(`/campaigns/${question.campaignId}/cancel`);
  assert.equal((await api.delete(`/campaigns/${question.campaignId}`)).status, 204);
  await api.app.gates.tick();
  assert.equal((await api.get(`/campaigns/${question.campaignId}/gates`)).status, 404);
  assert.deepEqual(await api.app.store.gates.answerable(), []);
});

test('an answer is found under its own campaign alone', async (t) => {
  const api = await testApi(t);
  const { id } = await asked(api);
  await asked(api);
  assert.equal((await api.get(`/campaigns/1/gates/${id}`)).status, 200);
  for (const path of [`/campaigns/2/gates/${id}`, '/campaigns/1/gates/99', '/campaigns/1/gates/x', `/campaigns/9/gates/${id}`])
    assert.equal((await api.get(path)).status, 404, path);
});
