import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type CampaignRequest, type Problem, problemType } from '@pronghorn/core/schemas';
import { readOwnershipToken } from '../../../offline.ts';
import { type TokenApi, testApi, testFolder, tokenApi } from '../../../testing/test-api.ts';

const own = { url: 'https://api.own.example/items' };
const asking = (more: Partial<CampaignRequest> = {}): CampaignRequest => ({ sites: [own], engine: 'transaction', rounds: 1, ...more });
const limits = { users: 20, requestsPerSecond: 50, requests: 1_000, seconds: 8, bodyBytes: 100 };
const service = (t: TestContext, more: Parameters<typeof tokenApi>[1] = {}) =>
  tokenApi(t, more, { calls: { hosts: ['*.own.example', 'localhost', 'inner.example'], limits } });
const pointers = ({ body }: { body: Problem }) => body.errors?.map(({ pointer }) => pointer) ?? [];
/** By each way in which a campaign may be asked for: where what is wrong with it stands. */
async function refusals({ ask }: TokenApi, campaign: CampaignRequest): Promise<string[][]> {
  const { location: _, priority: __, ...rest } = campaign;
  const gate = { assertions: ['responseTime p50 h3 <= 1 s'], campaign: rest };
  const answers = await Promise.all([
    ask('submitter', 'POST', '/campaigns', { payload: campaign }),
    ask('submitter', 'POST', '/schedules', { payload: { name: 'nightly', cron: '0 3 * * *', campaign: rest } }),
    ask('submitter', 'POST', '/gates/check', { payload: gate }),
  ]);
  assert.deepEqual(
    answers.map(({ status }) => status >= 400 && status < 500),
    [true, true, true],
    JSON.stringify(answers.map(({ body }) => body.detail ?? body)),
  );
  return answers.map((answer) => pointers(answer).map((pointer) => pointer.replace('#/campaign', '#')));
}

test('who may be loaded, how much, and by what line a server shows it, is told', async (t) => {
  const { ask } = await service(t);
  const { status, body } = await ask('submitter', 'GET', '/calls');
  assert.equal(status, 200);
  assert.match(body.token, /^pronghorn-[0-9a-f]{32}$/);
  assert.deepEqual(
    [body.hosts, body.loopback, body.limits, body.path],
    [['*.own.example', 'localhost', 'inner.example'], false, limits, '/.well-known/pronghorn'],
  );
  assert.equal((await ask('submitter', 'GET', '/calls')).body.token, body.token);
  assert.equal((await ask(null, 'GET', '/calls')).status, 401);
});

test('the token stays with the database, and no other service has it', async (t) => {
  const database = join(testFolder(t), 'pronghorn.db');
  const token = await readOwnershipToken(database);
  const { get } = await testApi(t, { database });
  assert.equal((await get('/calls')).body.token, token);
  assert.notEqual((await (await testApi(t)).get('/calls')).body.token, token);
});

test('a host that is not on the operator’s list is refused at its place, by whichever way it is asked for', async (t) => {
  const api = await service(t);
  const campaign = asking({ sites: [own, { url: 'https://other.example/' }] });
  for (const found of await refusals(api, campaign)) assert.deepEqual(found, ['#/sites/1/url']);
  const { body } = await api.ask('submitter', 'POST', '/campaigns', { payload: campaign });
  assert.equal(body.type, problemType('invalid-campaign'));
  assert.match(body.detail, /^other\.example may not be loaded.*calls\.hosts.*\/\.well-known\/pronghorn.*GET \/api\/v1\/calls/);
  const seen = await api.ask('submitter', 'POST', '/campaigns/preview', { payload: campaign });
  assert.deepEqual(
    seen.body.problems.map(({ pointer }: { pointer: string }) => pointer),
    ['#/sites/1/url'],
  );
  // Pages of it may be measured as ever, and the demo origin loaded.
  assert.equal((await api.ask('submitter', 'POST', '/campaigns', { payload: { sites: [{ url: 'https://other.example/' }] } })).status, 201);
  for (const sites of [[own], [{ url: 'https://calls.pronghorn.test:4433/ping' }]])
    assert.equal((await api.ask('submitter', 'POST', '/campaigns', { payload: asking({ sites }) })).status, 201);
});

