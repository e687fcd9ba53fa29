import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemType } from '@pronghorn/core/schemas';
import { type TokenApi, tokenApi } from '../../../testing/test-api.ts';

const sites = (count: number) => Array.from({ length: count }, (_, index) => ({ url: `https://93.184.216.34/${index}` }));
const submit = (api: TokenApi, asker: 'submitter' | 'admin', payload: object) => api.ask(asker, 'POST', '/campaigns', { payload });

test('a submitter’s campaign has limits, an admin’s wider ones; the problem names each that is passed', async (t) => {
  const api = await tokenApi(t);
  const large = { sites: sites(101), rounds: 100, protocols: ['h1', 'h2', 'h3'] };
  const { status, body } = await submit(api, 'submitter', large);
  assert.deepEqual([status, body.type], [422, problemType('over-limit')]);
  assert.deepEqual(
    body.errors.map(({ pointer, detail }: Record<string, string>) => `${pointer} ${detail}`),
    [
      '#/sites There are 101 sites; a submitter may ask for 100 at once.',
      '#/rounds 101 sites × 1 conditions × 1 views × 100 rounds are 10100 rounds in all; a submitter may ask for 10000 at once.',
      '#/rounds One runner would take about 85 hours; a submitter may ask for 72 at once.',
    ],
  );
  assert.match(body.detail, /Ask for less, make several campaigns, or have the limits raised/);
  assert.equal((await submit(api, 'admin', large)).status, 201);
});

test('rounds that may be added until a campaign is settled count', async (t) => {
  const api = await tokenApi(t, { limits: { submitter: { maxRounds: 100 } } });
  assert.equal((await submit(api, 'submitter', { sites: sites(1), rounds: 10, maximumRounds: 100 })).status, 201);
  assert.equal((await submit(api, 'submitter', { sites: sites(1), rounds: 10, maximumRounds: 101 })).status, 422);
});

test('a long load timeout makes a campaign long', async (t) => {
  const api = await tokenApi(t, { limits: { submitter: { maxHours: 1 } } });
  const request = { sites: sites(1), protocols: ['h2', 'h3'], rounds: 150 }; // 300 visits of 10 s
  assert.equal((await submit(api, 'submitter', request)).status, 201);
  assert.equal((await submit(api, 'submitter', { ...request, limits: { loadTimeoutMs: 120_000 } })).status, 422);
});

test('a token may have so many campaigns waiting, and more when one is done or cancelled; others are not touched by it', async (t) => {
  const api = await tokenApi(t, { limits: { submitter: { maxUnfinished: 2 } } });
  const request = { sites: sites(1), rounds: 1 };
  assert.deepEqual([(await submit(api, 'submitter', request)).status, (await submit(api, 'submitter', request)).status], [201, 201]);
  const { status, body } = await submit(api, 'submitter', request);
  assert.deepEqual([status, body.type], [429, problemType('too-many-campaigns')]);
  assert.match(body.detail, /"the submitter" has 2 campaigns that are not done; at most 2 may wait\. Wait for one, or cancel one\./);
  assert.equal((await submit(api, 'admin', request)).status, 201);
  await api.ask('submitter', 'POST', '/campaigns/1/cancel');
  assert.equal((await submit(api, 'submitter', request)).status, 201);
  assert.equal((await api.ask('submitter', 'POST', '/campaigns/1/resume')).status, 429, 'cancelling and resuming is no way round it');
  assert.equal((await api.ask('submitter', 'POST', '/campaigns/2/resume')).status, 200, 'what is not cancelled stays as it is');
});

test('campaigns of a schedule that is named like a token are not the token’s', async (t) => {
  const api = await tokenApi(t, { limits: { submitter: { maxUnfinished: 1 } } });
  const request = { sites: sites(1), rounds: 1 };
  const schedule = { name: 'the submitter', cron: '30 2 * * *', campaign: request };
  const { body: made } = await api.ask('submitter', 'POST', '/schedules', { payload: schedule });
  const { body: started } = await api.ask('admin', 'POST', `/schedules/${made.id}/start`);
  assert.deepEqual([started.createdBy, started.createdByKind], ['the submitter', 'schedule']);
  const { status, body } = await submit(api, 'submitter', request);
  assert.deepEqual([status, body.createdBy, body.createdByKind], [201, 'the submitter', 'token']);
  assert.equal((await submit(api, 'submitter', request)).status, 429);
});

test('what cannot be run at all is told first', async (t) => {
  const api = await tokenApi(t);
  const { body } = await submit(api, 'submitter', { sites: [{ url: 'ftp://10.0.0.1/' }] });
  assert.equal(body.type, problemType('invalid-campaign'));
});

test('pages that a visitor opens before a page lead where sites may', async (t) => {
  const api = await tokenApi(t);
  const journey = (after: string[]) => ({ sites: [{ url: 'https://93.184.216.34/item', visitor: { after } }], views: ['warm'] });
  assert.equal((await submit(api, 'submitter', journey(['/list', 'https://93.184.216.35/']))).status, 201);
  const { status, body } = await submit(api, 'submitter', journey(['/list', 'https://10.0.0.1/']));
  assert.deepEqual([status, body.type], [422, problemType('address-refused')]);
  assert.deepEqual(
    body.errors.map(({ pointer }: { pointer: string }) => pointer),
    ['#/sites/0/visitor/after/1'],
  );
});

test('starts of schedules by hand count among what a token asked for, and schedules are bounded', async (t) => {
  const api = await tokenApi(t, { limits: { submitter: { maxUnfinished: 3, maxSchedules: 5 } } });
  const campaign = { sites: [{ url: 'https://site.example/' }], rounds: 1 };
  const ask = (path: string, payload?: object) => api.ask('submitter', 'POST', path, payload && { payload });
  for (let n = 1; n <= 5; n++) assert.equal((await ask('/schedules', { name: `nightly ${n}`, cron: '30 2 * * *', campaign })).status, 201);
  const tooMany = await ask('/schedules', { name: 'one more', cron: '30 2 * * *', campaign });
  assert.deepEqual([tooMany.status, tooMany.body.type], [422, problemType('over-limit')]);
  assert.match(tooMany.body.detail, /"the submitter" has 5 schedules; at most 5 may be/);
  for (const n of [1, 2, 3]) assert.equal((await ask(`/schedules/${n}/start`)).status, 201);
  for (const [path, payload] of [['/schedules/4/start', undefined] as const, ['/campaigns', campaign] as const]) {
    const { status, body } = await ask(path, payload);
    assert.deepEqual([status, body.type], [429, problemType('too-many-campaigns')], path);
  }
  assert.equal((await api.ask('admin', 'POST', '/schedules/4/start')).status, 201, 'another token’s are its own');
});

test('a due start is admitted as its owner’s campaigns are: one that leads to an inner address by now is not made, and told', async (t) => {
  let address = '93.184.215.14';
  const api = await tokenApi(t, { lookUp: async () => [{ address }] }, { schedules: { enabled: false } });
  const campaign = { sites: [{ url: 'https://site.example/' }], rounds: 1 };
  const made = await api.ask('submitter', 'POST', '/schedules', { payload: { name: 'nightly', cron: '30 2 * * *', campaign } });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  address = '10.0.0.5';
  api.clock.now += 86_400_000;
  await api.app.scheduler.tick();
  const [start] = (await api.ask('viewer', 'GET', '/schedules/1/starts')).body.items;
  assert.equal(start.outcome, 'failed');
  assert.match(start.words, /leads to site\.example/);
  assert.deepEqual((await api.ask('viewer', 'GET', '/campaigns')).body.items, []);
});
