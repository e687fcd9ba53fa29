// A thread that moves the write-ahead log into the database file whenever it is told to, on a connection of its own.
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';

const { file, restartAbovePages } = workerData as { file: string; restartAbovePages: number };
// Whoever writes waits while a log is begun anew: so this gives up quickly, and tries another time.
const database = new Sqlite(file, { timeout: 10 });

/** Tries again for some minutes while others read or write. */
function emptyLog(tries = 300): void {
  const [state] = database.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
  if (state?.busy === 1 && tries > 1) setTimeout(() => emptyLog(tries - 1), 1_000).unref();
}

parentPort?.on('message', (what: 'checkpoint' | 'empty' | 'end') => {
  if (what === 'end') return parentPort?.close();
  try {
    if (what === 'empty') emptyLog();
    const [state] = database.pragma('wal_checkpoint(PASSIVE)') as { log: number }[];
    // Under steady writing a passive checkpoint never reaches the end, and the log would grow for ever.
    if ((state?.log ?? 0) > restartAbovePages) database.pragma('wal_checkpoint(RESTART)');
  } catch {
    // Busy, or the disk is full: the next one comes, and who writes is told by their own write.
  }
  parentPort?.postMessage('done');
});
