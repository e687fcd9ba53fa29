import type { Database } from 'better-sqlite3';

/** All of a database as SQL that makes it again: tables, rows, then indexes and triggers, so that no trigger counts a row twice. */
export function dumpDatabase(database: Database): string {
  const schema = database
    .prepare<[], { type: string; name: string; sql: string }>(
      `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
    )
    .all();
  const ofType = (...types: string[]) => schema.filter(({ type }) => types.includes(type));
  const number = (pragma: string) => `PRAGMA ${pragma} = ${database.pragma(pragma, { simple: true })};`;
  const sequences = database.prepare<[], { name: string }>(`SELECT name FROM sqlite_schema WHERE name = 'sqlite_sequence'`).all();
  return [
    number('application_id'),
    number('user_version'),
    ...ofType('table').map(({ sql }) => `${sql};`),
    ...ofType('table').flatMap(({ name }) => rowsOf(database, name)),
    ...(sequences.length > 0 ? ['DELETE FROM sqlite_sequence;', ...rowsOf(database, 'sqlite_sequence')] : []),
    ...ofType('index', 'trigger', 'view').map(({ sql }) => `${sql};`),
    '',
  ].join('\n');
}

function rowsOf(database: Database, table: string): string[] {
  // hidden 0: what is stored; generated columns are made again.
  const columns = (database.pragma(`table_xinfo(${table})`) as { name: string; hidden: number }[])
    .filter(({ hidden }) => hidden === 0)
    .map(({ name }) => `"${name}"`);
  const values = columns.map((column) => `quote(${column})`).join(` || ', ' || `);
  return database
    .prepare<[], { row: string }>(`SELECT ${values} AS row FROM ${table} ORDER BY ${columns[0]}, 1`)
    .all()
    .map(({ row }) => `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${row});`);
}
