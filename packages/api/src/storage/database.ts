// Opens the SQLite database that holds everything but evidence.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { giveToFolderOwner, makePrivate } from './folder-owner.ts';
import { type MigrationProgress, migrate, readMigrations } from './migrate.ts';

export type { Database } from 'better-sqlite3';

/** 'PRON' in ASCII, in the file's header: tells our databases from other programs'. */
export const applicationId = 0x50_52_4f_4e;

/** An empty database of the newest schema: each one in memory is a copy of the first, which takes a twentieth of migrating. */
let newest: Buffer | undefined;

/**
 * Opens the database, makes it if it is not there, and brings it to the newest schema.
 *
 * Write-ahead log with synchronous=NORMAL: a committed visit outlives the process however it dies, because the log is already
 * with the kernel; power loss may cost the last moments, never the database. FULL would add a disk flush to each upload.
 *
 * @param file a path, or ':memory:'.
 * @param options.busyTimeoutMs how long to wait for another process's lock; default 5000.
 * @param options.onMigration called before each migration.
 * @param options.migrations folder; default: those of this version.
 * @throws Error that names the file, what is wrong with it and what to do.
 */
export function openDatabase(
  file: string,
  options: { busyTimeoutMs?: number; onMigration?: (progress: MigrationProgress) => void; migrations?: string | undefined } = {},
): Database {
  let database: Database | undefined;
  try {
    if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const inMemory = file === ':memory:';
    const isNew = !inMemory && !existsSync(file);
    if (isNew) makePrivate(file);
    database = new Sqlite((inMemory && newest) || file, { timeout: options.busyTimeoutMs ?? 5000 });
    assertOurs(database);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    database.pragma('secure_delete = ON'); // what is deleted is overwritten: URLs may hold something of a person
    database.pragma('journal_size_limit = 67108864'); // a log grown by a long read is cut back to 64 MB
    database.pragma(`application_id = ${applicationId}`); // writes: a read-only file is found out now, not at the first visit
    migrate(database, readMigrations(options.migrations), options.onMigration);
    // The log and its index get the database's own owner by SQLite, from then on.
    if (isNew) giveToFolderOwner(file, `${file}-wal`, `${file}-shm`);
    if (inMemory) newest ??= database.serialize();
    return database;
  } catch (error) {
    database?.close();
    throw new Error(`The database ${file} ${whatToDo(error)}`, { cause: error });
  }
}

/**
 * Another connection to a database that is open, for reading alone: what is long to read is read beside the one that writes.
 * @throws Error as of `openDatabase`.
 */
export const openToRead = (file: string): Database => connect(file, { readonly: true, timeout: 5000 });

/**
 * Another connection to a database that is open, for a thread that may wait for other writers.
 * @param options.waitMs how long to wait for another process's lock; default 25 s.
 * @param options.checkpointPages of the log, from which on a write moves them into the file; default 0: never, somebody else does it.
 * @throws Error as of `openDatabase`.
 */
export function openToWrite(file: string, { waitMs = 25_000, checkpointPages = 0 } = {}): Database {
  const database = connect(file, { timeout: waitMs });
  database.pragma('synchronous = NORMAL');
  database.pragma('secure_delete = ON');
  database.pragma(`wal_autocheckpoint = ${checkpointPages}`);
  return database;
}

/** Whether another process or connection holds the lock. */
export const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test((error as { code?: string }).code ?? '');

function connect(file: string, options: Sqlite.Options): Database {
  try {
    return new Sqlite(file, options);
  } catch (error) {
    throw new Error(`The database ${file} ${whatToDo(error)}`, { cause: error });
  }
}

/** Before anything is written: even the journal mode is kept in the file, and another program's file must stay as it is. */
function assertOurs(database: Database): void {
  // Of one moment: another process may be making the file.
  const [found, objects] = database.transaction(() => [
    database.pragma('application_id', { simple: true }) as number,
    database.prepare<[], number>('SELECT count(*) FROM sqlite_schema').pluck().get() ?? 0,
  ])() as [number, number];
  if (found === applicationId || (found === 0 && objects === 0)) return;
  throw new Error('belongs to another program. Name another file.');
}

function whatToDo(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return 'is locked by another process. End that process, or name another file.';
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) {
    return `is damaged or no SQLite database (${message}). Move it away to start with an empty one, or put a backup in its place.`;
  }
  if (code === 'SQLITE_FULL' || code === 'ENOSPC') return 'has no room: the disk is full. Free some space, or name a file on another disk.';
  if (/^(SQLITE_(CANTOPEN|READONLY|PERM|IOERR)|E[A-Z]+$)/.test(code)) {
    return `cannot be opened for writing (${message}). Check the path and its permissions, or name another file.`;
  }
  return message;
}
