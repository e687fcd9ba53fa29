// The thread that computes: one job after the other, on connections of its own.
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { openToRead, openToWrite } from '../../../storage/database.ts';
import { createComputation, perform } from './computation.ts';
import type { Reply, Request } from './worker-pool.ts';

const { database, stop } = workerData as { database: string; stop: Int32Array };
try {
  setPriority(0, 5); // of this thread alone: uploads go first, and so do visits on a machine that measures too
} catch {
  // Not everywhere; then it shares evenly.
}
const computation = createComputation(openToRead(database), openToWrite(database), () => Atomics.load(stop, 0) === 1);
const reply = (message: Reply) => parentPort?.postMessage(message);

parentPort?.on('message', (request: Request) => {
  if (request === 'end') return parentPort?.close();
  try {
    reply({ answer: perform(computation, request.kind, request.args) });
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    reply({ failed: { message, code } });
  }
});
