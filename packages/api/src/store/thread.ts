// Threads that use the database beside the event loop: one that runs whole commands, one after the other, so that nobody else waits for a lock;
// and others that read what is long.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ProblemError } from '../shared/problems.ts';
import type { Effects } from './effects.ts';
import type { StoreSettings } from './settings.ts';

export type ThreadOptions = {
  /** What it runs. */
  role: 'commands' | 'queries';
  settings: StoreSettings;
  /** How long a command waits while another process holds the database, milliseconds. */
  lockWaitMs: number;
  /** Pages of the write-ahead log from which on a write moves them into the database; 0: never. */
  checkpointPages: number;
  /** Milliseconds since 1970, at the time of asking; undefined: the thread's own clock. */
  now: (() => number) | undefined;
};

/** What the thread gets. `until`: how long it may wait for a lock, by `clockMs`. */
export type Order = { id: number; noun: string; name: string; given: readonly unknown[]; now: number | undefined; until: number } | 'end';

/** Milliseconds that all threads count alike. */
export const clockMs = (): number => performance.timeOrigin + performance.now();
/** An error as it can be posted. */
export type Failure = Pick<Error, 'message' | 'stack'> & { code?: string | undefined; problem?: Pick<ProblemError, 'kind' | 'errors'> };
/** Effects: of a command. */
export type Answered = { answer: unknown; effects: Effects };
export type Outcome = 'ready' | ({ id: number } & (Answered | { failed: Failure }));

export type StoreThread = {
  run(noun: string, name: string, given: readonly unknown[]): Promise<Answered>;
  /** From now on what waits for a lock is refused. */
  stopWaiting(): void;
  /** Ends when all is done that was ordered, but for what waits for a lock. */
  close(): Promise<void>;
  /** Settled when it takes orders at once: it loads for half a second. @throws Error that kept it from starting. */
  readonly ready: Promise<void>;
  /** How much was ordered and is not done. */
  readonly waiting: number;
};

/** A thread that ended by an error fails what it was given, and begins anew with the next order. */
export function openThread({ now, ...options }: ThreadOptions): StoreThread {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const waiting = new Map<number, PromiseWithResolvers<Answered>>();
  let [last, isClosed] = [0, false];
  let worker: Worker | undefined;
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {}); // who waits for it hears of it

  function start(): Worker {
    // It says nothing; if it could, Node would make the process's own standard output one that doesn't block, and others write to that.
    const quiet = { stdout: true, stderr: true };
    const execArgv: string[] = []; // else those of the process, such as --input-type, which no file may have
    const started = new Worker(new URL('./thread-main.ts', import.meta.url), { workerData: { ...options, stop }, execArgv, ...quiet });
    started.stdout.resume();
    started.stderr.resume();
    started.on('message', (message: Outcome) => {
      if (message === 'ready') return ready.resolve();
      const { id, ...outcome } = message;
      const order = waiting.get(id);
      waiting.delete(id);
      if (waiting.size === 0) started.unref(); // an idle thread keeps no process alive
      if ('failed' in outcome) order?.reject(errorOf(outcome.failed));
      else order?.resolve(outcome);
    });
    const end = (error: Error) => {
      if (worker !== started) return; // it ended before, and another one may have begun
      worker = undefined;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
      ready.reject(error);
    };
    started.on('error', end);
    started.on('exit', () => end(new Error('The database is closed.')));
    started.unref();
    return started;
  }

  worker = start();
  return {
    ready: ready.promise,
    run(noun, name, given) {
      if (isClosed) return Promise.reject(new Error('The database is closed.'));
      worker ??= start();
      const order = Promise.withResolvers<Answered>();
      last += 1;
      worker.postMessage({ id: last, noun, name, given, now: now?.(), until: clockMs() + options.lockWaitMs } satisfies Order); // throws for what is no data
      waiting.set(last, order);
      worker.ref();
      return order.promise;
    },
    stopWaiting: () => void Atomics.store(stop, 0, 1),
    async close() {
      isClosed = true;
      if (worker === undefined) return;
      const exited = once(worker, 'exit').catch(() => {}); // or it dies by an error, which is an end too
      worker.ref();
      Atomics.store(stop, 0, 1);
      worker.postMessage('end' satisfies Order);
      await exited;
    },
    get waiting() {
      return waiting.size;
    },
  };
}

function errorOf({ problem, message, ...failure }: Failure): Error {
  const error = problem === undefined ? new Error(message) : new ProblemError(problem.kind, message, problem.errors);
  return Object.assign(error, failure);
}
