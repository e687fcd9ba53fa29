// A store of SQLite: commands and long queries run in threads of their own; what is short is read at once.
import type { Database } from '../storage/database.ts';
import { createWrite, type Write } from '../storage/write.ts';
import type { Effects } from './effects.ts';
import type { StoreSettings } from './settings.ts';
import { createCommands, createQueries, longQueries, type Store, type UseCases } from './store.ts';
import { createTables, type Tables } from './tables.ts';
import { type Answered, openThread, type StoreThread } from './thread.ts';

export type StoreOptions = {
  settings: StoreSettings;
  /** Milliseconds since 1970. */
  now: () => number;
  /** How long a command waits while another process holds the database, milliseconds. */
  lockWaitMs: number;
  /** Pages of the write-ahead log from which on a write moves them into the database; 0: never. */
  checkpointPages: number;
  /** False: all runs where it is called, as it must for a database in memory, which no thread sees. */
  threads: boolean;
  /** Gets a command's effects as soon as it is stored. */
  publish: (effects: Effects) => void;
};

/** Until then, and without threads, the event loop reads what is long. */
const readerAfterMs = 3_000;

/** @param commit runs a command where there are no threads. */
export function openStore(
  database: Database,
  commit: Write,
  { settings, now, threads, publish, ...lock }: StoreOptions,
): { store: Store; tables: Tables; ready: Promise<void>; stopWaiting(): void; close(): Promise<void> } {
  const tables = createTables(database, { settings, now });
  const commands = createCommands(tables) as unknown as UseCases;
  const queries = createQueries(tables) as unknown as UseCases;
  const open = (role: 'commands' | 'queries') => openThread({ role, settings, ...lock, now: now === Date.now ? undefined : now });
  const writer = threads ? open('commands') : undefined;
  let [startedReader, reader]: (StoreThread | undefined)[] = [];

  const run = (noun: string, name: string, given: readonly unknown[]): Promise<Answered> =>
    writer === undefined ? commit(() => tables.effects.during(() => commands[noun]?.[name]?.(...given))) : writer.run(noun, name, given);

  // Not before the service is there: it takes half a second of CPU.
  const starting = threads ? setTimeout(startReader, readerAfterMs).unref() : undefined;
  function startReader(): void {
    const started = open('queries');
    startedReader = started;
    started.ready.then(
      () => {
        reader = started;
      },
      () => {}, // then all is read in the event loop
    );
  }

  type Later = (...given: readonly unknown[]) => Promise<unknown>;
  const query = (noun: string, name: string, read: (...given: readonly unknown[]) => unknown): Later => {
    const isLong = (longQueries as Record<string, readonly string[] | undefined>)[noun]?.includes(name) === true;
    return async (...given) => (isLong && reader !== undefined ? (await reader.run(noun, name, given)).answer : read(...given));
  };
  const command =
    (noun: string, name: string): Later =>
    async (...given) => {
      const { answer, effects } = await run(noun, name, given);
      publish(effects);
      return answer;
    };
  const store = Object.fromEntries(
    [...new Set([...Object.keys(queries), ...Object.keys(commands)])].map((noun) => {
      const [reads, changes] = [queries[noun] ?? {}, commands[noun] ?? {}];
      const both = Object.keys(changes).find((name) => name in reads);
      if (both !== undefined) throw new Error(`${noun}.${both} is a command and a query. Name one of them otherwise.`);
      return [
        noun,
        Object.fromEntries([
          ...Object.entries(reads).map(([name, read]) => [name, query(noun, name, read)] as const),
          ...Object.keys(changes).map((name) => [name, command(noun, name)] as const),
        ]),
      ];
    }),
  );
  const ready = writer?.ready ?? Promise.resolve();
  const close = async () => {
    clearTimeout(starting);
    await Promise.all([writer?.close(), startedReader?.close()]);
  };
  const stopWaiting = () => writer?.stopWaiting();
  return { store: store as unknown as Store, tables, ready, stopWaiting, close };
}

/** A store without a service and without threads: for commands of this machine, and for tests. @param write runs each command. */
export const createLocalStore = (database: Database, settings: StoreSettings, write = createWrite(database)): Store =>
  openStore(database, write, { settings, now: Date.now, lockWaitMs: 0, checkpointPages: 0, threads: false, publish: () => {} }).store;
