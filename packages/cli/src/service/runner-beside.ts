// A runner in the service's process: the same as elsewhere, over the same HTTP.

import { hostname } from 'node:os';
import type { RunningApi } from '@pronghorn/api';
import type { Capabilities } from '@pronghorn/core/schemas';
import { chromeExecutor, type Executor, type Fencing, runRunner, surveyCapabilities } from '@pronghorn/runner';
import type { Config } from '../config/schema.ts';

export interface BesideRunner {
  /** Settles with the reason when the runner can't go on; never when it ends as requested. */
  failed: Promise<Error>;
  /** Lets it finish its round; after this time it gives the round back. */
  drain(maxMs: number): Promise<void>;
}

/**
 * @param beside.token the process's own, where no other is accepted; default: a token for the runner
 * @param beside.executor default: Chrome behind the link that fits a campaign
 * @param beside.fencing for the link direct
 */
export function startBeside(
  api: RunningApi,
  { name: named, location, link, allowNet, congestionControl, keepEvidence }: Config['runner'],
  { token, executor, fencing }: { token?: string | undefined; executor?: Executor | undefined; fencing: Fencing },
): BesideRunner {
  const [drain, stop] = [new AbortController(), new AbortController()];
  const name = named ?? hostname();
  const { log } = api;

  const work = async () => {
    const capabilities = await surveyCapabilities(link, fencing);
    const reach = reachWords(capabilities);
    if (reach !== undefined) log[capabilities.isFenced ? 'info' : 'warn']({ event: 'runner-reach', runner: name }, reach);
    return await runRunner({
      apiUrl: api.url,
      token: token ?? (await api.runnerToken(name)) ?? undefined,
      name,
      location,
      capabilities,
      executor: executor ?? chromeExecutor({ choice: link, allowNet, fencing, congestionControl }),
      keepEvidence,
      events: { warned: (message) => log.warn({ event: 'runner-warning', runner: name }, message) },
      drain: drain.signal,
      stop: stop.signal,
    });
  };
  const working = work();
  return {
    failed: new Promise((resolve) => {
      working.catch((error: unknown) => resolve(error instanceof Error ? error : new Error(String(error))));
    }),
    async drain(maxMs) {
      drain.abort();
      const timer = setTimeout(() => stop.abort(), maxMs);
      await working.catch(() => {}); // `failed` has the reason
      clearTimeout(timer);
    },
  };
}

/** What visits over the link direct can reach, where a runner has it. */
export function reachWords({ isFenced }: Capabilities): string | undefined {
  switch (isFenced) {
    case undefined:
      return undefined;
    case true:
      return 'Over the link direct, visits reach public addresses and what --allow-net opens; anything else is refused before it is sent.';
    case false:
      return 'No fence: over the link direct, visits reach everything that this machine reaches, its own services and inner networks too.';
  }
}
