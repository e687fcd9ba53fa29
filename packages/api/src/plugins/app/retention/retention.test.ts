import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { problemType } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { abandonedMs, dayMs } from '../../../tables/retention-repository.ts';
import { invalidOutcome, sampleResource, sampleVisit } from '../../../testing/samples.ts';
import { type TestApi, testApi } from '../../../testing/test-api.ts';
import { claimJob, removeOld } from './retention.ts';

/** Makes a campaign of a few visits with evidence. @returns their ids */
async function measured(api: TestApi, url: string, rounds = 2): Promise<string[]> {
  const { id: campaignId } = await api.campaign({ sites: [{ url }], protocols: ['h2'], rounds });
  const ids: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const lease = await api.lease({ campaignId });
    const visit = sampleVisit(lease, 0, { resources: [sampleResource(0, { url }), sampleResource(1, { url: `${url}${round}` })] });
    await api.upload(lease, visit);
    const headers = { 'content-type': 'application/gzip' };
    await api.app.inject({ method: 'PUT', url: `/api/v1/visits/${visit.id}/evidence`, payload: gzipSync('{}'), headers });
    await api.complete(lease);
    ids.push(visit.id);
  }
  return ids;
}
/** In tests that are about something else. */
const believed = { doubt: async () => null };
const policy = { resourcesDays: 30, evidenceDays: 7, logDays: 30 };
const texts = (api: TestApi) => api.app.database.prepare<[], { value: string }>('SELECT value FROM strings').all();

test('resources and evidence go when they are old; the visit with its metrics and the results stay', proves('upkeep'), async (t) => {
  const api = await testApi(t);
  const [old = ''] = await measured(api, 'https://old.example/');
  const before = (await api.get('/campaigns/1/results')).body;
  api.clock.now += 10 * dayMs;
  const [young = ''] = await measured(api, 'https://young.example/');
  assert.deepEqual(await api.app.retention.preview(policy), { resources: 0, evidence: 2, logLines: 0 });
  await api.app.retention.run(policy);
  assert.equal((await api.get(`/visits/${old}/evidence`)).status, 410);
  assert.equal((await api.get(`/visits/${old}/filmstrip`)).body.missing, 'removed');
  assert.equal((await api.get(`/visits/${old}/resources`)).status, 200);
  assert.equal((await api.get(`/visits/${old}`)).body.resourcesRemoved, false);

  api.clock.now += 25 * dayMs;
  assert.deepEqual(await api.app.retention.preview(policy), { resources: 2, evidence: 2, logLines: 3 });
  const { longestStepMs: _, mended: __, ...removed } = await api.app.retention.run(policy);
  assert.deepEqual(removed, { resources: 2, evidence: 2, logLines: 3 });
  for (const what of ['resources', 'har']) {
    const { status, body } = await api.get(`/visits/${old}/${what}`);
    assert.deepEqual([status, body.type], [410, problemType('contents-removed')]);
    assert.match(body.detail, /are not kept so long \(retention\.resourcesDays\)\. Its metrics stay\./);
  }
  const { outcome, resourcesRemoved } = (await api.get(`/visits/${old}`)).body;
  assert.deepEqual([outcome.verdict, resourcesRemoved], ['valid', true]);
  assert.deepEqual((await api.get('/campaigns/1/results')).body, before);
  assert.equal((await api.get(`/visits/${young}/resources`)).body.length, 2);
  assert.deepEqual(await api.app.retention.preview(policy), { resources: 0, evidence: 0, logLines: 0 });
});

test('a visit that never had resources is not taken for one whose were removed, nor is a young one', async (t) => {
  const api = await testApi(t);
  await measured(api, 'https://old.example/');
  api.clock.now += 31 * dayMs;
  await api.campaign({ protocols: ['h2'] });
  const lease = await api.lease();
  const visit = sampleVisit(lease, 0, invalidOutcome('dns-error'));
  await api.upload(lease, visit);
  await api.app.retention.run(policy);
  assert.deepEqual((await api.get(`/visits/${visit.id}/resources`)).body, []);
  assert.equal((await api.get(`/visits/${visit.id}/evidence`)).status, 404);
});

test('texts that only removed resources had go with them', async (t) => {
  const api = await testApi(t);
  await measured(api, 'https://old.example/');
  api.clock.now += 31 * dayMs;
  await measured(api, 'https://young.example/');
  await api.app.retention.run(policy);
  const urls = texts(api)
    .map(({ value }) => value)
    .filter((value) => value.startsWith('https://'));
  assert.ok(urls.includes('https://young.example/'));
  // What several visits share may be kept for some thousands of visits more.
  assert.ok(!urls.some((url) => /^https:\/\/old\.example\/\d/.test(url)), urls.join());
});

