// The thread that computes: one job after the other, on connections of its own.
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { openToRead } from '../../../storage/database.ts';
import { createComputation, type Job } from './computation.ts';
import { openResultsFile } from './results-file.ts';
import { createResultsStore } from './results-store.ts';

const { database, file, stop } = workerData as { database: string; file: string; stop: Int32Array };
try {
  setPriority(0, 5); // of this thread alone: uploads go first, and so do visits on a machine that measures too
} catch {
  // Not everywhere; then it shares evenly.
}
const perform = createComputation(openToRead(database), createResultsStore(openResultsFile(file)), () => Atomics.load(stop, 0) === 1);

parentPort?.on('message', (job: Job | 'end') => {
  if (job === 'end') return parentPort?.close();
  try {
    parentPort?.postMessage({ answer: perform(job) });
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    parentPort?.postMessage({ failed: { message, code } });
  }
});
