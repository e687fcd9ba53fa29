import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ProblemError } from '../../../problems.ts';
import type { Job } from './computation.ts';

/** Takes jobs and has them done one after the other. */
export interface ResultsDesk {
  /**
   * One that waits already is not done twice; one that was begun is, since it may have read what is no longer so.
   * @throws ProblemError results-busy on what somebody asks when so much waits already.
   */
  run(job: Job): Promise<string | null>;
  /** What is not done by then never will be. */
  close(): Promise<void>;
}

const idleMs = 60_000;
/** Anybody may ask for any comparison or trend. */
const mostWaiting = 100;
/** What the service needs itself, or of what there is no more than there are campaigns. */
const neverRefused: ReadonlySet<Job['kind']> = new Set(['results', 'summary', 'gate', 'forget', 'rounds-to-add']);
/** `file` is that in which results are kept now. */
type Files = { database: string; file: () => string; now: () => number };

type Waiting = {
  name: string;
  job: Job;
  resolve: (answer: string | null) => void;
  reject: (error: Error) => void;
  done: Promise<string | null>;
};
/** An error as it can be posted: SQLite's code says whether the disk is full. */
type Reply = { answer: string | null } | { failed: { message: string; code?: string } };

/** Its jobs are done by a thread, which starts with the first and again after it died. */
function openDesk({ database, file, now }: Files): ResultsDesk {
  const waiting: Waiting[] = [];
  let [worker, doing]: [Worker | undefined, Waiting | undefined] = [undefined, undefined];
  let resting: NodeJS.Timeout | undefined;
  const stop = new Int32Array(new SharedArrayBuffer(4));

  function next(): void {
    if (doing) return;
    doing = waiting.shift();
    clearTimeout(resting);
    if (!doing) rest();
    else {
      worker ??= start();
      worker.ref();
      worker.postMessage({ job: { ...doing.job, asOf: now() }, file: file() }); // however long it waited, it is read now
    }
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
  function end(how: (ended: Waiting) => void): void {
    const ended = doing;
    doing = undefined;
    if (ended) how(ended);
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
    async run(job) {
      const { asOf: _, ...rest } = job;
      const name = JSON.stringify(rest);
      const same = waiting.find((other) => other.name === name);
      if (same) return same.done;
      if (waiting.length >= mostWaiting && !neverRefused.has(job.kind))
        throw new ProblemError('results-busy', `${mostWaiting} computations wait already. Nothing was done; ask again in ten seconds.`);
      const { promise: done, resolve, reject } = Promise.withResolvers<string | null>();
      waiting.push({ name, job, resolve, reject, done });
      next();
      return done;
    },
    async close() {
      clearTimeout(resting);
      const ended = worker;
      worker = undefined;
      const closed = new Error('The api is being closed.');
      for (const { reject } of [...waiting.splice(0), ...(doing ? [doing] : [])]) reject(closed);
      doing = undefined;
      if (ended === undefined) return;
      // Not terminated: what is cut off within SQLite takes the whole process along.
      Atomics.store(stop, 0, 1);
      ended.ref();
      const exited = once(ended, 'exit').catch(() => {}); // or it dies by an error, which is an end too
      ended.postMessage('end');
      await exited;
    },
  };
}

/** Three threads: what takes long when a campaign is large, what somebody looks at, and what the service itself waits for: the queue, and pipelines. */
export function openDesks(files: Files): ResultsDesk {
  const [long, quick, own] = [openDesk(files), openDesk(files), openDesk(files)];
  const deskOf = ({ kind }: Job) => {
    if (kind === 'rounds-to-add' || kind === 'gate') return own;
    return kind === 'results' || kind === 'compare' || kind === 'forget' || kind === 'adoption' ? long : quick;
  };
  return {
    run: (job) => deskOf(job).run(job),
    close: async () => void (await Promise.all([long.close(), quick.close(), own.close()])),
  };
}

/** Jobs are done at once: for a database in memory, which no thread can see. */
export function deskAtHand(perform: (job: Job) => string | null): ResultsDesk {
  return { run: async (job) => perform(job), close: async () => {} };
}