test('retention that is stopped half-way goes on where it was', async (t) => {
  const api = await testApi(t);
  const ids = await measured(api, 'https://old.example/', 60);
  api.clock.now += 31 * dayMs;
  const stop = new AbortController();
  const { resources } = api.app.tables;
  const { deleteThrough } = resources;
  t.mock.method(resources, 'deleteThrough', (seq: number, atMost: number) => {
    stop.abort();
    return deleteThrough(seq, atMost);
  });
  const first = await api.app.retention.run(policy, stop.signal);
  assert.ok(first.resources > 0 && first.resources < 60, String(first.resources));
  assert.equal((await api.get(`/visits/${ids.at(-1)}/resources`)).status, 200);
  const second = await api.app.retention.run(policy);
  assert.equal(first.resources + second.resources, 60);
  const files = readdirSync(join(api.folder, 'evidence'), { recursive: true, withFileTypes: true });
  assert.deepEqual(
    files.filter((entry) => entry.isFile()),
    [],
  );
});

test('null keeps for ever', async (t) => {
  const api = await testApi(t);
  const [id] = await measured(api, 'https://old.example/');
  api.clock.now += 4_000 * dayMs;
  const {
    longestStepMs: _,
    mended: __,
    ...removed
  } = await api.app.retention.run({ resourcesDays: null, evidenceDays: null, logDays: null });
  assert.deepEqual(removed, { resources: 0, evidence: 0, logLines: 0 });
  assert.equal((await api.get(`/visits/${id}/resources`)).status, 200);
});

test('retention that is cut off goes on with the next look, by whichever process; done to its end it rests for a day', async (t) => {
  const api = await testApi(t);
  await measured(api, 'https://old.example/', 60);
  api.clock.now += 31 * dayMs;
  const { retention, store, log } = api.app;
  const { resources } = api.app.tables;
  const parts = { retention, store: { ...store, clock: { ...store.clock, ...believed } }, now: () => api.clock.now, log };
  const left = async () => (await retention.preview(policy)).resources;
  const { deleteThrough } = resources;
  const stop = new AbortController();
  const cutting = t.mock.method(resources, 'deleteThrough', (seq: number, atMost: number) => {
    stop.abort();
    return deleteThrough(seq, atMost);
  });
  await removeOld(parts, policy, stop.signal);
  assert.ok((await left()) > 0 && (await left()) < 60);
  cutting.mock.mockImplementation(() => {
    throw new Error('The disk is gone.');
  });
  await assert.rejects(removeOld(parts, policy, new AbortController().signal), /The disk is gone/);
  cutting.mock.restore();

  const end = api.clock.now;
  await removeOld(parts, policy, new AbortController().signal);
  assert.equal(await left(), 0);
  assert.equal(await store.retention.jobDueAt('retention', end), end + dayMs);
});

test('of several processes on one database one removes, once a day; another goes on when it was killed at it', async (t) => {
  const api = await testApi(t);
  const { store } = api.app;
  const claim = (now: number) => claimJob(store, 'retention', now);
  const start = api.clock.now;
  const first = (await claim(start)) ?? assert.fail();
  assert.equal(await claim(start), undefined);
  assert.equal(await first.extend(start + abandonedMs), true);
  const killed = start + 2 * abandonedMs;
  assert.equal(await store.retention.jobDueAt('retention', killed), killed);
  assert.equal(await claim(killed - 1), undefined);
  const second = (await claim(killed)) ?? assert.fail();
  await second.finish();
  assert.equal(await claim(killed + dayMs - 1), undefined);
  assert.notEqual(await claim(killed + dayMs), undefined);
});

test('who was held up until another process took over changes nothing of its claim, and removes no more', async (t) => {
  const api = await testApi(t);
  await measured(api, 'https://old.example/', 60);
  api.clock.now += 31 * dayMs;
  const { retention, store, log } = api.app;
  const { resources } = api.app.tables;
  const parts = { retention, store: { ...store, clock: { ...store.clock, ...believed } }, now: () => api.clock.now, log };
  const { deleteThrough } = resources;
  let other: ReturnType<typeof claimJob> | undefined;
  const holding = t.mock.method(resources, 'deleteThrough', (seq: number, atMost: number) => {
    api.clock.now += abandonedMs;
    const { now } = api.clock;
    other ??= nextTurn().then(() => claimJob(store, 'retention', now)); // after the step's own transaction
    return deleteThrough(seq, atMost);
  });
  const taken = api.clock.now + abandonedMs;
  await removeOld(parts, policy, new AbortController().signal);
  assert.equal(holding.mock.callCount(), 1);
  assert.equal(await store.retention.jobDueAt('retention', api.clock.now), taken + abandonedMs);
  await (await other)?.finish();
  assert.equal(await store.retention.jobDueAt('retention', api.clock.now), taken + dayMs);
});
