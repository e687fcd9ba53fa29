import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { nextOutput } from '@pronghorn/core/testing';
import Sqlite from 'better-sqlite3';
import { buildApi } from '../app.ts';
import { sampleVisit } from '../testing/samples.ts';
import { testApi, testFolder } from '../testing/test-api.ts';
import { backUp } from './backup.ts';

test('a backup that is made while visits are stored is consistent, and a service starts from it', async (t) => {
  const folder = testFolder(t);
  const [database, evidence] = [join(folder, 'pronghorn.db'), join(folder, 'evidence')];
  const setUp = await buildApi({ database, evidenceDirectory: evidence });
  await setUp.store.campaigns.submit({ sites: [{ url: 'https://site.example/' }], protocols: ['h2', 'h3'], rounds: 5_000 });
  await setUp.close();

  const options = JSON.stringify({ database, evidenceDirectory: evidence });
  const writer = spawn(process.execPath, [join(import.meta.dirname, '../testing/restless-runner.ts'), options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => writer.kill('SIGKILL'));
  const said: string[] = [];
  const lines = createInterface({ input: writer.stdout });
  lines.on('line', (line) => said.push(line));
  await nextOutput(writer, lines, 'line');
  const copies = [];
  for (let copy = 0; copy < 3; copy += 1) {
    const [saidBefore, target] = [said.length, join(folder, `copy-${copy}`)];
    copies.push({ target, saidBefore, ...(await backUp({ database, evidence: null, target, force: false })) });
    const next = said.length + 20; // the next copy is of another state
    while (said.length < next && !said.includes('end')) await nextOutput(writer, lines, 'line');
  }
  assert.ok(!said.includes('end'), 'the writer wrote all the time');

  for (const { target, saidBefore, visits } of copies) {
    const stored = said.slice(0, saidBefore).filter((line) => line.startsWith('visit '));
    const api = await buildApi({ database: join(target, 'pronghorn.db'), evidenceDirectory: join(target, 'evidence') });
    for (const line of stored)
      assert.ok(await api.store.visits.find(line.slice('visit '.length)), `${line} was stored before the copy began`);
    const counted = api.database.prepare<[], { n: number }>('SELECT count(*) AS n FROM visits').get()?.n;
    assert.deepEqual([counted, (await api.store.campaigns.find('1'))?.state], [visits, 'running']);
    assert.ok(await api.queue.lease({ runner: 'another' }), 'the campaign goes on');
    await api.close();
  }
});

test('evidence comes along by hard links', async (t) => {
  const api = await testApi(t, { database: ':memory:' });
  const folder = testFolder(t);
  const database = join(folder, 'pronghorn.db');
  const stored = await buildApi({ database, evidenceDirectory: join(api.folder, 'evidence') });
  await stored.store.campaigns.submit({ sites: [{ url: 'https://site.example/' }], protocols: ['h2'], rounds: 1 });
  const lease = await stored.queue.lease({ runner: 'runner' });
  assert.ok(lease);
  const visit = sampleVisit(lease, 0);
  await stored.store.queue.upload(lease.id, visit);
  await stored.inject({
    method: 'PUT',
    url: `/api/v1/visits/${visit.id}/evidence`,
    payload: gzipSync('{}'),
    headers: { 'content-type': 'application/gzip' },
  });
  await stored.close();
  const hash = createHash('sha256').update(gzipSync('{}')).digest('hex');
  const target = join(api.folder, 'copy');
  const made = await backUp({ database, evidence: join(api.folder, 'evidence'), target, force: false });
  assert.deepEqual([made.visits, made.evidenceFiles], [1, 1]);
  const [original, copy] = [api.folder, target].map((where) => statSync(join(where, 'evidence', hash.slice(0, 2), hash)));
  assert.equal(original?.ino, copy?.ino);
});

test('a copy has the evidence that its database names and no other, and keeps it whatever the service removes', async (t) => {
  const api = await testApi(t, { database: join(testFolder(t), 'pronghorn.db') });
  await api.campaign({ protocols: ['h2'], rounds: 3 });
  const ids: string[] = [];
  const put = (id: string, payload: Buffer) =>
    api.app.inject({ method: 'PUT', url: `/api/v1/visits/${id}/evidence/trace`, payload, headers: { 'content-type': 'application/gzip' } });
  for (let round = 0; round < 3; round += 1) {
    const lease = await api.lease();
    const visit = sampleVisit(lease, 0);
    await api.upload(lease, visit);
    await api.complete(lease);
    ids.push(visit.id);
    await put(visit.id, gzipSync(visit.id));
  }
  const evidence = join(api.folder, 'evidence');
  const stray = createHash('sha256').update('stray').digest('hex');
  mkdirSync(join(evidence, stray.slice(0, 2)), { recursive: true });
  writeFileSync(join(evidence, stray.slice(0, 2), stray), 'stray');
  await api.app.commit(() => api.app.database.exec(`INSERT INTO evidence_incoming VALUES ('of another process', 1000, ${Date.now()})`));
  const target = join(api.folder, 'copy');
  const made = await backUp({ database: api.app.database.name, evidence, target, force: false });
  assert.equal(made.evidenceFiles, 3);
  for (const id of ids) await put(id, gzipSync('another'));
  const copy = await testApi(t, { database: join(target, 'pronghorn.db'), evidenceDirectory: join(target, 'evidence') });
  assert.deepEqual(await copy.app.evidence.mend(), { stray: 0, lost: 0, found: 0 });
  for (const id of ids) assert.deepEqual((await copy.app.inject(`/api/v1/visits/${id}/evidence/trace`)).rawPayload, gzipSync(id));
  assert.deepEqual(
    (await copy.app.store.evidence.usage()).find(({ what }) => what === 'incoming'),
    { what: 'incoming', count: 0, bytes: 0 },
  );
});

test('what is there is replaced only when that is asked for', async (t) => {
  const folder = testFolder(t);
  const database = join(folder, 'pronghorn.db');
  await (await buildApi({ database, evidenceDirectory: join(folder, 'evidence') })).close();
  for (const name of ['copy.db', 'copy']) {
    const target = join(folder, name);
    const options = { database, evidence: null, target };
    if (name === 'copy') mkdirSync(target);
    writeFileSync(name === 'copy' ? join(target, 'mine') : target, 'mine');
    await assert.rejects(backUp({ ...options, force: false }), /is there already\. Name another, or replace it with --force/);
    assert.ok(name === 'copy' ? existsSync(join(target, 'mine')) : readFileSync(target, 'utf8') === 'mine');
    await backUp({ ...options, force: true });
    const copied = new Sqlite(name === 'copy' ? join(target, 'pronghorn.db') : target, { readonly: true });
    assert.equal(copied.pragma('integrity_check', { simple: true }), 'ok');
    copied.close();
  }
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('copy')),
    ['copy', 'copy.db'],
  );
});

test('what is no database of Pronghorn is not copied, and nothing is left of the attempt', async (t) => {
  const folder = testFolder(t);
  const other = new Sqlite(join(folder, 'other.db'));
  other.exec('CREATE TABLE mine (a)');
  other.close();
  const options = { evidence: null, target: join(folder, 'copy'), force: false };
  await assert.rejects(backUp({ ...options, database: join(folder, 'other.db') }), /other\.db is no database of Pronghorn/);
  await assert.rejects(backUp({ ...options, database: join(folder, 'none.db') }), /unable to open database file/);
  await assert.rejects(
    backUp({ ...options, database: join(folder, 'other.db'), evidence: folder, target: join(folder, 'copy.db') }),
    /Evidence needs a folder/,
  );
  assert.deepEqual(readdirSync(folder), ['other.db']);
});
