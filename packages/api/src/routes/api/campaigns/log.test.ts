import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Lease, maxCampaignLogLines } from '@pronghorn/core/schemas';
import { ownCaller } from '../../../store/caller.ts';
import { invalidOutcome, sampleLinkCheck, sampleVisit } from '../../../testing/samples.ts';
import { testApi } from '../../../testing/test-api.ts';

type Line = { id: string; level: string; event: string; text: string };

test('a campaign tells what happened to it, in words', async (t) => {
  const api = await testApi(t);
  await api.campaign({ sites: [{ url: 'https://site.example/', name: 'shop' }], protocols: ['h2'], conditions: ['latency-50'], rounds: 2 });
  const first = await api.lease({ runner: 'berlin' });
  const check = sampleLinkCheck(first, { faults: ['loss of 3 % instead of none'] });
  await api.put(`/leases/${first.id}/link-checks/${check.id}`, check);
  await api.post(`/leases/${first.id}/release`, { reason: 'The runner was told to stop.' });
  await api.lease({ runner: 'berlin' });
  api.clock.now += 61_000;
  const third = await api.lease({ runner: 'paris' });
  await api.upload(third, sampleVisit(third, 0));
  await api.complete(third);
  await api.app.store.campaigns.cancel('1', { ...ownCaller, access: { ...ownCaller.access, name: 'nightly build' } });
  await api.post('/campaigns/1/resume');
  const { body } = await api.get('/campaigns/1/log');
  assert.deepEqual(
    body.items.map(({ level, event, text }: Line) => `${level} ${event}: ${text}`),
    [
      'info campaign-made: 2 rounds were queued.',
      'info round-leased: Runner berlin took round 1 of shop under latency-50.',
      'warn link-check-faulty: The link of runner berlin under latency-50: loss of 3 % instead of none.',
      'info round-released: Runner berlin gave back round 1 of shop under latency-50: The runner was told to stop.',
      'info round-leased: Runner berlin took round 1 of shop under latency-50, attempt 2.',
      'warn lease-lost: Runner berlin lost round 1 of shop under latency-50: no sign of life until 2026-03-01T12:01:00.000Z.',
      'info round-leased: Runner paris took round 1 of shop under latency-50, attempt 3.',
      'info campaign-cancelled: The campaign was cancelled by nightly build.',
      'info campaign-resumed: The campaign was resumed.',
    ],
  );
});

test('that a site was given up is told once, whoever was still at work on it', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'], rounds: 6 });
  const fail = async (lease: Lease) => {
    await api.upload(lease, sampleVisit(lease, 0, invalidOutcome('dns-error')));
    await api.complete(lease);
  };
  for (let round = 0; round < 2; round += 1) await fail(await api.lease());
  const [third, fourth] = [await api.lease({ runner: 'berlin' }), await api.lease({ runner: 'paris' })];
  await fail(third);
  await fail(fourth);
  const { items } = (await api.get('/campaigns/1/log?level=warn')).body;
  assert.deepEqual(
    items.map(({ event }: Line) => event),
    ['site-given-up'],
  );
  assert.equal((await api.get('/campaigns/1')).body.state, 'done');
});

test('a log is read in pages, and by level', async (t) => {
  const api = await testApi(t);
  await api.campaign();
  await api.app.commit(() => {
    for (let round = 0; round < 5; round += 1)
      api.app.tables.campaignLog.add(1, 'round-leased', `line ${round}`, round % 2 === 0 ? 'info' : 'warn');
  });
  const texts = (items: Line[]) => items.map(({ text }) => text);
  const first = (await api.get('/campaigns/1/log?limit=4')).body;
  const second = (await api.get(`/campaigns/1/log?limit=4&cursor=${first.nextCursor}`)).body;
  assert.deepEqual(texts([...first.items, ...second.items]).slice(1), ['line 0', 'line 1', 'line 2', 'line 3', 'line 4']);
  assert.equal(second.nextCursor, null);
  assert.deepEqual(texts((await api.get('/campaigns/1/log?level=warn')).body.items), ['line 1', 'line 3']);
  assert.equal((await api.get('/campaigns/2/log')).status, 404);
});

test('of a log that grows too long the newest lines stay, and keep their numbers', async (t) => {
  const api = await testApi(t);
  await api.campaign();
  await api.app.commit(() => {
    for (let line = 0; line < maxCampaignLogLines + 9; line += 1) api.app.tables.campaignLog.add(1, 'round-leased', `line ${line}`);
  });
  const { items } = (await api.get('/campaigns/1/log?limit=1')).body;
  assert.deepEqual([items[0].id, items[0].text], ['11', 'line 9']);
  assert.equal(api.app.tables.campaignLog.newest(1), maxCampaignLogLines + 10);
});

test('a line is told to the service’s log once its transaction is committed, and not when it is taken back', async (t) => {
  const api = await testApi(t);
  const told: unknown[] = [];
  t.mock.method(api.app.log, 'info', (fields: unknown, text: unknown) => told.push(text, fields));
  await api.campaign();
  // A cancellation has a line of the log before its audit entry, which finds no room.
  await api.app.commit(() => api.app.database.exec(`CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no room'); END`));
  assert.equal((await api.post('/campaigns/1/cancel')).status, 500);
  assert.deepEqual(told.slice(0, 2), ['1 round was queued.', { event: 'campaign-made', campaign: '1' }]);
  assert.ok(!told.includes('The campaign was cancelled.'), 'it was taken back');
});
