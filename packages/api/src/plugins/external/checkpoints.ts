import { once } from 'node:events';
import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import fp from 'fastify-plugin';

const pageBytes = 4096;

declare module 'fastify' {
  interface FastifyInstance {
    /** Soon, beside the event loop: what was deleted is not in the write-ahead log any longer. Others who hold the database may keep it from that. */
    emptyWriteAheadLog(): void;
  }
}

export type CheckpointOptions = {
  /** elsewhere: another program does it, such as Litestream, and loses its place where this one does it too. */
  by: 'service' | 'elsewhere';
  /** How often to look at the log; at 200 visits a second it grows by some 8 MB in a second. */
  everyMs: number;
  /** A log as small as this is left alone: one command's campaign needs no thread. */
  smallestBytes: number;
  /** A log of so many pages is begun anew. */
  restartAbovePages: number;
};
const defaults: CheckpointOptions = {
  by: 'service',
  everyMs: 1000,
  smallestBytes: 8 * 2 ** 20,
  restartAbovePages: (64 * 2 ** 20) / pageBytes,
};
/** Should the thread fail, SQLite does it within a write, as it would by default at 4 MB. @returns 0: never. */
export const withinWriteAtPages = (by: CheckpointOptions['by']): number => (by === 'service' ? (256 * 2 ** 20) / pageBytes : 0);

/**
 * Moves SQLite's write-ahead log into the database beside the event loop. By default SQLite does that within every hundredth write or so, with
 * two flushes to disk, and whatever is asked meanwhile waits.
 */
export default fp<{ file: string } & Partial<CheckpointOptions>>(async (app, { file, ...options }) => {
  const { by, everyMs, smallestBytes, restartAbovePages } = { ...defaults, ...options };
  app.decorate('emptyWriteAheadLog', () => {
    if (by === 'service') tell('empty');
  });
  if (file === ':memory:') return;
  app.database.pragma(`wal_autocheckpoint = ${withinWriteAtPages(by)}`);
  if (by === 'elsewhere') return;
  let worker: Worker | undefined;
  let isBusy = false;
  const look = () => {
    if (!isBusy && logBytes(file) >= smallestBytes) tell('checkpoint');
  };
  const timer = setInterval(look, everyMs).unref();
  app.addHook('onClose', async () => {
    clearInterval(timer);
    if (worker === undefined) return;
    // Not terminated: what is cut off within SQLite takes the whole process along.
    worker.ref();
    const exited = once(worker, 'exit').catch(() => {}); // or it dies by an error, which is an end too
    worker.postMessage('end');
    await exited;
  });

  function tell(what: 'checkpoint' | 'empty'): void {
    if (file === ':memory:') return;
    worker ??= startWorker(file, () => {
      isBusy = false;
    });
    isBusy = true;
    worker.postMessage(what);
  }

  function startWorker(file: string, onDone: () => void): Worker {
    const started = new Worker(new URL('../../storage/checkpoint-worker.ts', import.meta.url), {
      workerData: { file, restartAbovePages },
    });
    started.on('message', onDone);
    started.on('error', (error) => {
      app.log.error({ err: error }, 'the thread that moves the write-ahead log failed');
      worker = undefined;
      onDone();
    });
    started.unref();
    return started;
  }
});

function logBytes(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
