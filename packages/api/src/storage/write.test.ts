import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { testFolder } from '../testing/test-api.ts';
import { openDatabase } from './database.ts';
import { createWrite } from './write.ts';

/** A database with one who changes it, and another that takes its lock. */
function shared(t: TestContext, waitMs?: number) {
  const file = join(testFolder(t), 'pronghorn.db');
  const database = openDatabase(file);
  database.exec('CREATE TABLE notes (text TEXT UNIQUE)');
  const other = new Sqlite(file, { timeout: 0 });
  t.after(() => {
    other.close();
    database.close();
  });
  const notes = () =>
    database
      .prepare<[], { text: string }>('SELECT text FROM notes ORDER BY rowid')
      .all()
      .map(({ text }) => text);
  const write = createWrite(database, waitMs);
  const insert = database.prepare<[string]>('INSERT INTO notes (text) VALUES (?)');
  return { database, other, notes, write, add: (text: string) => insert.run(text) };
}

test('while another process holds the lock, changes wait in turn, and everything else goes on', async (t) => {
  const { other, notes, write, add } = shared(t);
  other.exec('BEGIN IMMEDIATE');
  const made: string[] = [];
  const waiting = ['first', 'second', 'third'].map((text) =>
    write(() => add(text)).then(() => {
      made.push(text);
    }),
  );
  let [turns, longestMs] = [0, 0];
  for (let before = performance.now(); turns < 200; turns += 1) {
    await nextTurn();
    assert.deepEqual(notes(), []);
    longestMs = Math.max(longestMs, performance.now() - before);
    before = performance.now();
  }
  // A change that waited in SQLite itself would keep it for all of the 25 s.
  assert.ok(longestMs < 20_000, `the event loop stood still for ${longestMs} ms`);
  other.exec("INSERT INTO notes VALUES ('of another'); COMMIT");
  await Promise.all(waiting);
  assert.deepEqual(notes(), ['of another', 'first', 'second', 'third']);
  assert.deepEqual(made, ['first', 'second', 'third']);
});

test('a lock that is held too long is an error, and the change is never made', async (t) => {
  const { other, notes, write, add } = shared(t, 20);
  other.exec('BEGIN IMMEDIATE');
  const waiting = write(() => add('too late'));
  await assert.rejects(waiting, { code: 'SQLITE_BUSY' });
  other.exec('ROLLBACK');
  await write(() => add('in time'));
  assert.deepEqual(notes(), ['in time']);
});

test('a change is made wholly or not at all, and the next is made all the same', async (t) => {
  const { other, notes, write, add } = shared(t);
  const twice = () => {
    add('new');
    add('new');
  };
  await assert.rejects(write(twice), /UNIQUE/);
  other.exec('BEGIN IMMEDIATE');
  const waiting = [write(twice), write(() => add('after it'))];
  other.exec('ROLLBACK');
  const [failed, made] = await Promise.allSettled(waiting);
  assert.deepEqual([failed?.status, made?.status], ['rejected', 'fulfilled']);
  assert.deepEqual(notes(), ['after it']);
});

test('what is no change can’t write, and a change can’t begin within another', async (t) => {
  const { database, notes, write, add } = shared(t);
  assert.throws(() => add('by the way'), /changed by app\.commit alone/);
  await write(() => add('a change'));
  assert.throws(() => database.exec('DELETE FROM notes'), /changed by app\.commit alone/);
  let inner: Promise<unknown> | undefined;
  await write(() => {
    inner = write(() => add('within'));
    inner.catch(() => {});
  });
  await assert.rejects(inner ?? assert.fail(), /within another/);
  assert.deepEqual(notes(), ['a change']);
});
