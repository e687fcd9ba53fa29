import type { Database } from '../storage/database.ts';
import { createWrite } from '../storage/write.ts';
import { openStore } from './open-store.ts';
import type { StoreSettings } from './settings.ts';
import type { Store } from './store.ts';

/** A store without a service and without threads: for commands of this machine, and for tests. @param write runs each command. */
export const createLocalStore = (database: Database, settings: StoreSettings, write = createWrite(database)): Store =>
  openStore(database, write, { settings, now: Date.now, lockWaitMs: 0, checkpointPages: 0, threads: false, publish: () => {} }).store;
