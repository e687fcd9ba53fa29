// See writer.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { ProblemError } from '../problems.ts';
import { isBusy, openToWrite } from '../storage/database.ts';
import { createCommands } from './store.ts';
import { createTables } from './tables.ts';
import type { Failure, Order, Outcome, WriterOptions } from './writer.ts';

const { settings, lockWaitMs, checkpointPages, stop } = workerData as Omit<WriterOptions, 'now'> & { stop: Int32Array };

/** So often it looks whether it shall end while another process holds the lock. */
const lookEveryMs = 100;

const database = openToWrite(settings.file, { waitMs: lookEveryMs, checkpointPages });
let given: number | undefined;
const tables = createTables(database, { settings, now: () => given ?? Date.now() });
const commands = createCommands(tables) as unknown as Record<string, Record<string, (...given: readonly unknown[]) => unknown>>;
const transaction = database.transaction((work: () => unknown) => work());

function perform({ id, noun, name, given: args, now }: Exclude<Order, 'end'>): Outcome {
  given = now;
  const until = performance.now() + lockWaitMs;
  for (;;) {
    let hasBegun = false;
    try {
      return {
        id,
        ...tables.effects.during(() =>
          transaction.immediate(() => {
            hasBegun = true;
            return commands[noun]?.[name]?.(...args);
          }),
        ),
      };
    } catch (error) {
      const goesOn = !hasBegun && isBusy(error) && performance.now() < until && Atomics.load(stop, 0) === 0;
      if (!goesOn) return { id, failed: failureOf(error) };
    }
  }
}

function failureOf(error: unknown): Failure {
  const { message, stack, code } = error as Error & { code?: string };
  return { message, ...(stack !== undefined && { stack }), code, ...(error instanceof ProblemError && { problem: { kind: error.kind, errors: error.errors } }) };
}

parentPort?.on('message', (order: Order) => {
  if (order === 'end') {
    database.close();
    parentPort?.close();
  } else parentPort?.postMessage(perform(order));
});
