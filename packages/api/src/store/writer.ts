// The thread that changes the database: whole commands, one after the other, so that the event loop waits for no lock and for no large campaign.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ProblemError } from '../problems.ts';
import type { Effects } from './effects.ts';
import type { RunCommand } from './store.ts';
import type { StoreSettings } from './tables.ts';

export type WriterOptions = {
  settings: StoreSettings;
  /** How long a command waits while another process holds the database, milliseconds. */
  lockWaitMs: number;
  /** Pages of the write-ahead log from which on a write moves them into the database; 0: never. */
  checkpointPages: number;
  /** Milliseconds since 1970, at the time of asking; undefined: the thread's own clock. */
  now: (() => number) | undefined;
};

/** What the thread gets. */
export type Order = { id: number; noun: string; name: string; given: readonly unknown[]; now: number | undefined } | 'end';
/** An error as it can be posted. */
export type Failure = Pick<Error, 'message' | 'stack'> & { code?: string | undefined; problem?: Pick<ProblemError, 'kind' | 'errors'> };
export type Outcome = { id: number } & ({ answer: unknown; effects: Effects } | { failed: Failure });

/** @returns runs commands; closes when those that it was given are done, but for one that waits for a lock. */
export function openWriter({ now, ...options }: WriterOptions): { run: RunCommand; close(): Promise<void> } {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), { workerData: { ...options, stop } });
  const waiting = new Map<number, PromiseWithResolvers<{ answer: unknown; effects: Effects }>>();
  let [last, ended] = [0, undefined as Error | undefined];

  worker.unref();
  worker.on('message', ({ id, ...outcome }: Outcome) => {
    const waits = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) worker.unref();
    if ('failed' in outcome) waits?.reject(errorOf(outcome.failed));
    else waits?.resolve(outcome);
  });
  const die = (error: Error) => {
    ended ??= error;
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  };
  worker.on('error', die);
  worker.on('exit', () => die(new Error('The database is closed.')));

  return {
    run(noun, name, given) {
      if (ended !== undefined) return Promise.reject(ended);
      const waits = Promise.withResolvers<{ answer: unknown; effects: Effects }>();
      last += 1;
      waiting.set(last, waits);
      worker.ref();
      try {
        worker.postMessage({ id: last, noun, name, given, now: now?.() } satisfies Order);
      } catch (error) {
        waiting.delete(last); // what can't be cloned is no data
        throw error;
      }
      return waits.promise;
    },
    async close() {
      if (ended !== undefined) return;
      const exited = once(worker, 'exit').catch(() => {}); // or it dies by an error, which is an end too
      worker.ref();
      Atomics.store(stop, 0, 1);
      worker.postMessage('end' satisfies Order);
      await exited;
    },
  };
}

function errorOf({ problem, message, ...failure }: Failure): Error {
  const error = problem === undefined ? new Error(message) : new ProblemError(problem.kind, message, problem.errors);
  return Object.assign(error, failure);
}
