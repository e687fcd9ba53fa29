// Requests that wait for the end of a campaign, or for a gate's answer.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { problemType } from '@pronghorn/core/schemas';
import { sampleVisit } from '../../../testing/samples.ts';
import { type TestApi, testApi, testFolder, tokenApi } from '../../../testing/test-api.ts';

const quick = { timeout: 30_000 };

async function performed(api: TestApi, campaignId: string): Promise<void> {
  for (;;) {
    const { status, body: lease } = await api.post('/leases', { runner: 'runner', campaignId });
    if (status === 204) return;
    for (const slot of lease.round.order) await api.upload(lease, sampleVisit(lease, slot));
    await api.complete(lease);
  }
}

test('who waits for a campaign is answered when it is done or cancelled, and at once when it was before', quick, async (t) => {
  const api = await testApi(t);
  for (const end of [performed, (of: TestApi, id: string) => of.post(`/campaigns/${id}/cancel`)]) {
    const { id } = await api.campaign();
    const waiting = api.get(`/campaigns/${id}?wait=60`);
    assert.equal((await api.get(`/campaigns/${id}?wait=0`)).body.state, 'queued', 'nobody else is held up');
    await end(api, id);
    const { status, body } = await waiting;
    assert.equal(status, 200);
    assert.match(body.state, /^(done|cancelled)$/);
    assert.equal((await api.get(`/campaigns/${id}?wait=60`)).body.state, body.state);
  }
});

test('who polls a campaign gets 304 until its state or progress is another, without its specification being read', quick, async (t) => {
  const api = await testApi(t);
  const { id } = await api.campaign();
  const ask = (etag?: unknown) =>
    api.app.inject({ url: `/api/v1/campaigns/${id}`, headers: etag === undefined ? {} : { 'if-none-match': String(etag) } });
  const queued = (await ask()).headers.etag;
  assert.equal((await ask(queued)).statusCode, 304);
  await performed(api, id);
  const done = await ask(queued);
  assert.deepEqual([done.statusCode, done.json().state], [200, 'done']);
  await api.app.commit(() => api.app.database.prepare(`UPDATE campaigns SET spec = '{}'`).run()); // whoever reads it now answers something else
  assert.equal((await ask(done.headers.etag)).statusCode, 304);
});

test('a wait that is over is answered with what is so then', quick, async (t) => {
  const api = await testApi(t);
  const { id } = await api.campaign();
  const before = performance.now();
  const { status, body } = await api.get(`/campaigns/${id}?wait=1`);
  assert.deepEqual([status, body.state], [200, 'queued']);
  assert.ok(performance.now() - before > 950);
});

test('a campaign that is deleted is waited for no longer', quick, async (t) => {
  const api = await testApi(t);
  const { id } = await api.campaign();
  const waiting = api.get(`/campaigns/${id}?wait=60`);
  await api.get('/health'); // the request before it waits by now
  await api.app.commit(() => api.app.tables.campaigns.markDeleted(Number(id), '2026-03-01T12:00:00.000Z'));
  api.app.campaignChanges.announce(Number(id));
  assert.equal((await waiting).status, 404);
});

test('waits are whole seconds, at most a minute', async (t) => {
  const api = await testApi(t);
  const { id } = await api.campaign();
  for (const wait of ['61', '-1', '1.5', 'long', '']) assert.equal((await api.get(`/campaigns/${id}?wait=${wait}`)).status, 400, wait);
});

test('what another process does to a campaign is seen within about a second', quick, async (t) => {
  const database = join(testFolder(t), 'pronghorn.db');
  const [api, other] = [await testApi(t, { database }), await testApi(t, { database })];
  const { id } = await api.campaign();
  const waiting = api.get(`/campaigns/${id}?wait=60`);
  await api.get('/health');
  await other.post(`/campaigns/${id}/cancel`);
  assert.equal((await waiting).body.state, 'cancelled');
});

