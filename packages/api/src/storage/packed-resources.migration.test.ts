import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Resource } from '@pronghorn/core/schemas';
import Sqlite from 'better-sqlite3';
import { createResourcesRepository } from '../plugins/app/resources/resources-repository.ts';
import { sampleResource } from '../testing/samples.ts';
import { migrate, readMigrations } from './migrate.ts';

/** As they were stored up to schema version 11: a row for each, texts by id. */
function insertRows(database: Sqlite.Database, visitSeq: number, resources: readonly Resource[]): void {
  const idOf = (text: string) => {
    database.prepare('INSERT OR IGNORE INTO strings (value) VALUES (?)').run(text);
    return database.prepare<[string], { id: number }>('SELECT id FROM strings WHERE value = ?').get(text)?.id;
  };
  for (const resource of resources) {
    const { blocked: _, headerBytes: __, encodedBodyBytes: ___, headers: ____, ...then } = resource;
    const columns = Object.entries(then).map(([field, value]): [string, unknown] => {
      if (typeof value === 'string') return [field, idOf(value)];
      if (typeof value === 'boolean') return [field, value ? 1 : 0];
      return field.endsWith('Ms') ? [field.replace(/Ms$/, 'Us'), value && Math.round(value * 1000)] : [field, value];
    });
    const names = columns.map(([name]) => name);
    const insert = database.prepare(`INSERT INTO resources (visitSeq, ${names}) VALUES (${visitSeq}, ${names.map((name) => `@${name}`)})`);
    insert.run(Object.fromEntries(columns));
  }
}

test('resources that were stored as rows are packed with all that they say, and new visits use the same texts', async () => {
  const database = new Sqlite(':memory:');
  migrate(
    database,
    readMigrations().filter(({ version }) => version <= 4),
  );
  database.exec(`
    INSERT INTO campaigns (id, createdAt, state, spec) VALUES (1, '2026-01-01T00:00:00.000Z', 'running', '{"engine":"puppeteer","browser":"chrome","conditions":[]}');
    INSERT INTO sites (id, url, expectStatus) VALUES (1, 'https://site.example/', 200);
    INSERT INTO campaign_sites (campaignId, place, siteId, name) VALUES (1, 0, 1, 'site');
    INSERT INTO rounds (id, campaignId, siteId, condition, view, number, slotOrder, attempt) VALUES (1, 1, 1, 'native', 'cold', 1, '[0]', 1);
    INSERT INTO leases (id, roundId, attempt, runner, leasedAt, expiresAt) VALUES ('l', 1, 1, 'r', 0, 1);
    INSERT INTO visits (seq, id, campaignId, roundId, attempt, slot, protocol, position, retry, startedAt, wallMs, contentHash, verdict, reason, detail)
      SELECT value, 'v' || value, 1, 1, 1, 0, 'h2', 0, 0, '2026-01-01T00:00:00.000Z', 1, x'00', 'invalid', 'http-status', '' FROM json_each('[7, 8]');`);
  const unknown = { headerBytes: null, encodedBodyBytes: null, headers: null };
  const first = [0, 1, 2].map((seq) => sampleResource(seq, { ...unknown, failure: 'net::ERR_ABORTED' }));
  const second = [
    sampleResource(0, { ...unknown, protocol: null, connectionReused: false, linked: false, endMs: null, connectMs: null, server: '' }),
  ];
  insertRows(database, 7, first.toReversed());
  insertRows(database, 8, second);
  migrate(database);

  const repository = createResourcesRepository(database);
  assert.deepEqual(repository.of(7), first);
  assert.deepEqual(repository.of(8), second);
  const texts = () => database.prepare<[], { count: number }>('SELECT count(*) AS count FROM strings').get()?.count;
  const before = texts();
  database.pragma('foreign_keys = OFF');
  repository.insertAll(9, first);
  assert.equal(texts(), before);
  repository.deleteThrough(9, 100);
  const step = repository.sweep(async (work) => work()) ?? assert.fail();
  while (!(await step(10)));
  assert.equal(texts(), 0);
  database.close();
});
