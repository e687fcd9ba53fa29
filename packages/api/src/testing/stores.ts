import { isThorough } from '@pronghorn/core/testing';
import type { ApiOptions } from '../app.ts';

type Stores = Readonly<Record<string, Pick<ApiOptions, 'threads'>>>;

const inThreads: Stores = { 'SQLite in threads': { threads: true } };

/** The stores that several processes may share, each by the options that make one. */
export const stores: Stores = { ...inThreads, 'SQLite in the event loop': { threads: false } };

/** Those of which is tested what a store promises: the first tier takes the one that the service has. */
export const sharedStores = isThorough ? stores : inThreads;
