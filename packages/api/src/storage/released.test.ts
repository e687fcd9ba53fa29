// Databases of every earlier schema are brought to the newest one, and what is in them is still there. examples/NNNN.sql were made by the
// releases themselves (testing/example-database.ts); where a schema has no example of its own, the one before it is brought to it first.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page, Round, SiteDiscovery, Visit } from '@pronghorn/core/schemas';
import Sqlite from 'better-sqlite3';
import { dumpDatabase } from '../testing/dump-database.ts';
import { type TestApi, testApi, testFolder } from '../testing/test-api.ts';
import { openDatabase } from './database.ts';
import { migrate, readMigrations } from './migrate.ts';

type Told = {
  visits: Visit[];
  resources: object[];
  rounds: Round[];
  discoveries: SiteDiscovery[];
  /** By their path; absent from the first releases. */
  lists?: Record<string, object[]>;
};

const examples = join(import.meta.dirname, 'examples');
const versions = readdirSync(examples)
  .filter((name) => name.endsWith('.sql'))
  .map((name) => Number(name.slice(0, 4)))
  .sort((a, b) => a - b);
const migrations = readMigrations();
const newest = migrations.at(-1)?.version ?? 0;
const read = (version: number, kind: 'sql' | 'json') => readFileSync(join(examples, `${String(version).padStart(4, '0')}.${kind}`), 'utf8');

/** @param file not there yet. @returns the version of the example that it was made of */
function makeDatabase(file: string, version: number): number {
  const example = versions.findLast((each) => each <= version) ?? 0;
  const database = new Sqlite(file);
  database.pragma('foreign_keys = OFF');
  database.exec(read(example, 'sql'));
  migrate(database, migrations.slice(0, version));
  assert.equal(database.pragma('user_version', { simple: true }), version);
  database.close();
  return example;
}

const dumpOf = (file: string) => {
  const database = openDatabase(file);
  try {
    return dumpDatabase(database);
  } finally {
    database.close();
  }
};

test('there is an example of the first schema, and none of a schema that is to come', () => {
  assert.equal(versions[0], 1);
  assert.ok((versions.at(-1) ?? 0) <= newest, `examples/ goes up to ${versions.at(-1)}, the migrations to ${newest}`);
});

for (const { version } of migrations.slice(0, -1)) {
  test(`a database of schema ${version} is brought to the newest, and tells what it told before`, async (t) => {
    const file = join(testFolder(t), 'pronghorn.db');
    const before = JSON.parse(read(makeDatabase(file, version), 'json')) as Told;
    const api = await testApi(t, { database: file });
    assert.equal(api.app.database.pragma('integrity_check', { simple: true }), 'ok');
    assert.deepEqual(api.app.database.pragma('foreign_key_check'), []);
    await tellsTheSame(api, before, versions.includes(version));
    await goesOn(api);
  });
}

test('in steps or at once, the result is the same', (t) => {
  const folder = testFolder(t);
  for (const version of versions) {
    const [steps, once] = [join(folder, `${version}-steps.db`), join(folder, `${version}-once.db`)];
    makeDatabase(once, version);
    makeDatabase(steps, version);
    for (const { version: next } of migrations.filter((each) => each.version > version)) {
      const database = new Sqlite(steps);
      migrate(database, migrations.slice(0, next));
      database.close();
    }
    // But for the stamps of results, which are random.
    const withoutStamps = (file: string) => dumpOf(file).replaceAll(/^(INSERT INTO campaign_progress .*), '[0-9A-F]{16}'\);$/gm, '$1);');
    assert.equal(withoutStamps(steps), withoutStamps(once));
  }
});

test('a database that was brought on has the schema of a new one: no released migration was changed afterwards', (t) => {
  const folder = testFolder(t);
  const schemaOf = (file: string) =>
    dumpOf(file)
      .split('\n')
      .filter((line) => !/^(INSERT|DELETE|PRAGMA)/.test(line))
      .join('\n');
  const fresh = schemaOf(join(folder, 'new.db'));
  for (const version of versions) {
    const file = join(folder, `${version}.db`);
    makeDatabase(file, version);
    assert.equal(schemaOf(file), fresh, `schema ${version}`);
  }
});

/** The routes answer as their schemas promise (the test api holds every reply against its own), with what was stored. @param results too */
async function tellsTheSame(api: TestApi, before: Told, results: boolean): Promise<void> {
  const ok = async (path: string) => {
    const { status, body } = await api.get(path);
    assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
    return body;
  };
  const list = async <T extends object>(path: string): Promise<T[]> => ((await ok(path)) as Page<T>).items;
  assert.ok((await list('/campaigns')).length >= 2);
  assert.partialDeepStrictEqual(await list('/campaigns/1/visits'), before.visits);
  assert.partialDeepStrictEqual(await list('/campaigns/1/rounds'), before.rounds);
  assert.partialDeepStrictEqual(await list('/campaigns/1/discoveries'), before.discoveries);
  assert.partialDeepStrictEqual(await ok(`/visits/${before.visits[0]?.id}/resources`), before.resources);
  const computed = results ? ['/results', '/across?metric=onLoad', '/distributions?metric=onLoad'] : [];
  for (const path of ['', '/link-checks', '/log', ...computed]) await ok(`/campaigns/1${path}`);
  // Presets are of the release, not of the database.
  const kept = (items: object[]) => items.filter((item) => !('preset' in item && item.preset === true));
  for (const [noun, items] of Object.entries(before.lists ?? {}))
    assert.partialDeepStrictEqual(kept(await list(`/${noun}?limit=1000`)), kept(items));
  const environmentId = before.visits.find((visit) => visit.environmentId !== null)?.environmentId;
  await ok(`/environments/${environmentId}`);
  await ok(`/visits/${before.visits[0]?.id}/har`);
  const { progress } = (await ok('/campaigns/1')) as { progress: object };
  assert.deepEqual(progress, { rounds: 4, roundsDone: 1, visitsValid: 2, visitsInvalid: 1 });
}

/** Its queue works: the round that was given back is lent again, and the cancelled campaign can be resumed. */
async function goesOn(api: TestApi): Promise<void> {
  assert.equal((await api.lease({ campaignId: '1' })).round.campaignId, '1');
  assert.equal((await api.post('/campaigns/2/resume')).body.state, 'queued');
}
