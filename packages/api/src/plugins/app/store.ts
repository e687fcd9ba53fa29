// The store as the service has it: its commands' effects are known to whoever waits for them.
import fp from 'fastify-plugin';
import type { Write } from '../../storage/write.ts';
import type { Due, Effects } from '../../store/effects.ts';
import { createCommands, createQueries, createStore, type RunCommand, type Store } from '../../store/store.ts';
import { createTables, type StoreSettings, type Tables } from '../../store/tables.ts';
import { openWriter } from '../../store/writer.ts';
import { type CheckpointOptions, withinWriteAtPages } from '../external/checkpoints.ts';

declare module 'fastify' {
  interface FastifyInstance extends Omit<Tables, 'now' | 'timeNow' | 'settings' | 'effects' | 'gates' | 'outbox' | 'answers' | 'targets' | 'deliveries' | 'keys'> {
    store: Store;
    tables: Tables;
    /** As `commit`, with its effects. */
    write: Write;
    /** Calls `wake` when a command may have given a loop something to do. */
    whenDue(loop: Due, wake: () => void): void;
  }
}

type Options = {
  settings: StoreSettings;
  lockWaitMs: number | undefined;
  checkpoints: CheckpointOptions['by'];
  /** Whether commands run in a thread of their own; a database in memory is seen by no thread. */
  thread: boolean;
};

/** Longer than others hold the lock for good reason, shorter than clients wait for an answer. */
const defaultLockWaitMs = 25_000;

export default fp<Options>(async (app, { settings, lockWaitMs = defaultLockWaitMs, checkpoints, thread }) => {
  const tables = createTables(app.database, { settings, now: app.now });
  const commands = createCommands(tables);
  const wakes: [Due, () => void][] = [];

  function publish({ campaigns, lines, due }: Effects): void {
    for (const { level, fields, text } of lines) app.log[level](fields, text);
    for (const campaignId of campaigns) app.campaignChanges.announce(campaignId);
    for (const [loop, wake] of wakes) if (due.has(loop)) wake();
  }

  type Commands = Record<string, Record<string, (...given: readonly unknown[]) => unknown>>;
  const named = commands as unknown as Commands;
  const here: RunCommand = (noun, name, given) => app.commit(() => tables.effects.during(() => named[noun]?.[name]?.(...given)));
  const now = app.now === Date.now ? undefined : app.now;
  const writer = thread ? openWriter({ settings, lockWaitMs, checkpointPages: withinWriteAtPages(checkpoints), now }) : undefined;
  app.addHook('onClose', async () => writer?.close());

  app.decorate('store', createStore(named, createQueries(tables) as unknown as Commands, writer?.run ?? here, publish));
  app.decorate('whenDue', (loop, wake) => void wakes.push([loop, wake]));
  app.decorate('tables', tables);
  app.decorate('write', async (work) => {
    const { answer, effects } = await app.commit(() => tables.effects.during(work));
    publish(effects);
    return answer;
  });
  const { now: _now, timeNow: _time, settings: _settings, effects: _effects, gates: _gates, outbox: _outbox, answers: _answers, targets: _targets, deliveries: _deliveries, keys: _keys, ...rest } = tables;
  for (const [name, repository] of Object.entries(rest)) app.decorate(name, repository as object);
});
