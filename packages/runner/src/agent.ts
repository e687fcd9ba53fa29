// A runner for one occasion: lease a round, perform it, upload, again; until there is nothing to do or it is told to stop.
// One that works for months is in runner.ts.
import { ApiClient } from './api-client.ts';
import { sweep } from './chrome/run-folder.ts';
import { KnownSites } from './discovery/known-sites.ts';
import type { Engine } from './engines/engine.ts';
import { type AgentEvents, type AgentLink, isLost } from './lease-tools.ts';
import { keepLease, performLease } from './perform-lease.ts';
import type { Upload } from './uploads.ts';
import { localSecrets } from './visitor/resolve.ts';

export interface AgentOptions {
  apiUrl: string;
  /** Where the api asks for one. */
  token?: string;
  /** Names this runner at the api. */
  name: string;
  engine: Engine;
  /** What the engine's browsers stand behind. */
  link: AgentLink;
  /** Only rounds of this campaign. */
  campaignId?: string;
  /** Ends after so many rounds that it finished; default: when there is none left. */
  mostRounds?: number;
  /** Takes back what an earlier process of the same name had leased of the campaign; its owner knows that it is gone. */
  reclaim?: boolean;
  /** Stores the raw evidence of the visits whose campaign wants it, so that it can be derived again (about 50 KB each); false: of none. */
  keepEvidence: boolean;
  events: AgentEvents;
  /** Stops between visits and gives the round back. */
  signal: AbortSignal;
}

export const toldToStop = 'The runner was told to stop.';

/** While the api is away for longer, a command that somebody waits for should say so. */
const tries = 6;

/**
 * Works until the queue has nothing for this runner, or the signal says stop. The engine stays open: its owner closes it.
 *
 * @returns how many rounds it finished
 * @throws Error when the api can't be reached or refuses the runner's own requests, or the link does not do what a condition says
 */
export async function runAgent(options: AgentOptions): Promise<number> {
  sweep();
  const { signal, events } = options;
  const api = new ApiClient({ url: options.apiUrl, token: options.token, tries });
  if (options.reclaim === true && options.campaignId !== undefined) await api.reclaim(options.name, options.campaignId);
  const known = new KnownSites({
    runner: options.name,
    events,
    sites: (leaseId) => api.sites(leaseId),
    stored: (leaseId, after) => api.discoveries(leaseId, after),
  });
  const environments = new Set<string>();
  const deliver = (upload: Upload) => api.upload(upload);

  let finished = 0;
  while (!signal.aborted && finished < (options.mostRounds ?? Number.POSITIVE_INFINITY)) {
    const { lease } = await api.lease({
      runner: options.name,
      ...(options.campaignId === undefined ? {} : { campaignId: options.campaignId }),
    });
    if (lease === null) break;
    const keeping = keepLease(api, lease);
    try {
      const whole = await performLease({
        lease,
        tools: options,
        known,
        environments,
        deliver,
        keepEvidence: options.keepEvidence,
        secretOf: localSecrets,
        events,
        signal: AbortSignal.any([signal, keeping.lost]),
      });
      if (whole) {
        await api.complete(lease.id);
        finished += 1;
      } else if (!keeping.lost.aborted) await api.release(lease.id, toldToStop);
    } catch (error) {
      if (signal.aborted) {
        // Its owner closed the engine under a load: what failed says nothing.
        await api.release(lease.id, toldToStop).catch(() => {});
        break;
      }
      if (keeping.lost.aborted || isLost(error)) {
        events.warned?.(`Round ${lease.round.id} was lost: ${error instanceof Error ? error.message : error}`);
        continue;
      }
      await api.release(lease.id, `The runner failed: ${error instanceof Error ? error.message : error}`, true).catch(() => {});
      throw error;
    } finally {
      keeping.stop();
    }
  }
  return finished;
}
