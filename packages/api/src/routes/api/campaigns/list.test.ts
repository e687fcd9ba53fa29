import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApi, tokenApi } from '../../../testing/test-api.ts';

test('campaigns are listed by each of the filters, newest first, and by all together', async (t) => {
  const api = await testApi(t);
  const site = (host: string) => ({ sites: [{ url: `https://${host}.example/` }] });
  await api.campaign({ ...site('shop'), name: 'Nightly shop', annotations: { branch: 'main', commit: 'abc' }, priority: 'schedule' });
  api.clock.now += 3_600_000;
  await api.campaign({ ...site('shop'), name: 'Pull request', annotations: { branch: 'fix', commit: 'def' }, priority: 'ci' });
  api.clock.now += 3_600_000;
  await api.campaign({ ...site('news'), name: 'By hand, 100 %' });
  await api.post('/campaigns/3/cancel');
  const found = async (query: string) => {
    const { status, body } = await api.get(`/campaigns?${query}`);
    return status === 200 ? body.items.map(({ id }: { id: string }) => id).join() : status;
  };
  const { id: shop } = (await api.get('/campaigns/1')).body.sites[0];
  const cases: [string, string | number][] = [
    ['', '3,2,1'],
    ['state=cancelled', '3'],
    [`siteId=${shop}`, '2,1'],
    ['siteId=none', ''],
    ['url=SHOP.ex', '2,1'],
    ['search=nightly', '1'],
    ['search=PULL', '2'],
    ['search=shop', '2,1'],
    ['search=100%20%25', '3'],
    ['search=_', ''],
    ['branch=main', '1'],
    ['commit=def', '2'],
    ['priority=ci', '2'],
    ['createdBy=nobody', ''],
    ['since=2026-03-01T13:00:00Z', '3,2'],
    ['since=2026-03-01T14:00:00%2B01:00&until=2026-03-01T14:00:00Z', '2'],
    [`siteId=${shop}&state=queued&branch=fix&search=pull`, '2'],
    ['since=yesterday', 400],
    ['state=lost', 400],
  ];
  for (const [query, expected] of cases) assert.equal(await found(query), expected, query);
});

test('a filtered list is read a page at a time', async (t) => {
  const api = await testApi(t);
  for (let i = 0; i < 7; i++) await api.campaign({ annotations: { branch: i % 2 === 0 ? 'main' : 'fix' } });
  const first = (await api.get('/campaigns?branch=main&limit=3')).body;
  assert.deepEqual(
    first.items.map(({ id }: { id: string }) => id),
    ['7', '5', '3'],
  );
  const { body } = await api.get(`/campaigns?branch=main&limit=3&cursor=${first.nextCursor}`);
  assert.deepEqual([body.items.map(({ id }: { id: string }) => id), body.nextCursor], [['1'], null]);
});

test('a clone asks for the same with the changes that are given, whatever became of a stored condition', async (t) => {
  const api = await testApi(t);
  const train = { name: 'train', up: {}, down: { rateKbps: 12_000 } };
  await api.post('/conditions', train);
  const { spec } = await api.campaign({ conditions: ['native', 'train'], location: 'lab', priority: 'ci', annotations: { commit: 'abc' } });
  await api.put('/conditions/train', { ...train, down: { rateKbps: 500 } });
  const same = await api.post('/campaigns/1/clone', {});
  assert.equal(same.status, 201);
  assert.deepEqual(same.body.spec, spec);
  assert.deepEqual([same.body.id, same.body.location, same.body.priority, same.body.annotations], ['2', 'lab', 'ci', {}]);
  const { body } = await api.post('/campaigns/1/clone', { name: 'Again', rounds: 3, seed: 9, limits: { retries: 0 } });
  assert.deepEqual(body.spec, { ...spec, name: 'Again', rounds: 3, seed: 9, limits: { ...spec.limits, retries: 0 } });
  assert.equal(body.progress.rounds, 6);
  const elsewhere = await api.post('/campaigns/1/clone', { sites: [{ url: 'https://other.example/a' }] });
  assert.equal(elsewhere.body.spec.name, 'other.example/a', 'the name was of the other page');
  const named = await api.post('/campaigns/3/clone', { sites: [{ url: 'https://other.example/a' }] });
  assert.equal(named.body.spec.name, 'Again', 'somebody chose it');
  assert.equal((await api.post('/campaigns/1/clone', { rounds: 0 })).status, 400);
  assert.equal((await api.post('/campaigns/9/clone', {})).status, 404);
});

test('a list tells the verdicts of the summaries that are kept of the state that a campaign is in, and computes none', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2', 'h3'], conditions: ['native', '4g'] });
  const verdicts = async () => (await api.get('/campaigns')).body.items[0].verdicts;
  assert.equal(await verdicts(), null);
  await api.get('/campaigns/1/summary');
  assert.deepEqual(await verdicts(), [{ outcome: 'inconclusive', unfinished: true, notLoaded: null, count: 2, size: null }]);
  await api.post('/campaigns/1/cancel');
  assert.equal(await verdicts(), null);
  await api.get('/campaigns/1/summary');
  assert.deepEqual(await verdicts(), [{ outcome: 'inconclusive', unfinished: true, notLoaded: null, count: 2, size: null }]);
});

test('mine are those of the token that asks, not those of a schedule of its name', async (t) => {
  const api = await tokenApi(t, { publicReading: true });
  const campaign = { sites: [{ url: 'https://site.example/' }], rounds: 1 };
  for (const asker of ['submitter', 'admin', 'submitter'] as const) {
    assert.equal((await api.ask(asker, 'POST', '/campaigns', { payload: campaign })).status, 201);
  }
  await api.app.commit(() => api.app.database.exec(`UPDATE campaigns SET createdByKind = 'schedule' WHERE id = 3`));
  const mine = async (asker: 'submitter' | 'admin' | 'viewer') => {
    const { body } = await api.ask(asker, 'GET', '/campaigns?mine=true');
    return body.items.map(({ id }: { id: string }) => id);
  };
  assert.deepEqual([await mine('submitter'), await mine('admin'), await mine('viewer')], [['1'], ['2'], []]);
  assert.equal((await api.ask('admin', 'GET', '/campaigns?mine=false')).body.items.length, 3);
  assert.equal((await api.ask(null, 'GET', '/campaigns?mine=true')).status, 401, 'nobody has none');
  assert.equal((await api.ask('admin', 'GET', '/campaigns?mine=true&createdBy=x')).status, 400);
});

test('where access is open, mine are those that no token and no schedule made', async (t) => {
  const api = await testApi(t);
  await api.campaign();
  await api.campaign();
  await api.app.commit(() => api.app.database.exec(`UPDATE campaigns SET createdBy = 'x', createdByKind = 'schedule' WHERE id = 1`));
  assert.deepEqual(
    (await api.get('/campaigns?mine=true')).body.items.map(({ id }: { id: string }) => id),
    ['2'],
  );
});
