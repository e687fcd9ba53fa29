import type { Database } from './database.ts';

/** How often to look whether another process changed the database: nothing notifies this one. */
export const othersMs = 1_000;

/** @returns whether another connection changed the database since the last call. */
export function changedByOthers(database: Database): () => boolean {
  const versionOf = () => database.pragma('data_version', { simple: true }); // counts the commits of all other connections
  let version = versionOf();
  return () => {
    const before = version;
    version = versionOf();
    return version !== before;
  };
}
