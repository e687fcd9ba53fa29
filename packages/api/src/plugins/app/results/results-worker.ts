// The thread that computes: one job after the other, on connections of its own.
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { openToRead } from '../../../storage/database.ts';
import { createComputation, type Job } from './computation.ts';
import { openResultsFile } from './results-file.ts';
import { createResultsStore, type ResultsStore } from './results-store.ts';

const { database, stop } = workerData as { database: string; stop: Int32Array };
try {
  setPriority(0, 5); // of this thread alone: uploads go first, and so do visits on a machine that measures too
} catch {
  // Not everywhere; then it shares evenly.
}
let opened: { file: string; store: ResultsStore; close(): void } | undefined;
let wanted = '';
/** Of the file where results are kept now. */
function storeOf(): ResultsStore {
  if (opened?.file !== wanted) {
    opened?.close();
    opened = undefined;
    const kept = openResultsFile(wanted);
    opened = { file: wanted, store: createResultsStore(kept), close: () => void kept.close() };
  }
  return opened.store;
}
const perform = createComputation(openToRead(database), storeOf, () => Atomics.load(stop, 0) === 1);

parentPort?.on('message', (asked: { job: Job; file: string } | 'end') => {
  if (asked === 'end') return parentPort?.close();
  wanted = asked.file;
  try {
    parentPort?.postMessage({ answer: perform(asked.job) });
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    parentPort?.postMessage({ failed: { message, code } });
  }
});
