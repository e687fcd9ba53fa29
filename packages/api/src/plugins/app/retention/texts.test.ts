import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textHash } from '../../../tables/resources-repository.ts';
import { sampleResource, sampleVisit } from '../../../testing/samples.ts';
import { testApi } from '../../../testing/test-api.ts';
import { createSweep } from './unused-texts.ts';

test('texts of the same hash are told apart', async (t) => {
  const { app } = await testApi(t);
  // 32 bits over some hundred thousand texts meet sooner or later.
  // The first two of https://site.example/0, /1, …, /z, /10, … that do.
  const [first, second] = ['https://site.example/1wl8', 'https://site.example/yqd6'] as const;
  assert.equal(textHash(first), textHash(second));
  const insert = app.database.prepare('INSERT INTO strings (hash, value) VALUES (?, ?)');
  await app.commit(() => insert.run(textHash(first), first));
  const resources = [sampleResource(0, { url: second }), sampleResource(1, { url: first })];
  const campaignId = await app.store.campaigns.submit({ sites: [{ url: 'https://a.example/' }], protocols: ['h2'], rounds: 1 }, null);
  const lease = await app.queue.lease({ runner: 'r', campaignId });
  assert.ok(lease);
  const visit = sampleVisit(lease, 0, { resources });
  await app.store.queue.upload(lease.id, visit);
  assert.deepEqual(
    app.tables.resources.of(app.tables.visits.findSeq(visit.id) ?? 0).map(({ url }) => url),
    [second, first],
  );
});

test('texts go when the last visit that uses them has lost its resources, and not before', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'], rounds: 3 });
  const values = () =>
    api.app.database
      .prepare<[], { value: string }>('SELECT value FROM strings')
      .all()
      .map(({ value }) => value);
  const visits: string[] = [];
  for (let round = 0; round < 3; round++) {
    const lease = await api.lease();
    const visit = sampleVisit(lease, 0, {
      resources: [sampleResource(0), sampleResource(1, { url: `https://site.example/once-${round}` })],
    });
    await api.upload(lease, visit);
    await api.complete(lease);
    visits.push(visit.id);
  }
  const seqOf = (place: number) => api.app.tables.visits.findSeq(visits[place] ?? '') ?? 0;
  const { resources } = api.app.tables;
  const sweep = async () => {
    const step = await createSweep(api.app.store.texts);
    while (step !== undefined && !(await step(10)));
  };
  assert.equal(await createSweep(api.app.store.texts), undefined, 'nothing was removed');
  const before = values().length;

  assert.equal(await api.app.commit(() => resources.deleteThrough(seqOf(1), 1)), 1);
  assert.equal(await api.app.commit(() => resources.deleteThrough(seqOf(1), 5)), 1);
  assert.equal(await api.app.commit(() => resources.deleteThrough(seqOf(1), 5)), 0);
  await sweep();
  assert.equal(values().length, before - 2); // once-0 and once-1
  assert.equal(await createSweep(api.app.store.texts), undefined, 'somebody looked since');
  assert.ok(!values().some((value) => /once-[01]/.test(value)));
  assert.deepEqual(resources.of(seqOf(0)), []);
  assert.deepEqual(
    resources.of(seqOf(2)).map(({ url }) => url),
    [sampleResource(0).url, 'https://site.example/once-2'],
  );

  await api.app.commit(() => resources.deleteThrough(seqOf(2), 5));
  await sweep();
  assert.deepEqual(
    values().filter((value) => /once/.test(value)),
    [],
  );
});

test('a text that a visit begins to use while unused ones are looked for stays, and so does one of a removed visit that a later one uses', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'], rounds: 4 });
  const visit = async (...names: string[]) => {
    const lease = await api.lease();
    const made = sampleVisit(lease, 0, {
      resources: names.map((name, seq) => sampleResource(seq, { url: `https://site.example/${name}` })),
    });
    await api.upload(lease, made);
    await api.complete(lease);
    return api.app.tables.visits.findSeq(made.id) ?? 0;
  };
  const values = () =>
    api.app.database
      .prepare<[], { name: string }>(
        `SELECT substr(value, 22) AS name FROM strings WHERE value LIKE 'https://site.example/_' ORDER BY value`,
      )
      .all()
      .map(({ name }) => name);
  await visit('a', 'b', 'c');
  const kept = await visit('b', 'd');
  const { resources } = api.app.tables;
  await api.app.commit(() => resources.deleteThrough(kept - 1, 10));
  const step = (await createSweep(api.app.store.texts)) ?? assert.fail();
  assert.equal(await step(1_000), false, 'what visits use is read');
  await visit('c', 'e');
  while (!(await step(1_000)));
  assert.deepEqual(values(), ['b', 'c', 'd', 'e']);
  assert.deepEqual(
    resources.of(kept + 1).map(({ url }) => url),
    ['https://site.example/c', 'https://site.example/e'],
  );
});