test('who waits for a gate is answered when it is decided', quick, async (t) => {
  const api = await testApi(t);
  const { id } = await api.campaign({ rounds: 5, protocols: ['h3'] });
  const asked = await api.post('/gates/check', { campaignId: id, assertions: ['onLoad p75 <= 2 s'] });
  assert.equal(asked.status, 202);
  const waiting = api.get(`/campaigns/${id}/gates/${asked.body.id}?wait=60`);
  await performed(api, id);
  const { status, body } = await waiting;
  assert.equal(status, 200);
  assert.notEqual(body.result, null);
  assert.deepEqual((await api.get(`/campaigns/${id}/gates/${asked.body.id}?wait=60`)).body, body);
  assert.equal((await api.get(`/campaigns/${id}/gates/99?wait=60`)).status, 404);
});

/** Twenty requests of the viewer that wait, at a service that listens. */
async function withTwentyWaiting(t: TestContext) {
  const api = await tokenApi(t, { lookUp: async () => [{ address: '93.184.216.34' }] });
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
  await api.ask('submitter', 'POST', '/campaigns', { payload: { sites: [{ url: 'https://site.example/' }], rounds: 1 } });
  const wait = (seconds: number, init: RequestInit = {}) =>
    fetch(`${url}/api/v1/campaigns/1?wait=${seconds}`, { headers: { authorization: `Bearer ${api.tokens.viewer}` }, ...init });
  const leaving = new AbortController();
  const waiting = Array.from({ length: 20 }, (_, place) => wait(60, place === 0 ? { signal: leaving.signal } : {}));
  const first = waiting[0]?.catch(() => 'left');
  let refused = await wait(1);
  while (refused.status !== 429) refused = await wait(1); // until all of them have come
  const leave = () => {
    leaving.abort();
    return first;
  };
  return { api, wait, refused, others: waiting.slice(1), leave };
}

test('a token waits by twenty requests at most; who leaves makes room', quick, async (t) => {
  const { api, wait, refused, others, leave } = await withTwentyWaiting(t);
  const problem = (await refused.json()) as { type: string; detail: string };
  assert.equal(problem.type, problemType('too-many-waiting'));
  assert.match(problem.detail, /^20 requests of the token "the viewer" are waiting, which is the most\. Wait for one of them/);
  assert.match(String(refused.headers.get('retry-after')), /^\d+$/);
  assert.equal((await wait(0)).status, 200, 'without wait it may ask');
  await leave();
  while ((await wait(1)).status === 429); // until the service has noticed
  await api.ask('submitter', 'POST', '/campaigns/1/cancel');
  const states = await Promise.all(others.map(async (reply) => ((await (await reply).json()) as { state: string }).state));
  assert.deepEqual(new Set(states), new Set(['cancelled']));
});

test('a service that closes answers those who wait', quick, async (t) => {
  const { api, others } = await withTwentyWaiting(t);
  await api.app.close();
  assert.deepEqual(new Set(await Promise.all(others.map(async (reply) => (await reply).status))), new Set([200]));
});

test('who waits with a token that is revoked meanwhile reads nothing', quick, async (t) => {
  const { api, others } = await withTwentyWaiting(t);
  await api.app.commit(() => api.app.tables.tokens.revoke(api.app.tables.tokens.findByName('the viewer')?.id ?? ''));
  api.app.campaignChanges.announce(1);
  assert.deepEqual(new Set(await Promise.all(others.map(async (reply) => (await reply).status))), new Set([401]));
});

test('the three lines of docs/api.md make a campaign, wait for it and read its summary', quick, async (t) => {
  const docs = readFileSync(join(import.meta.dirname, '../../../../../../docs/api.md'), 'utf8');
  const [, lines = ''] = /## Wait for the end\n[\s\S]*?```sh\n([\s\S]*?)```/.exec(docs) ?? [];
  assert.equal(lines.trim().split('\n').length, 4, 'where the service is, and three lines');
  const api = await testApi(t);
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
  const made = new Promise<string>((resolve) => api.app.campaignChanges.listenToAll((id) => resolve(String(id))));
  const script = promisify(execFile)('sh', ['-euc', lines.replace(/^service=\S+/m, `service=${url}`)]);
  await performed(api, await made);
  const { campaignId, state } = JSON.parse((await script).stdout);
  assert.deepEqual([campaignId, state], ['1', 'done']);
});
