// Brings a database to the newest schema: each file of migrations/, in the order of its number, once.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';

export type Migration = { version: number; name: string; sql: string };

/** Reported before each step. */
export type MigrationProgress = { step: number; steps: number; name: string };

/**
 * Migrations by version; default: those of this version of Pronghorn. A file is named NNNN-what-it-brings.sql and never changes after its
 * release; a change to the schema is another file.
 */
export function readMigrations(folder = join(import.meta.dirname, 'migrations')): Migration[] {
  return readdirSync(folder)
    .filter((name) => /^\d{4}-.+\.sql$/.test(name))
    .map((name) => ({ version: Number(name.slice(0, 4)), name, sql: readFileSync(join(folder, name), 'utf8') }))
    .sort((a, b) => a.version - b.version);
}

/**
 * Applies the missing migrations in one transaction: afterwards the database has the newest schema, or the one it had. `user_version` is its version.
 *
 * @throws Error when a newer Pronghorn made the database, or when a migration fails.
 */
export function migrate(
  database: Database,
  migrations: readonly Migration[] = readMigrations(),
  onStep: (progress: MigrationProgress) => void = () => {},
): void {
  const newest = migrations.at(-1)?.version ?? 0;
  const versionOf = () => database.pragma('user_version', { simple: true }) as number;
  if (versionOf() === newest) return;

  // A table is rebuilt by dropping the old one, which must not take along what refers to it; checked before the commit instead.
  database.pragma('foreign_keys = OFF');
  try {
    database
      .transaction(() => {
        const found = versionOf(); // again: another process may have migrated while this one waited for the lock
        if (found > newest) {
          throw new Error(
            `has schema version ${found}, and this Pronghorn knows versions up to ${newest}: a newer Pronghorn made it. ` +
              'Update this one, or name another database file.',
          );
        }
        const missing = migrations.filter(({ version }) => version > found);
        for (const [index, migration] of missing.entries()) {
          onStep({ step: index + 1, steps: missing.length, name: migration.name });
          apply(database, migration);
        }
        database.pragma(`user_version = ${newest}`);
      })
      .immediate();
  } finally {
    database.pragma('foreign_keys = ON');
  }
}

function apply(database: Database, { name, sql }: Migration): void {
  try {
    database.exec(sql);
  } catch (error) {
    throw new Error(`could not be migrated: ${name} failed (${(error as Error).message}). Nothing was changed.`, { cause: error });
  }
  const [broken] = database.pragma('foreign_key_check') as { table: string; parent: string }[];
  if (broken)
    throw new Error(`could not be migrated: after ${name}, ${broken.table} refers to missing ${broken.parent}. Nothing was changed.`);
}
