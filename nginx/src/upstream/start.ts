// Starts the upstream in a worker thread: with an event loop and a heap of its own, no work of the main thread delays an
// answer (a process would be no more precise); and unlike a process a thread can't outlive the program.
import { Worker } from 'node:worker_threads';

export interface UpstreamData {
  path: string;
  content: string | undefined;
}

export interface Upstream {
  stop(): Promise<void>;
}

/**
 * Resolves when it listens on the unix socket at `path`.
 *
 * @param content folder of the sites, where the pages of the web are to be served
 */
export function startUpstream(path: string, content?: string): Promise<Upstream> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: { path, content } satisfies UpstreamData,
      execArgv: [],
    }); // a program’s flags (--input-type) may not suit it
    worker.once('message', () => {
      resolve({
        stop: async () => {
          await worker.terminate();
        },
      });
    });
    // After the start as before it: what the thread can't answer shows as 502 in the visit, this says why.
    worker.on('error', (error) => {
      reject(error);
      process.emitWarning(`the demo origin's upstream failed: ${error.message}`);
    });
  });
}
