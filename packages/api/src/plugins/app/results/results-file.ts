// Opens the file that keeps results. It holds nothing that can't be computed again: whatever is wrong with it, it is made anew.
import { existsSync, rmSync } from 'node:fs';
import Sqlite, { type Database } from 'better-sqlite3';
import { makePrivate } from '../../../storage/folder-owner.ts';

/** Of the tables below; raised whenever they change. A file with a lower one is emptied, one with a higher one is a newer release's. */
const layout = 4;
/** 'PRNR' in ASCII, in the file's header. */
const applicationId = 0x50_52_4e_52;

const tables = `
CREATE TABLE campaigns (
  key INTEGER PRIMARY KEY AUTOINCREMENT, -- of one computation
  campaignId INTEGER NOT NULL,
  version TEXT NOT NULL, -- what it was computed from
  asOf INTEGER NOT NULL, -- milliseconds since 1970
  head BLOB, -- results without their groups; NULL while they are being written
  groups INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX campaigns_newest ON campaigns (campaignId, key);

CREATE TABLE groups (
  id INTEGER PRIMARY KEY, -- key × 10^7 + place in the order of the campaign, from 1
  siteId TEXT NOT NULL,
  condition TEXT NOT NULL,
  view TEXT NOT NULL,
  document BLOB NOT NULL, -- without its comparisons
  comparisons BLOB NOT NULL -- a line for each
) STRICT;

CREATE INDEX groups_of_site ON groups (siteId);

-- Which comparisons there are, for lists of some of them.
CREATE TABLE comparisons (
  id INTEGER PRIMARY KEY, -- its group's id × 100 + its line
  metric TEXT NOT NULL,
  candidate TEXT NOT NULL,
  baseline TEXT NOT NULL,
  outcome TEXT NOT NULL,
  confirmatory INTEGER NOT NULL
) STRICT;

-- Two campaigns held against one another.
CREATE TABLE compared (
  key INTEGER PRIMARY KEY AUTOINCREMENT, -- of one computation
  campaignId INTEGER NOT NULL,
  baselineId INTEGER NOT NULL,
  metric TEXT NOT NULL,
  version TEXT NOT NULL, -- of both, what it was computed from
  asOf INTEGER NOT NULL, -- milliseconds since 1970
  head BLOB, -- all but its places and outcomes; NULL while they are being written
  tookMs INTEGER NOT NULL DEFAULT 0,
  outcomes TEXT NOT NULL DEFAULT '{}', -- of all places
  places INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX compared_newest ON compared (campaignId, baselineId, metric, key);
CREATE INDEX compared_baseline ON compared (baselineId);

CREATE TABLE compared_places (
  id INTEGER PRIMARY KEY, -- key × 10^7 + place in the order of the campaign, from 1
  siteId TEXT NOT NULL,
  condition TEXT NOT NULL,
  view TEXT NOT NULL,
  lower INTEGER NOT NULL, -- protocols, as the next three
  higher INTEGER NOT NULL,
  undecided INTEGER NOT NULL,
  tooFew INTEGER NOT NULL, -- of the undecided
  lead TEXT, -- what became of HTTP/3's; NULL: there is none
  document BLOB NOT NULL
) STRICT;
-- All that is filtered and counted by, without the documents.
CREATE INDEX compared_counts ON compared_places (id, siteId, condition, view, lower, higher, undecided, tooFew, lead);

CREATE TABLE summaries (
  campaignId INTEGER PRIMARY KEY,
  version TEXT NOT NULL,
  asOf INTEGER NOT NULL,
  tookMs INTEGER NOT NULL,
  state TEXT NOT NULL,
  document BLOB NOT NULL,
  verdicts TEXT NOT NULL -- of the document, counted: for lists of campaigns
) STRICT;
`;

/** Where the results of a database are kept: beside it. */
export const resultsFileOf = (database: string): string =>
  database === ':memory:' ? database : `${database.replace(/\.db$/, '')}.results.db`;

/** Another release of the service, which runs beside this one, keeps its results in the file. */
export class OtherLayout extends Error {}

/** @returns throws OtherLayout when the file was made anew by another release since it was opened. */
export function createLayoutCheck(database: Database): () => void {
  const select = database.prepare<[], number>('SELECT user_version FROM pragma_user_version').pluck();
  return () => {
    if (select.get() === layout) return;
    throw new OtherLayout(`The file ${database.name}, which keeps results, was made anew by another release of the service.`);
  };
}

/**
 * @returns makes a transaction of what writes: the file may be made anew between two of them, with other tables of the same names.
 *   Each throws OtherLayout as `createLayoutCheck`, before anything is written.
 */
export function createWriting(database: Database) {
  const check = createLayoutCheck(database);
  return <Given extends unknown[], Made>(work: (...given: Given) => Made): ((...given: Given) => Made) => {
    const transaction = database.transaction((...given: Given): Made => {
      check();
      return work(...given);
    });
    return (...given) => transaction.immediate(...given);
  };
}

/**
 * @param file a path, or ':memory:'.
 * @throws OtherLayout when a newer release keeps its results in it.
 * @throws Error that names the file when another program's file is there, or it can't be written.
 */
export function openResultsFile(file: string): Database {
  try {
    if (file !== ':memory:' && !existsSync(file)) makePrivate(file);
    return prepared(new Sqlite(file, { timeout: 5000 }));
  } catch (error) {
    if (error instanceof OtherLayout) throw error;
    const { code = '', message } = error as { code?: string; message: string };
    if (!/^SQLITE_(NOTADB|CORRUPT)/.test(code)) {
      const why = `The file ${file}, which keeps results, cannot be opened (${message}).`;
      throw new Error(`${why} Check the path and its permissions, or name another file.`, { cause: error });
    }
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
    makePrivate(file);
    return prepared(new Sqlite(file, { timeout: 5000 }));
  }
}

function prepared(database: Database): Database {
  try {
    const versionOf = (name: string) => database.pragma(name, { simple: true }) as number;
    const names = () => database.prepare<[], { name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
    // Of one moment: another process may be making the file.
    const isAnothers = database.transaction(() => versionOf('application_id') !== applicationId && names().length > 0)();
    if (isAnothers) throw new Error('it belongs to another program');
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = OFF'); // what power loss takes is computed again; a damaged file is made anew
    database.pragma('secure_delete = ON'); // as the database itself: what goes is overwritten
    database.pragma('journal_size_limit = 16777216');
    database
      .transaction(() => {
        const found = versionOf('user_version');
        if (found === layout) return;
        if (found > layout) throw new OtherLayout(`The file ${database.name} keeps results of a newer release of the service.`);
        for (const { name } of names()) if (!name.startsWith('sqlite_')) database.exec(`DROP TABLE "${name}"`);
        database.exec(tables);
        database.pragma(`application_id = ${applicationId}`);
        database.pragma(`user_version = ${layout}`);
      })
      .immediate();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
