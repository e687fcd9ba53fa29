// The store as the service has it: its commands' effects are known to whoever waits for them.
import fp from 'fastify-plugin';
import { type CheckpointOptions, withinWriteAtPages } from '../plugins/external/checkpoints.ts';
import { watchOthers } from '../storage/other-processes.ts';
import type { Due, Effects } from './effects.ts';
import { openStore } from './open-store.ts';
import type { StoreSettings } from './settings.ts';
import type { Store } from './store.ts';
import type { Tables } from './tables.ts';

declare module 'fastify' {
  interface FastifyInstance {
    store: Store;
    settings: StoreSettings;
    /** For tests alone, which look into tables and damage them. */
    tables: Tables;
    /** Calls `wake` when a command may have given a loop something to do. */
    whenDue(loop: Due, wake: () => void): void;
    /** Calls `listener`, within about a second, when another process may have changed the data; what, it reads. @returns what ends it. */
    whenOthersChange(listener: () => void): () => void;
  }
}

type Options = {
  settings: StoreSettings;
  lockWaitMs: number | undefined;
  checkpoints: CheckpointOptions['by'];
  /** Whether commands and long queries run in threads of their own. */
  threads: boolean;
};

/** Longer than others hold the lock for good reason, shorter than clients wait for an answer. */
const defaultLockWaitMs = 25_000;

export default fp<Options>(async (app, { settings, lockWaitMs = defaultLockWaitMs, checkpoints, threads }) => {
  const wakes: [Due, () => void][] = [];
  function publish({ campaigns, lines, due }: Effects): void {
    for (const { level, fields, text } of lines) app.log[level](fields, text);
    for (const campaignId of campaigns) app.campaignChanges.announce(campaignId);
    for (const [loop, wake] of wakes) if (due.has(loop)) wake();
  }
  const checkpointPages = withinWriteAtPages(checkpoints);
  const { store, tables, ready, stopWaiting, close } = openStore(app.database, app.commit, {
    settings,
    now: app.now,
    lockWaitMs,
    checkpointPages,
    threads,
    publish,
  });
  // Before the requests in flight are waited for, which may wait for a lock.
  app.addHook('preClose', async () => stopWaiting());
  app.addHook('onClose', close);
  await ready;
  app.decorate('store', store);
  app.decorate('whenDue', (loop, wake) => void wakes.push([loop, wake]));
  const others = watchOthers(app.database);
  app.addHook('preClose', async () => others.close());
  app.decorate('whenOthersChange', others.listen);
  app.decorate('settings', { getter: () => settings });
  app.decorate('tables', tables);
});
