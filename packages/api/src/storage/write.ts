// Changes to the database. SQLite has one write lock, and better-sqlite3 would wait for it within the event loop, and every other request with
// it. So a change that finds the lock taken is tried again later, in turn.
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import type { Statement } from 'better-sqlite3';
import { type Database, isBusy } from './database.ts';

/**
 * Makes a change: `work` runs in one transaction that holds the write lock from its start. All of it is stored, or nothing.
 *
 * @param work has no effect but on the database: it may come to run late, or never.
 * @returns what `work` returned, once that is stored.
 * @throws what `work` throws; SQLITE_BUSY when another process held the lock for too long. Nothing is stored then.
 */
export type Write = <T>(work: () => T) => Promise<T>;

/** Longer than others hold the lock for good reason, shorter than clients wait for an answer. */
const lockWaitMs = 25_000;
/** A try costs some 20 us. */
const tryEveryMs = 5;
/** Reads wait for a lock in one case only: another process repairs the log that a killed process left. */
const readWaitMs = 100;

/**
 * The one way to change a database that a service has open: statements that are prepared from now on change nothing but within one.
 * @param waitMs how long a change waits for the lock.
 */
export function createWrite(database: Database, waitMs = lockWaitMs): Write {
  const transaction = database.transaction((work: () => unknown) => work());
  /** Each returns whether it is done. */
  const waiting: (() => boolean)[] = [];
  let isChanging = false;
  refuseChanges(database, () => !isChanging);
  database.pragma(`busy_timeout = ${readWaitMs}`);

  /** @returns busy: another process holds the lock, and `work` did not run. */
  function attempt<T>(work: () => T): { made: T } | { busy: unknown } {
    let hasBegun = false;
    isChanging = true;
    database.pragma('busy_timeout = 0');
    try {
      const made = transaction.immediate(() => {
        hasBegun = true;
        return work();
      }) as T;
      return { made };
    } catch (error) {
      if (hasBegun || !isBusy(error)) throw error;
      return { busy: error };
    } finally {
      isChanging = false;
      database.pragma(`busy_timeout = ${readWaitMs}`);
    }
  }

  async function goOn(): Promise<void> {
    for (let first = waiting[0]; first; first = waiting[0]) {
      if (first()) {
        waiting.shift();
        await setImmediate(); // other requests come in between
      } else await delay(tryEveryMs);
    }
  }

  function inTurn<T>(work: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const until = performance.now() + waitMs;
    waiting.push(() => {
      try {
        const tried = attempt(work);
        if ('made' in tried) resolve(tried.made);
        else if (performance.now() < until) return false;
        else reject(tried.busy);
      } catch (error) {
        reject(error);
      }
      return true;
    });
    if (waiting.length === 1) void goOn();
    return promise;
  }

  return async (work) => {
    if (database.inTransaction) throw new Error('A change was asked for within another. Make it part of that one.');
    if (waiting.length > 0) return inTurn(work);
    const tried = attempt(work);
    return 'made' in tried ? tried.made : inTurn(work);
  };
}

/** `PRAGMA query_only` refuses them too, and makes SQLite prepare every statement anew, which takes 2 ms of each change. */
function refuseChanges(database: Database, isRefused: () => boolean): void {
  const guard = <Name extends string>(owner: Record<Name, (...given: never[]) => unknown>, name: Name) => {
    const change = owner[name].bind(owner);
    owner[name] = (...given: never[]) => {
      if (isRefused()) throw new Error('The database is changed by app.commit alone.');
      return change(...given);
    };
  };
  guard(database, 'exec');
  const prepare = database.prepare.bind(database);
  const guarded = (source: string) => {
    const statement = prepare(source);
    if (!statement.readonly) for (const name of ['run', 'get', 'all', 'iterate'] as const) guard(statement, name);
    return statement;
  };
  database.prepare = ((source: string) => whenUsed(() => guarded(source))) as Database['prepare'];
}

/** A statement that is prepared when it is first used: of four hundred, a command uses some ten. */
function whenUsed(prepare: () => Statement): Pick<Statement, 'run' | 'get' | 'all' | 'iterate' | 'pluck'> {
  let prepared: Statement | undefined;
  const use = (name: 'run' | 'get' | 'all' | 'iterate') => [
    name,
    (...given: unknown[]) => {
      prepared ??= prepare();
      return prepared[name](...given);
    },
  ];
  const pluck = () => whenUsed(() => prepare().pluck());
  return { ...Object.fromEntries([use('run'), use('get'), use('all'), use('iterate')]), pluck };
}
