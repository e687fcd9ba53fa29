import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Sqlite from 'better-sqlite3';
import { testFolder } from '../../../testing/test-api.ts';
import { openKeptResults } from './kept-results.ts';

test('a newer release may take the file at any time: results go to an own file, which is told once and gone in the end', (t) => {
  const folder = testFolder(t);
  const file = join(folder, 'kept.results.db');
  const warned: string[] = [];
  const kept = openKeptResults(file, (words) => void warned.push(words));
  kept.store.begin(1, 'one', 0);
  assert.deepEqual([kept.file(), warned], [file, []]);
  const newer = new Sqlite(file);
  t.after(() => newer.close());
  newer.exec('DROP TABLE campaigns; CREATE TABLE campaigns (other TEXT); PRAGMA user_version = 999');

  kept.store.finish(kept.store.begin(1, 'two', 0), {});
  assert.equal(kept.store.newest(1)?.version, 'two');
  assert.equal(warned.length, 1);
  assert.match(warned.join(), /kept\.results\.db keeps results of a newer release .* does not keep them/);
  const later = openKeptResults(file, () => {});
  assert.equal(later.store.newest(1), undefined);
  assert.ok(existsSync(kept.file()), 'another of this process is left alone');
  later.close();
  kept.close();
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.includes('own')),
    [],
  );
  assert.equal(newer.prepare('SELECT count(*) FROM campaigns').pluck().get(), 0);
});

test('own files of processes that died are removed at the start, others stay', (t) => {
  const folder = testFolder(t);
  const own = (host: string, pid: number) => `kept.results.own-${host}-${pid}-01234567.db`;
  const noProcess = 2 ** 22 + 1; // beyond what a pid can be
  const gone = [own(hostname(), noProcess), `${own(hostname(), noProcess)}-wal`, own(hostname(), process.pid)];
  const left = [own(hostname(), process.ppid), own('another', noProcess), 'kept.results.own-notes.db'];
  for (const name of [...gone, ...left]) writeFileSync(join(folder, name), '');
  openKeptResults(join(folder, 'kept.results.db'), () => {}).close();
  assert.deepEqual(readdirSync(folder).sort(), ['kept.results.db', ...left].sort());
});
