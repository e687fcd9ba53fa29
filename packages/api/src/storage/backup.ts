// Copies a data folder while the service writes to it. The copy is a data folder again: to restore it, point `serve` at it.
import { existsSync } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { applicationId } from './database.ts';

export type BackupOptions = {
  /** The database that is copied. */
  database: string;
  /** Folder of the evidence, to copy it too; null: the database alone. Needs a folder as target. */
  evidence: string | null;
  /** A file when its name ends in .db; else a folder, with the names of a data folder in it. */
  target: string;
  /** Whether what is there may be replaced. */
  force: boolean;
};

export type Backup = { campaigns: number; visits: number; bytes: number; evidenceFiles: number };

/**
 * Makes a copy that is whole or not there at all: it is checked before it gets its name.
 * @throws Error that names what is in the way, or what is wrong with the copy.
 */
export async function backUp({ database, evidence, target, force }: BackupOptions): Promise<Backup> {
  const isFile = target.endsWith('.db');
  if (isFile && evidence !== null) throw new Error(`Evidence needs a folder; ${target} names a file. Leave out the .db.`);
  if (existsSync(target) && !force) throw new Error(`${target} is there already. Name another, or replace it with --force.`);
  const partial = `${target.replace(/\/+$/, '')}.partial`;
  await rm(partial, { recursive: true, force: true }); // of a backup that was cut off
  await mkdir(isFile ? dirname(target) : partial, { recursive: true, mode: 0o700 });
  try {
    const file = isFile ? partial : join(partial, 'pronghorn.db');
    // Before the database and after it: a file that the copy's index names was there when the database was copied, and may be gone by now, or have come
    // just before.
    if (evidence !== null) await linkAll(evidence, join(partial, 'evidence'));
    const counts = await copyDatabase(database, file);
    const evidenceFiles = evidence === null ? 0 : await matchIndex(evidence, join(partial, 'evidence'), file);
    const { size } = await stat(file);
    await moveInPlace(partial, target, force);
    return { ...counts, bytes: size, evidenceFiles };
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

async function copyDatabase(source: string, copy: string): Promise<{ campaigns: number; visits: number }> {
  const database = new Sqlite(source, { readonly: true, fileMustExist: true, timeout: 5_000 });
  let before: DatabaseState;
  try {
    if (database.pragma('application_id', { simple: true }) !== applicationId) throw new Error(`${source} is no database of Pronghorn.`);
    before = stateOf(database);
    // All pages in one step, from one state of the database: in several, each write of the service would begin it anew. In
    // write-ahead mode that keeps nobody from writing.
    await database.backup(copy, { progress: () => 0x7fff_ffff });
  } finally {
    database.close();
  }
  return verify(copy, before);
}

type DatabaseState = { version: number; lastVisit: number; campaigns: number; visits: number };

function stateOf(database: Sqlite.Database): DatabaseState {
  const number = (sql: string) => Number(database.prepare<[], { n: number | null }>(sql).get()?.n ?? 0);
  return {
    version: Number(database.pragma('user_version', { simple: true })),
    lastVisit: number(`SELECT seq AS n FROM sqlite_sequence WHERE name = 'visits'`),
    campaigns: number('SELECT count(*) AS n FROM campaigns'),
    visits: number('SELECT count(*) AS n FROM visits'),
  };
}

/** @param before of the source, when the copy began. */
async function verify(copy: string, before: DatabaseState): Promise<{ campaigns: number; visits: number }> {
  const database = new Sqlite(copy);
  const refuse = (why: string) => {
    throw new Error(
      `The copy ${why}. Nothing was kept; check the disk, and the source with: sqlite3 pronghorn.db 'PRAGMA integrity_check'.`,
    );
  };
  try {
    database.pragma('journal_mode = DELETE'); // one file, that can be read from anywhere; `serve` sets it back
    const problems = (database.pragma('integrity_check') as { integrity_check: string }[]).map((row) => row.integrity_check);
    if (problems.join() !== 'ok') refuse(`is damaged (${problems.slice(0, 3).join('; ')})`);
    if ((database.pragma('foreign_key_check') as unknown[]).length > 0) refuse('has references to nothing');
    const after = stateOf(database);
    if (after.version !== before.version) refuse(`has schema version ${after.version} instead of ${before.version}`);
    if (after.lastVisit < before.lastVisit) refuse(`ends with visit ${after.lastVisit}, and the source had ${before.lastVisit} before`);
    return { campaigns: after.campaigns, visits: after.visits };
  } finally {
    database.close();
  }
}

/** By hard links where that is possible: a file of evidence never changes. */
async function linkAll(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name === 'incoming') continue;
    await mkdir(join(to, entry.name), { recursive: true });
    for (const name of await readdir(join(from, entry.name))) await linkOne(join(from, entry.name, name), join(to, entry.name, name));
  }
}

/** @returns whether it is there. */
async function linkOne(source: string, copy: string): Promise<boolean> {
  try {
    await link(source, copy).catch((error) =>
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? Promise.reject(error) : copyFile(source, copy),
    );
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error; // it was removed meanwhile
    return false;
  }
}

/**
 * Makes a copy of the evidence what the index in a copy of the database says.
 * @returns how many files there are.
 */
async function matchIndex(from: string, to: string, copy: string): Promise<number> {
  const database = new Sqlite(copy);
  try {
    database.exec('DELETE FROM evidence_incoming'); // uploads of processes that know nothing of the copy
    const rows = database.prepare<[], { name: string }>('SELECT lower(hex(hash)) AS name FROM evidence_files WHERE refs > 0').all();
    const indexed = new Set(rows.map(({ name }) => name));
    const there = new Set<string>();
    await mkdir(to, { recursive: true });
    for (const folder of await readdir(to)) {
      for (const name of await readdir(join(to, folder))) {
        if (/^[0-9a-f]{64}$/.test(name) && !indexed.has(name)) await rm(join(to, folder, name));
        else there.add(name);
      }
    }
    for (const name of indexed) {
      if (there.has(name)) continue;
      await mkdir(join(to, name.slice(0, 2)), { recursive: true });
      if (await linkOne(join(from, name.slice(0, 2), name), join(to, name.slice(0, 2), name))) there.add(name);
    }
    return there.size;
  } finally {
    database.close();
  }
}

async function moveInPlace(partial: string, target: string, force: boolean): Promise<void> {
  await synced((await stat(partial)).isDirectory() ? join(partial, 'pronghorn.db') : partial);
  const old = `${target.replace(/\/+$/, '')}.old`;
  if (force && existsSync(target)) {
    await rm(old, { recursive: true, force: true });
    await rename(target, old); // a folder can't be renamed onto another one
  }
  await rename(partial, target);
  await rm(old, { recursive: true, force: true });
  await synced(dirname(target));
}

/** Waits until it is on the disk, so that it survives a loss of power. */
async function synced(path: string): Promise<void> {
  await using file = await open(path, 'r');
  await file.sync();
}
