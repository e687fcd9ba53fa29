import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { problemType } from '@pronghorn/core/schemas';
import { openDatabase } from '../../../storage/database.ts';
import { makeDatabase } from '../../../testing/made-database.ts';
import { sampleDiscovery, sampleEnvironment, sampleLinkCheck, sampleResource, sampleVisit } from '../../../testing/samples.ts';
import { type TestApi, testApi, testFolder } from '../../../testing/test-api.ts';

/** Performs a round with all that belongs to one. @returns the id of its visit. */
async function perform(api: TestApi): Promise<string> {
  const lease = await api.lease();
  const discovery = sampleDiscovery(lease);
  await api.put(`/leases/${lease.id}/discoveries/${discovery.id}`, discovery);
  const check = sampleLinkCheck(lease);
  await api.put(`/leases/${lease.id}/link-checks/${check.id}`, check);
  const visit = sampleVisit(lease, 0, { discoveryId: discovery.id });
  await api.upload(lease, visit);
  const payload = Readable.from([gzipSync(`evidence of ${visit.id}`)]);
  const url = `/api/v1/visits/${visit.id}/evidence`;
  await api.app.inject({ method: 'PUT', url, headers: { 'content-type': 'application/gzip' }, payload });
  await api.complete(lease);
  return visit.id;
}

const countsOf = ({ app }: TestApi) =>
  ['campaigns', 'campaign_sites', 'campaign_progress', 'rounds', 'leases', 'visits', 'resources', 'discoveries', 'link_checks'].map(
    (table) => app.database.prepare<[], { n: number }>(`SELECT count(*) AS n FROM ${table}`).get()?.n,
  );