test('without a list nothing but the demo origin may be loaded, not even by an admin', async (t) => {
  const { ask } = await tokenApi(t);
  assert.deepEqual(pointers(await ask('admin', 'POST', '/campaigns', { payload: asking() })), ['#/sites/0/url']);
});

test('a runner’s own machine and network stay out of reach, on the list or not', async (t) => {
  const { ask } = await service(t, { lookUp: async (name) => (name === 'inner.example' ? [{ address: '10.1.2.3' }] : []) });
  for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', 'x.localhost', '169.254.169.254', '10.0.0.1']) {
    const { status, body } = await ask('admin', 'POST', '/campaigns', { payload: asking({ sites: [{ url: `https://${host}:8443/` }] }) });
    assert.deepEqual([status, body.type], [422, problemType('invalid-campaign')], host);
  }
  // These are on the list, as a slip of the operator's pen.
  for (const host of ['localhost', 'inner.example']) {
    const { status, body } = await ask('admin', 'POST', '/campaigns', { payload: asking({ sites: [{ url: `https://${host}/` }] }) });
    assert.deepEqual([status, body.type], [422, problemType('address-refused')], host);
  }
});

test('no run does more than the operator lets it, defaults and a site’s own workload included', async (t) => {
  const api = await service(t);
  const wrong: [Partial<CampaignRequest>, string][] = [
    [{ workload: { users: 21, requests: 1 } }, '#/workload/users'],
    [{ workload: { users: 20, requests: 51 } }, '#/workload/requests'],
    [{ workload: { mode: 'duration' } }, '#/workload/seconds'],
    [{ workload: { mode: 'rate', requestsPerSecond: 5, seconds: 5 } }, '#/workload/users'],
    [{ workload: { mode: 'rate', requestsPerSecond: 51, seconds: 5, users: 5 } }, '#/workload/requestsPerSecond'],
    [{ workload: { method: 'POST', bodyBytes: 101 } }, '#/workload/bodyBytes'],
    [{ workload: { paths: ['//other.example/'] } }, '#/workload/paths'],
    [{ sites: [{ ...own, workload: { users: 21, requests: 1 } }] }, '#/sites/0/workload/users'],
    [{ sites: [{ ...own, workload: { paths: ['/\t/other.example'] } }] }, '#/sites/0/workload/paths'],
  ];
  for (const [more, pointer] of wrong)
    for (const found of await refusals(api, asking(more))) assert.deepEqual(found, [pointer], JSON.stringify(more));
  const most = { mode: 'rate', requestsPerSecond: 50, seconds: 8, users: 20, method: 'POST', bodyBytes: 100 } as const;
  assert.equal((await api.ask('submitter', 'POST', '/campaigns', { payload: asking({ workload: most }) })).status, 201);
});

test('what has no TLS is refused before a runner gets it', async (t) => {
  const { post } = await testApi(t);
  assert.deepEqual(pointers(await post('/campaigns', asking({ sites: [{ url: 'http://own.example/' }], protocols: ['h1'] }))), [
    '#/sites/0/url',
  ]);
});

test('a lease of REST calls has what is permitted now, and no other has it', async (t) => {
  const database = join(testFolder(t), 'pronghorn.db');
  const before = await testApi(t, { database });
  const { id } = await before.campaign(asking({ rounds: 2 }));
  const { token } = (await before.get('/calls')).body;
  const lease = await before.lease({ campaignId: id });
  assert.deepEqual([lease.calls?.token, lease.calls?.hosts, lease.calls?.loopback], [token, null, true]);
  await before.post(`/leases/${lease.id}/release`, { reason: 'test' });
  const page = await before.lease({ campaignId: (await before.campaign()).id });
  assert.equal(page.calls, undefined);
  await before.app.close();
  // The operator has tokens now, and takes every host away: what is queued says so to its runner.
  const after = await tokenApi(t, {}, { database, calls: { limits: { users: 3 } } });
  const { status, body } = await after.ask('runner', 'POST', '/leases', { payload: { runner: 'r', campaignId: id } });
  assert.deepEqual([status, body.calls.token, body.calls.hosts, body.calls.loopback, body.calls.limits.users], [200, token, [], false, 3]);
});

test('an operator’s host that is none is said when the service starts', async (t) => {
  for (const host of ['https://own.example', 'own.example:443', '*.com', '*', 'a b'])
    await assert.rejects(tokenApi(t, {}, { calls: { hosts: [host] } }), /calls\.hosts: .*expected one such as/, host);
});
