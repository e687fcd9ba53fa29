// A runner in the process of the service: the same that stands elsewhere, over the same HTTP.
import { hostname } from 'node:os';
import type { RunningApi } from '@pronghorn/api';
import { chromeWorkplace, runRunner, surveyCapabilities } from '@pronghorn/runner';
import type { Config } from './config/schema.ts';

export interface BesideRunner {
  /** Settles with the reason when the runner can't go on; never when it ends as it was told. */
  failed: Promise<Error>;
  /** Lets it finish its round; after so long it gives the round back. */
  drain(atMostMs: number): Promise<void>;
}

export function startBeside(
  api: RunningApi,
  { name: named, location, link, allowNet, congestionControl, keepEvidence }: Config['runner'],
): BesideRunner {
  const [drain, stop] = [new AbortController(), new AbortController()];
  const name = named ?? hostname();
  const { log } = api;

  const work = async () =>
    runRunner({
      apiUrl: api.url,
      token: api.runnerToken(name) ?? undefined,
      name,
      location,
      capabilities: await surveyCapabilities(link),
      workplace: chromeWorkplace({ choice: link, allowNet, congestionControl }),
      keepEvidence,
      events: { warned: (message) => log.warn({ event: 'runner-warning', runner: name }, message) },
      drain: drain.signal,
      stop: stop.signal,
    });
  const working = work();
  return {
    failed: new Promise((resolve) => {
      working.catch((error: unknown) => resolve(error instanceof Error ? error : new Error(String(error))));
    }),
    async drain(atMostMs) {
      drain.abort();
      const patience = setTimeout(() => stop.abort(), atMostMs);
      await working.catch(() => {}); // `failed` tells
      clearTimeout(patience);
    },
  };
}
