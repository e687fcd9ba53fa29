// The store of kept results as a service uses it: a newer release that takes the file beside it is left alone.
import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { OtherLayout, openResultsFile } from './results-file.ts';
import { createResultsStore, type ResultsStore } from './results-store.ts';

const ends = ['', '-wal', '-shm'];
/** An own file that nobody wrote for so long is of a process that died on another machine: it goes, and is made anew if it didn't. */
const abandonedMs = 86_400_000;
/** Own files of this process. */
const inUse = new Set<string>();

type Opened = { database: Database; file: string; close(): void };

/**
 * Opens the file, or where a newer release keeps its results in it, one beside it that is gone when it is closed. A newer release may also
 * take the file later: then results go to such a file from there on, and what was kept is computed again.
 * @param warn is told so.
 * @returns `file` is that of now.
 * @throws Error as `openResultsFile`.
 */
export function openKeptResults(wanted: string, warn: (words: string) => void): { store: ResultsStore; file(): string; close(): void } {
  const open = () => {
    const opened = openUnlessNewer(wanted, warn);
    return { ...opened, store: createResultsStore(opened.database) };
  };
  if (wanted !== ':memory:') sweepOwn(wanted);
  let kept = open();
  return {
    store: new Proxy({} as ResultsStore, {
      get(_, name) {
        try {
          return Reflect.get(kept.store, name);
        } catch (error) {
          if (!(error instanceof OtherLayout)) throw error;
          const before = kept;
          kept = open();
          before.close();
          return Reflect.get(kept.store, name);
        }
      },
    }),
    file: () => kept.file,
    close: () => kept.close(),
  };
}

function openUnlessNewer(file: string, warn: (words: string) => void): Opened {
  try {
    const database = openResultsFile(file);
    return { database, file, close: () => void database.close() };
  } catch (error) {
    if (!(error instanceof OtherLayout)) throw error;
    const own = openOwn(file);
    warn(
      `${error.message} This process computes its results and does not keep them. Once the newer release is gone for good, delete the file.`,
    );
    return own;
  }
}

function openOwn(wanted: string): Opened {
  const file = join(dirname(wanted), `${ownPrefix(wanted)}${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}.db`);
  const remove = () => {
    removeOwn(file);
    inUse.delete(file);
  };
  inUse.add(file);
  try {
    const database = openResultsFile(file);
    return {
      ...{ database, file },
      close() {
        database.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

const ownPrefix = (wanted: string) => `${basename(wanted).replace(/\.db$/, '')}.own-`;

function removeOwn(file: string): void {
  for (const end of ends) rmSync(file + end, { force: true });
}

/** Removes own files of processes that died. What can't be removed is left to the next start. */
function sweepOwn(wanted: string): void {
  const [folder, prefix] = [dirname(wanted), ownPrefix(wanted)];
  try {
    for (const name of readdirSync(folder)) {
      const [, host, pid] = (name.startsWith(prefix) && name.slice(prefix.length).match(/^(.+)-(\d+)-[0-9a-f]{8}\.db$/)) || [];
      const file = join(folder, name);
      if (host === undefined || inUse.has(file)) continue;
      if (host === hostname() ? !runs(Number(pid)) : Date.now() - writtenAt(file) > abandonedMs) removeOwn(file);
    }
  } catch {
    // Where the folder can't be read, opening the file says so.
  }
}

/** Of another process. This one’s files are in use, or of one that had its number before. */
function runs(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const writtenAt = (file: string): number => Math.max(...ends.map((end) => statSync(file + end, { throwIfNoEntry: false })?.mtimeMs ?? 0));
