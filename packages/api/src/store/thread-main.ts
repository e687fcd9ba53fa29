// See thread.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { ProblemError } from '../shared/problems.ts';
import { type Database, isBusy, openToRead, openToWrite } from '../storage/database.ts';
import { createCommands, createQueries, type UseCases } from './store.ts';
import { createTables } from './tables.ts';
import { type Answered, clockMs, type Failure, type Order, type Outcome, type ThreadOptions } from './thread.ts';

const { role, settings, checkpointPages, stop } = workerData as Omit<ThreadOptions, 'now'> & { stop: Int32Array };

/** So often it looks whether it shall end while another process holds the lock. */
const lookEveryMs = 100;

let moment: number | undefined;
const isWriter = role === 'commands';
const database: Database = isWriter ? openToWrite(settings.file, { waitMs: lookEveryMs, checkpointPages }) : openToRead(settings.file);
const tables = createTables(database, { settings, now: () => moment ?? Date.now() });
const useCases = (isWriter ? createCommands(tables) : createQueries(tables)) as unknown as UseCases;
const transaction = database.transaction((work: () => unknown) => work());

function perform({ noun, name, given, now, until }: Exclude<Order, 'end'>): Answered {
  moment = now;
  for (;;) {
    let hasBegun = false;
    const work = () => {
      hasBegun = true;
      return useCases[noun]?.[name]?.(...given);
    };
    try {
      return tables.effects.during(() => (isWriter ? transaction.immediate(work) : transaction.deferred(work)));
    } catch (error) {
      const goesOn = !hasBegun && isBusy(error) && clockMs() < until && Atomics.load(stop, 0) === 0;
      if (!goesOn) throw error;
    }
  }
}

function failureOf(error: unknown): Failure {
  const { message, stack, code } = error as Error & { code?: string };
  const problem = error instanceof ProblemError && { problem: { kind: error.kind, errors: error.errors } };
  return { message, ...(stack !== undefined && { stack }), code, ...problem };
}

const reply = (outcome: Outcome) => parentPort?.postMessage(outcome);

parentPort?.on('message', (order: Order) => {
  if (order === 'end') {
    database.close();
    parentPort?.close();
    return;
  }
  try {
    reply({ id: order.id, ...perform(order) });
  } catch (error) {
    reply({ id: order.id, failed: failureOf(error) });
  }
});

reply('ready');
