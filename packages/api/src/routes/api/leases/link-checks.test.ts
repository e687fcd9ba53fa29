import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type CampaignResults, type LinkCheck, problemType, type Round } from '@pronghorn/core/schemas';
import { sampleLinkCheck, sampleVisit } from '../../../testing/samples.ts';
import { type TestApi, testApi } from '../../../testing/test-api.ts';

const put = (api: TestApi, lease: { id: string }, check: LinkCheck) => api.put(`/leases/${lease.id}/link-checks/${check.id}`, check);
const roundNow = async (api: TestApi): Promise<Round> => (await api.get('/campaigns/1/rounds')).body.items[0];

async function leased(t: Parameters<typeof testApi>[0]) {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'], conditions: ['latency-50'] });
  return { api, lease: await api.lease() };
}

test('a link check is stored with its round once, however often it is sent', async (t) => {
  const { api, lease } = await leased(t);
  assert.equal((await roundNow(api)).linkCheckId, null);
  const check = sampleLinkCheck(lease);
  const first = await put(api, lease, check);
  assert.deepEqual([first.status, first.body], [201, { ...check, campaignId: '1', roundId: lease.round.id, attempt: 1 }]);
  assert.equal((await put(api, lease, check)).status, 200);
  assert.deepEqual((await api.get('/campaigns/1/link-checks')).body, { items: [first.body], nextCursor: null });
  assert.equal((await roundNow(api)).linkCheckId, check.id);

  const other = await put(api, lease, { ...check, kernel: 'another' });
  assert.deepEqual([other.status, other.body.type], [409, problemType('already-different')]);
});

test('of several checks of an attempt the last is the round’s; another attempt begins without', async (t) => {
  const { api, lease } = await leased(t);
  const off = sampleLinkCheck(lease, { faults: ['RTT is 80 ms; expected 50 ± 2.5 ms'] });
  const good = sampleLinkCheck(lease);
  for (const check of [off, good]) await put(api, lease, check);
  assert.equal((await roundNow(api)).linkCheckId, good.id);
  await api.post(`/leases/${lease.id}/release`, { reason: 'told to' });
  const again = await api.lease();
  assert.equal(again.round.linkCheckId, null);
  const next = sampleLinkCheck(again);
  await put(api, again, next);
  assert.equal((await roundNow(api)).linkCheckId, next.id);
  const attempts = (await api.get('/campaigns/1/link-checks?limit=2')).body;
  assert.deepEqual(
    attempts.items.map(({ id, attempt }: { id: string; attempt: number }) => [id, attempt]),
    [
      [off.id, 1],
      [good.id, 1],
    ],
  );
  assert.equal((await api.get(`/campaigns/1/link-checks?cursor=${attempts.nextCursor}`)).body.items[0].attempt, 2);
});

test('those of one round are found by it, within its own campaign alone', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'], conditions: ['latency-50'], rounds: 2 });
  const [lease, next] = [await api.lease(), await api.lease({ runner: 'another' })];
  await put(api, lease, sampleLinkCheck(lease));
  const check = sampleLinkCheck(next);
  await put(api, next, check);
  const idsOf = async (path: string) => (await api.get(path)).body.items.map(({ id }: { id: string }) => id);
  assert.deepEqual(await idsOf(`/campaigns/1/link-checks?roundId=${next.round.id}`), [check.id]);
  assert.equal((await idsOf('/campaigns/1/link-checks')).length, 2);
  assert.deepEqual(await idsOf('/campaigns/1/link-checks?roundId=none'), []);
  await api.campaign({ protocols: ['h2'], conditions: ['latency-50'] });
  assert.deepEqual(await idsOf(`/campaigns/2/link-checks?roundId=${next.round.id}`), []);
});

test('after a lost lease new checks are refused, those stored before are known', async (t) => {
  const { api, lease } = await leased(t);
  const before = sampleLinkCheck(lease);
  await put(api, lease, before);
  api.clock.now += 60_000;
  await api.lease({ runner: 'another' });
  const late = sampleLinkCheck(lease);
  const refused = await put(api, lease, late);
  assert.deepEqual([refused.status, refused.body.type], [409, problemType('lease-lost')]);
  assert.equal((await put(api, lease, before)).status, 200);
  assert.equal((await api.get('/campaigns/1/link-checks')).body.items.length, 1);
});

test('a check of another condition, of no lease, or under another id is refused', async (t) => {
  const { api, lease } = await leased(t);
  const wrong = await put(api, lease, sampleLinkCheck(lease, { condition: 'native' }));
  assert.deepEqual([wrong.status, wrong.body.type], [422, problemType('invalid-link-check')]);
  assert.match(wrong.body.detail, /is of condition native; its lease is for round 1, which is under latency-50/);
  assert.equal((await put(api, { id: randomUUID() }, sampleLinkCheck(lease))).status, 404);
  const mismatch = await api.put(`/leases/${lease.id}/link-checks/${randomUUID()}`, sampleLinkCheck(lease));
  assert.deepEqual([mismatch.status, mismatch.body.type], [400, problemType('invalid-request')]);
  assert.deepEqual((await api.get('/campaigns/1/link-checks')).body.items, []);
});

test('results tell of each condition what it does and what its link was measured to do', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'], conditions: ['native', 'latency-50'] });
  const { rounds } = { rounds: [await api.lease(), await api.lease()] };
  const slow = rounds.find(({ round }) => round.condition === 'latency-50') ?? assert.fail();
  await put(api, slow, sampleLinkCheck(slow));
  await api.upload(slow, sampleVisit(slow, 0));
  await api.complete(slow);
  const { conditions, cells }: CampaignResults = (await api.get('/campaigns/1/results')).body;
  assert.deepEqual(
    conditions.map(({ condition, words, link }) => [condition, words, link?.words]),
    [
      ['native', 'nothing added', undefined],
      ['latency-50', '+50 ms RTT', 'RTT 50.5 ms; 1 check; guest (7.2.1)'],
    ],
  );
  assert.deepEqual(
    cells.map(({ condition, slots }) => [condition, slots[0]?.valid]),
    [
      ['native', 0],
      ['latency-50', 1],
    ],
  );
});

test('a check of another kind of link, of an attempt that was given back, is no doubt about the rounds that count', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2', 'h3'], conditions: ['latency-50'] });
  const lost = await api.lease();
  await put(api, lost, sampleLinkCheck(lost, { backend: 'netem' }));
  await api.upload(lost, sampleVisit(lost, 0));
  await api.post(`/leases/${lost.id}/release`, { reason: 'told to' });
  const lease = await api.lease();
  await put(api, lease, sampleLinkCheck(lease));
  for (const slot of [0, 1]) await api.upload(lease, sampleVisit(lease, slot));
  await api.complete(lease);
  assert.deepEqual(
    [...api.app.tables.linkChecks.ofResults(1)].map(({ backend, counted }) => [backend, counted]),
    [
      ['netem', false],
      ['guest', true],
    ],
  );
  const { cells }: CampaignResults = (await api.get('/campaigns/1/results')).body;
  assert.equal(
    cells[0]?.comparisons[0]?.verdict.doubts.some(({ doubt }) => doubt === 'link'),
    false,
  );
});
