// Opens the file that keeps results. It holds nothing that can't be computed again: whatever is wrong with it, it is made anew.
import { rmSync } from 'node:fs';
import Sqlite, { type Database } from 'better-sqlite3';

/** Of the tables below; a file with another one is emptied. */
const layout = 2;
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

/**
 * @param file a path, or ':memory:'.
 * @throws Error that names the file when another program's file is there, or it can't be written.
 */
export function openResultsFile(file: string): Database {
  try {
    return prepared(new Sqlite(file, { timeout: 5000 }));
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string };
    if (!/^SQLITE_(NOTADB|CORRUPT)/.test(code)) {
      const why = `The file ${file}, which keeps results, cannot be opened (${message}).`;
      throw new Error(`${why} Check the path and its permissions, or name another file.`, { cause: error });
    }
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
    return prepared(new Sqlite(file, { timeout: 5000 }));
  }
}

function prepared(database: Database): Database {
  try {
    const versionOf = (name: string) => database.pragma(name, { simple: true }) as number;
    const names = () => database.prepare<[], { name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
    if (versionOf('application_id') !== applicationId && names().length > 0) {
      throw new Error('it belongs to another program');
    }
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = OFF'); // what power loss takes is computed again; a damaged file is made anew
    database.pragma('journal_size_limit = 16777216');
    database
      .transaction(() => {
        if (versionOf('user_version') === layout) return;
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
