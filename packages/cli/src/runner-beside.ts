// A runner in the process of the service: the same that stands elsewhere, over the same HTTP.
import { hostname } from 'node:os';
import type { RunningApi } from '@pronghorn/api';
import { chromeWorkplace, runRunner, surveyCapabilities, type Workplace } from '@pronghorn/runner';
import type { Config } from './config/schema.ts';

export interface BesideRunner {
  /** Settles with the reason when the runner can't go on; never when it ends as it was told. */
  failed: Promise<Error>;
  /** Lets it finish its round; after so long it gives the round back. */
  drain(atMostMs: number): Promise<void>;
}

/**
 * @param beside.token of the process itself, where only that may ask; default: one of the runner's own
 * @param beside.workplace default: Chrome behind the link that fits a campaign
 */
export function startBeside(
  api: RunningApi,
  { name: named, location, link, allowNet, congestionControl, keepEvidence }: Config['runner'],
  { token, workplace }: { token?: string | undefined; workplace?: Workplace | undefined } = {},
): BesideRunner {
  const [drain, stop] = [new AbortController(), new AbortController()];
  const name = named ?? hostname();
  const { log } = api;

  const work = async () =>
    runRunner({
      apiUrl: api.url,
      token: token ?? (await api.runnerToken(name)) ?? undefined,
      name,
      location,
      capabilities: await surveyCapabilities(link),
      workplace: workplace ?? chromeWorkplace({ choice: link, allowNet, congestionControl }),
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
