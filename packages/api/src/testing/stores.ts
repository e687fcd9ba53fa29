import type { ApiOptions } from '../app.ts';

/** The stores that several processes may share, each by the options that make one. What a store promises, is tested of each. */
export const sharedStores: Readonly<Record<string, Pick<ApiOptions, 'threads'>>> = {
  'SQLite in threads': { threads: true },
  'SQLite in the event loop': { threads: false },
};