test('a campaign is deleted with all that was measured in it, and nothing of another', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h3'] });
  const kept = await perform(api);
  const before = countsOf(api);
  await api.campaign({ protocols: ['h3'], rounds: 3 });
  const visits = [await perform(api), await perform(api), await perform(api)];
  await api.get('/campaigns/2/results');
  assert.equal((await api.delete('/campaigns/2?purge=true')).status, 204);
  for (const path of ['', '/rounds', '/visits', '/results', '/summary', '/comparisons', '/across']) {
    assert.equal((await api.get(`/campaigns/2${path}`)).status, 404, path);
  }
  assert.deepEqual((await api.get('/campaigns')).body.items.length, 1);
  await api.app.campaignDeletion.settled();
  assert.deepEqual(countsOf(api), before);
  for (const id of visits) {
    assert.equal((await api.get(`/visits/${id}`)).status, 404);
    await assert.rejects(api.app.evidence.read(id, 'evidence'), /There is no visit/);
  }
  assert.equal((await api.get(`/visits/${kept}`)).status, 200);
  const evidence = await api.app.evidence.read(kept, 'evidence');
  assert.ok(evidence && 'content' in evidence && (await buffer(evidence.content)).length > 0);
  const files = readdirSync(join(api.folder, 'evidence'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  assert.equal(files.length, 1);
  assert.deepEqual(api.app.database.pragma('foreign_key_check'), []);
  assert.equal((await api.delete('/campaigns/2')).status, 404);
  assert.equal((await api.campaign()).id, '3');
});

test('what visits ran in goes with the last of them', async (t) => {
  const api = await testApi(t);
  const [ofBoth, ofOne] = ['a', 'b'].map((letter) => sampleEnvironment(letter.repeat(64)));
  for (const environment of [ofBoth, ofOne]) await api.put(`/environments/${environment?.id}`, environment as object);
  for (const ran of [[ofBoth], [ofBoth, ofOne]]) {
    await api.campaign({ protocols: ['h3'], rounds: ran.length });
    for (const environment of ran) {
      const lease = await api.lease();
      await api.upload(lease, sampleVisit(lease, 0, { environmentId: environment?.id ?? null }));
      await api.complete(lease);
    }
  }
  const left = async () =>
    (await Promise.all([ofBoth, ofOne].map((one) => api.get(`/environments/${one?.id}`)))).map(({ status }) => status);
  const purge = async (id: string) => {
    assert.equal((await api.delete(`/campaigns/${id}?purge=true`)).status, 204);
    await api.app.campaignDeletion.settled();
  };
  assert.deepEqual(await left(), [200, 200]);
  await purge('2');
  assert.deepEqual(await left(), [200, 404]);
  await purge('1');
  assert.deepEqual(await left(), [404, 404]);
});

test('a campaign with rounds to perform is not deleted: it is cancelled first, and its last round ends', async (t) => {
  const api = await testApi(t);
  await api.campaign({ rounds: 2 });
  const refused = async () => {
    const { status, body } = await api.delete('/campaigns/1');
    return [status, body?.type, body?.detail];
  };
  const type = 'urn:pronghorn:problem:campaign-active';
  assert.deepEqual(await refused(), [409, type, 'Campaign 1 is queued. Cancel it first: POST /api/v1/campaigns/1/cancel.']);
  const lease = await api.lease();
  assert.equal((await refused())[0], 409);
  await api.post('/campaigns/1/cancel');
  const words = 'Campaign 1 is cancelled, and a round of it is still being performed. Try again when it is over.';
  assert.deepEqual(await refused(), [409, type, words]);
  await api.post(`/leases/${lease.id}/release`, { reason: 'enough' });
  assert.equal((await api.delete('/campaigns/1')).status, 204);
});

test('a deletion that was cut off goes on at the next start', async (t) => {
  const database = join(testFolder(t), 'pronghorn.db');
  makeDatabase(database, [{ campaigns: 2, sites: 3, conditions: 2, rounds: 30 }]);
  const first = await testApi(t, { database });
  await first.app.commit(() => first.app.tables.campaigns.markLeaving(1)); // and then the process died
  await first.app.close();
  const second = await testApi(t, { database });
  assert.equal((await second.get('/campaigns/1')).status, 404);
  await second.app.campaignDeletion.settled();
  const left = second.app.database.prepare<[], { n: number }>('SELECT count(*) AS n FROM visits').get()?.n;
  assert.equal(left, 540);
  assert.equal((await second.get('/campaigns/2')).body.progress.visitsValid, 540);
});

test('what a deletion left is removed at the next start; where another process holds the database then, the service runs, and a later start does it', async (t) => {
  const database = join(testFolder(t), 'pronghorn.db');
  const environment = sampleEnvironment('a'.repeat(64));
  const started = async (before = () => {}) => {
    const api = await testApi(t, { database, lockWaitMs: 20 });
    before();
    await api.app.campaignDeletion.settled();
    const texts = api.app.database.prepare('SELECT * FROM unused_texts').all().length;
    return { ...api, left: [(await api.get(`/environments/${environment.id}`)).status, texts] };
  };
  /** As a process does that dies behind the last visit of a campaign. */
  const leave = async ({ app, put }: TestApi) => {
    await put(`/environments/${environment.id}`, environment);
    const note = app.database.prepare('INSERT INTO unused_texts (one, removal) VALUES (1, 1)');
    await app.commit(() => note.run());
    await app.close();
  };
  await leave(await started());
  const second = await started();
  assert.deepEqual(second.left, [404, 0]);
  await leave(second);
  const other = openDatabase(database);
  t.after(() => other.close());
  const third = await started(() => void other.exec('BEGIN IMMEDIATE'));
  assert.equal(third.left[1], 1);
  await third.app.close();
  other.exec('ROLLBACK');
  assert.deepEqual((await started()).left, [404, 0]);
});

test('a visit refers to no discovery of another campaign, and one that does keeps that campaign from nothing', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'] });
  const lease = await api.lease();
  const discovery = sampleDiscovery(lease);
  await api.put(`/leases/${lease.id}/discoveries/${discovery.id}`, discovery);
  await api.upload(lease, sampleVisit(lease, 0, { discoveryId: discovery.id }));
  await api.complete(lease);
  await api.campaign({ protocols: ['h2'] });
  const other = await api.lease();
  const refused = await api.upload(other, sampleVisit(other, 0, { discoveryId: discovery.id }));
  assert.deepEqual([refused.status, refused.body.type], [422, problemType('unknown-reference')]);
  assert.match(refused.body.detail, /There is no discovery .+ in campaign 2\./);
  const visit = sampleVisit(other, 0);
  assert.equal((await api.upload(other, visit)).status, 201);
  // As a service that did not look at the campaign stored it.
  const refer = api.app.database.prepare('UPDATE visits SET discoveryId = ? WHERE id = ?');
  await api.app.commit(() => refer.run(discovery.id, visit.id));

  assert.equal((await api.delete('/campaigns/1?purge=true')).status, 204);
  await api.app.campaignDeletion.settled();
  assert.equal(api.app.database.prepare('SELECT 1 FROM campaigns WHERE id = 1').get(), undefined);
  assert.equal((await api.get(`/visits/${visit.id}`)).body.discoveryId, null);
});

