import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemType } from '@pronghorn/core/schemas';
import { tokenApi } from '../../testing/test-api.ts';

const campaign = { sites: [{ url: 'https://site.example/' }], rounds: 1 };
const gate = { name: 'budget', campaign, rules: { assertions: ['onLoad p75 h3 <= 1 s'] } };
const withKey = (key: string, payload?: object) => ({ headers: { 'idempotency-key': key }, ...(payload && { payload }) });

test('whatever is made with a key is made once, and every answer tells of the same thing', async (t) => {
  const api = await tokenApi(t);
  const made = async (path: string, payload: object) => (await api.ask('admin', 'POST', path, { payload })).body.id;
  const scheduleId = await made('/schedules', { name: 'weekly', cron: '30 2 * * 1', campaign });
  const targetId = await made('/notifications', { name: 'team', kind: 'webhook', url: 'https://hooks.example/x', events: ['gate-failed'] });
  const campaignId = await made('/campaigns', campaign);
  const making: [string, object?][] = [
    ['/campaigns', campaign],
    [`/campaigns/${campaignId}/clone`, {}],
    ['/gates/check', { campaign, ...gate.rules }],
    ['/gates', gate],
    ['/schedules', { name: 'nightly', cron: '30 2 * * *', campaign }],
    [`/schedules/${scheduleId}/start`],
    ['/notifications', { name: 'other', kind: 'webhook', url: 'https://hooks.example/y', events: ['gate-failed'] }],
    [`/notifications/${targetId}/test`],
  ];
  const rows = (table: string) => api.app.database.prepare<[], { n: number }>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0;
  const all = () => ['campaigns', 'gates', 'schedules', 'notification_targets', 'notification_deliveries', 'audit'].map(rows);
  for (const [path, payload] of making) {
    const first = await api.ask('admin', 'POST', path, withKey(`of-${path}`, payload));
    assert.ok(first.status === 201 || first.status === 202, `${path}: ${JSON.stringify(first.body)}`);
    const stored = all();
    const again = await api.ask('admin', 'POST', path, withKey(`of-${path}`, payload));
    assert.deepEqual([again.status, again.body, again.headers.location], [first.status, first.body, first.headers.location], path);
    assert.deepEqual([first.headers['idempotency-replayed'], again.headers['idempotency-replayed']], [undefined, 'true'], path);
    assert.deepEqual(all(), stored, path);
  }
});

test('requests of one key that come at once make one thing', async (t) => {
  const api = await tokenApi(t);
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => api.ask('submitter', 'POST', '/campaigns', withKey('at-once', campaign))),
  );
  assert.deepEqual(new Set(replies.map(({ status, body }) => `${status} ${body.id}`)), new Set(['201 1']));
  assert.equal((await api.ask('submitter', 'GET', '/campaigns')).body.items.length, 1);
});

test('a key belongs to its token and its request, for a day', async (t) => {
  const api = await tokenApi(t);
  const make = (asker: 'submitter' | 'admin', payload: object = campaign) => api.ask(asker, 'POST', '/campaigns', withKey('mine', payload));
  assert.equal((await make('submitter')).body.id, '1');
  assert.equal((await make('admin')).body.id, '2');
  const other = await make('submitter', { ...campaign, rounds: 2 });
  assert.deepEqual([other.status, other.body.type], [422, problemType('key-reused')]);
  api.clock.now += 24 * 3_600_000 + 1;
  assert.equal((await make('submitter', { ...campaign, rounds: 2 })).body.id, '3');
  assert.equal(api.app.database.prepare<[], { n: number }>('SELECT count(*) AS n FROM idempotency_keys').get()?.n, 1);
});

test('what was refused may come again under its key, and a token is shown once', async (t) => {
  const api = await tokenApi(t);
  const refused = await api.ask('admin', 'POST', '/campaigns', withKey('k', { ...campaign, sites: [{ url: 'http://127.0.0.1/' }] }));
  assert.equal(refused.status, 422);
  assert.equal((await api.ask('admin', 'POST', '/campaigns', withKey('k', campaign))).status, 201);
  const token = withKey('t', { name: 'ci', role: 'viewer' });
  assert.equal((await api.ask('admin', 'POST', '/tokens', token)).status, 201);
  const again = await api.ask('admin', 'POST', '/tokens', token);
  assert.deepEqual([again.status, again.body.type], [409, problemType('already-made')]);
  for (const key of ['', 'a b', 'x'.repeat(256)])
    assert.equal((await api.ask('admin', 'POST', '/campaigns', withKey(key, campaign))).status, 400, key);
});

test('a key whose campaign was deleted since leads to nothing', async (t) => {
  const api = await tokenApi(t);
  for (const [path, payload] of [
    ['/campaigns', campaign],
    ['/gates/check', { campaign, ...gate.rules }],
  ] as const) {
    const { body } = await api.ask('admin', 'POST', path, withKey(path, payload));
    const id = body.campaignId ?? body.id;
    await api.ask('admin', 'POST', `/campaigns/${id}/cancel`);
    assert.equal((await api.ask('admin', 'DELETE', `/campaigns/${id}`)).status, 204);
    const again = await api.ask('admin', 'POST', path, withKey(path, payload));
    assert.deepEqual([again.status, again.body.detail], [404, `There is no campaign ${id}.`], path);
  }
});
