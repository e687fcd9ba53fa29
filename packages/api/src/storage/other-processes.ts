import type { Database } from './database.ts';

/** How often it is asked whether another process changed the database, of which nobody tells this one. */
export const othersMs = 1_000;

/** @returns tells whether another connection changed the database since it was asked before. */
export function changedByOthers(database: Database): () => boolean {
  const versionOf = () => database.pragma('data_version', { simple: true }); // counts the commits of all other connections
  let version = versionOf();
  return () => {
    const before = version;
    version = versionOf();
    return version !== before;
  };
}