test('nothing that was measured of a deleted campaign is left in the files, nor in free pages of them', async (t) => {
  const folder = testFolder(t);
  const database = join(folder, 'pronghorn.db');
  const api = await testApi(t, { database, evidenceDirectory: join(folder, 'evidence') });
  await api.campaign({ protocols: ['h2'] });
  const other = await api.lease();
  const shared = 'https://site.example/of-both';
  await api.upload(other, sampleVisit(other, 0, { resources: [sampleResource(0, { url: shared })] }));
  await api.complete(other);

  const person = 'jane-roe-1980';
  await api.campaign({
    ...{ name: `page of ${person}`, protocols: ['h2'], rounds: 2, annotations: { branch: person } },
    sites: [{ url: `https://site.example/?user=${person}`, name: person }],
  });
  const { browser, ...ranIn } = sampleEnvironment('c'.repeat(64));
  const flags = [`--origin-to-force-quic-on=${person}.example:443`];
  await api.put(`/environments/${ranIn.id}`, { ...ranIn, browser: { ...browser, flags } });
  for (const round of [0, 1]) {
    const lease = await api.lease();
    const discovery = sampleDiscovery(lease, { redirects: [`https://site.example/${person}`] });
    await api.put(`/leases/${lease.id}/discoveries/${discovery.id}`, discovery);
    const url = `https://site.example/${person}/${'x'.repeat(3_000)}/${round}`;
    const resources = [sampleResource(0, { url }), sampleResource(1, { url: shared }), sampleResource(2, { server: person })];
    await api.upload(lease, sampleVisit(lease, 0, { finalUrl: url, discoveryId: discovery.id, environmentId: ranIn.id, resources }));
    await api.complete(lease);
  }
  await api.get('/campaigns/2/results');
  const found = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile() && readFileSync(join(file.parentPath, file.name)).includes(person))
      .map(({ name }) => name);
  assert.notDeepEqual(found(), []);
  assert.equal((await api.delete('/campaigns/2?purge=true')).status, 204);
  await api.app.campaignDeletion.settled();
  const texts = api.app.database.prepare<[], { value: string }>(`SELECT value FROM strings WHERE value LIKE 'https:%'`).all();
  assert.deepEqual(
    texts.map(({ value }) => value),
    [shared],
  );
  await api.app.close();
  assert.deepEqual(found(), []);
});

test('a deletion is taken back within a week, whole; after that nothing is left', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h3'] });
  const visit = await perform(api);
  const lease = api.app.tables.leases.ofAttempt(1, 1)?.id;
  const before = countsOf(api);
  const days = async (count: number) => {
    api.clock.now += count * 86_400_000;
    await api.app.commit(api.app.tables.clock.believe); // it ran all the time
    await api.app.campaignDeletion.tick();
    await api.app.campaignDeletion.settled();
  };
  assert.equal((await api.delete('/campaigns/1')).status, 204);
  for (const path of [
    '/campaigns/1',
    '/campaigns/1/queue',
    `/leases/${lease}/discoveries`,
    `/visits/${visit}`,
    `/visits/${visit}/resources`,
    `/visits/${visit}/evidence`,
    `/visits/${visit}/evidence-files`,
    '/rounds/1',
  ])
    assert.equal((await api.app.inject(`/api/v1${path}`)).statusCode, 404, path);
  await days(6);
  assert.deepEqual([countsOf(api), (await api.post('/campaigns/1/restore')).body.progress.visitsValid], [before, 1]);
  assert.equal((await api.get(`/visits/${visit}`)).status, 200);
  assert.equal((await api.get('/campaigns/1/results')).status, 200);
  assert.equal((await api.post('/campaigns/1/restore')).status, 200, 'once more does no harm');

  await api.delete('/campaigns/1');
  await days(8);
  assert.equal((await api.post('/campaigns/1/restore')).status, 404);
  assert.equal(countsOf(api)[0], 0);
  const actions = (await api.get('/audit')).body.items.map(({ action }: { action: string }) => action).reverse();
  assert.deepEqual(actions.slice(1), ['campaign.delete', 'campaign.restore', 'campaign.delete']);
});

test('a wrong clock removes no deleted campaign, and one that is deleted can be purged', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h3'] });
  await perform(api);
  await api.delete('/campaigns/1');
  api.clock.now += 3_650 * 86_400_000;
  await api.app.campaignDeletion.tick();
  await api.app.campaignDeletion.settled();
  assert.equal(countsOf(api)[0], 1);
  api.clock.now -= 3_650 * 86_400_000;
  assert.equal((await api.delete('/campaigns/1')).status, 404);
  assert.equal((await api.delete('/campaigns/1?purge=true')).status, 204);
  await api.app.campaignDeletion.settled();
  assert.equal(countsOf(api)[0], 0);
});
