import type { Database } from './database.ts';

/** How often to look whether another process changed the database: nothing notifies this one. */
export const othersMs = 1_000;

/**
 * Looks whether another connection changed the database, while anybody listens.
 * @returns `listen`, which returns what ends it; `close` ends all.
 */
export function watchOthers(database: Database): { listen(listener: () => void): () => void; close(): void } {
  const versionOf = () => database.pragma('data_version', { simple: true }); // counts the commits of all other connections
  const listeners = new Set<() => void>();
  let version = versionOf();
  function hasChanged(): boolean {
    try {
      const before = version;
      version = versionOf();
      return version !== before;
    } catch {
      return true; // listeners read for themselves, and fail by what this failed by
    }
  }
  const timer = setInterval(() => {
    if (listeners.size > 0 && hasChanged()) for (const listener of [...listeners]) listener();
  }, othersMs).unref();
  return {
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => clearInterval(timer),
  };
}
