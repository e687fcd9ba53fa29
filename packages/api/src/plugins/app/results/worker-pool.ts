import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ProblemError } from '../../../shared/problems.ts';
import type { JobAnswer, JobArguments, JobKind } from './computation.ts';

/** Without the moment of its start, which the pool adds. */
export type RunJob = <Kind extends JobKind>(kind: Kind, args: Omit<JobArguments<Kind>, 'asOf'>) => Promise<JobAnswer<Kind>>;
export interface WorkerPool {
  /**
   * A job that waits already is not done twice; one that has begun is, since it may have read what is no longer so.
   * @throws ProblemError results-busy on what any client may ask when too much waits already.
   */
  run: RunJob;
  /** Jobs that are not done by then never will be. */
  close(): Promise<void>;
}

const idleMs = 60_000;
/** Any client may ask for any comparison or trend. */
const maxWaiting = 100;
/** What the service needs itself, or of what there is no more than there are campaigns. */
const neverRefused: ReadonlySet<JobKind> = new Set(['results', 'summary', 'gate', 'roundsToAdd']);

type Waiting = { name: string; kind: JobKind; args: object; done: PromiseWithResolvers<unknown> };
/** An error as it can be posted: SQLite's code says whether the disk is full. */
export type Reply = { answer: unknown } | { failed: { message: string; code?: string | undefined } };
export type Request = { kind: JobKind; args: object } | 'end';

/** One thread, which does one job after the other. It starts with the first, and again after it died. */
function openWorker({ database, now }: { database: string; now: () => number }) {
  const waiting: Waiting[] = [];
  let [worker, doing]: [Worker | undefined, Waiting | undefined] = [undefined, undefined];
  let resting: NodeJS.Timeout | undefined;
  const stop = new Int32Array(new SharedArrayBuffer(4));

  function next(): void {
    if (doing) return;
    doing = waiting.shift();
    clearTimeout(resting);
    if (!doing) {
      rest();
      return;
    }
    worker ??= start();
    worker.ref();
    worker.postMessage({ kind: doing.kind, args: { ...doing.args, asOf: now() } } satisfies Request); // however long it waited, it is read now
  }
  /** An idle thread keeps no process alive, and after a while gives back its memory. */
  function rest(): void {
    worker?.unref();
    resting = setTimeout(() => {
      const rested = worker;
      worker = undefined;
      void rested?.terminate();
    }, idleMs).unref();
  }
  function end(how: (ended: PromiseWithResolvers<unknown>) => void): void {
    const ended = doing;
    doing = undefined;
    if (ended) how(ended.done);
    next();
  }
  function start(): Worker {
    // It says nothing; if it could, Node would make the process's own standard output one that doesn't block, and others write to that.
    const quiet = { stdout: true, stderr: true };
    const started = new Worker(new URL('./results-worker.ts', import.meta.url), { workerData: { database, stop }, ...quiet });
    started.stdout.resume();
    started.stderr.resume();
    started.on('message', (reply: Reply) =>
      end(({ resolve, reject }) =>
        'failed' in reply ? reject(Object.assign(new Error(reply.failed.message), reply.failed)) : resolve(reply.answer),
      ),
    );
    const died = (error: Error) => {
      if (worker !== started) return;
      worker = undefined;
      end(({ reject }) => reject(error));
    };
    started.on('error', died);
    started.on('exit', (code) => died(new Error(`The thread that computes results ended with code ${code}.`)));
    return started;
  }

  return {
    run(kind: JobKind, args: object): Promise<unknown> {
      const name = JSON.stringify([kind, args]);
      const same = waiting.find((other) => other.name === name);
      if (same) return same.done.promise;
      if (waiting.length >= maxWaiting && !neverRefused.has(kind))
        throw new ProblemError('results-busy', `${maxWaiting} computations wait already. Nothing was done; ask again in ten seconds.`);
      const done = Promise.withResolvers<unknown>();
      waiting.push({ name, kind, args, done });
      next();
      return done.promise;
    },
    async close(): Promise<void> {
      clearTimeout(resting);
      const ended = worker;
      worker = undefined;
      const closed = new Error('The api is being closed.');
      for (const { done } of [...waiting.splice(0), ...(doing ? [doing] : [])]) done.reject(closed);
      doing = undefined;
      if (ended === undefined) return;
      // Not terminated: what is cut off within SQLite takes the whole process along.
      Atomics.store(stop, 0, 1);
      ended.ref();
      const exited = once(ended, 'exit').catch(() => {}); // or it dies by an error, which is an end too
      ended.postMessage('end' satisfies Request);
      await exited;
    },
  };
}

/** How many threads a service of many has: for what takes long when a campaign is large, what somebody looks at, and what queue and pipelines wait for. */
export const mostThreads = 3;

/** @param options.threads from 1 to `mostThreads` */
export function openWorkerPool({
  threads = mostThreads,
  ...options
}: {
  database: string;
  now: () => number;
  threads?: number;
}): WorkerPool {
  const long = openWorker(options);
  const quick = threads > 1 ? openWorker(options) : long;
  const own = threads > 2 ? openWorker(options) : quick;
  const workerOf = (kind: JobKind) => {
    if (kind === 'roundsToAdd' || kind === 'gate') return own;
    return kind === 'results' || kind === 'compare' || kind === 'adoption' ? long : quick;
  };
  return {
    run: (async (kind: JobKind, args: object) => workerOf(kind).run(kind, args)) as RunJob,
    close: async () => void (await Promise.all([...new Set([long, quick, own])].map((worker) => worker.close()))),
  };
}
