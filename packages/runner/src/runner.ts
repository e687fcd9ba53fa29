// A runner that works for months: it registers, takes rounds, and gets over whatever the network, the api and the disk do.
import { randomUUID } from 'node:crypto';
import { ApiDenied, backoffMs, pause } from '@pronghorn/core/client';
import { type Capabilities, type Lease, runnerProtocol } from '@pronghorn/core/schemas';
import { version } from '@pronghorn/core/vocabulary';
import { toldToStop } from './agent.ts';
import { ApiClient } from './api-client.ts';
import { sweep, temporaryFolder } from './chrome/run-folder.ts';
import { KnownSites } from './discovery/known-sites.ts';
import type { Executor } from './executor.ts';
import { type AgentEvents, isLost } from './lease-tools.ts';
import { machineFacts } from './machine/facts.ts';
import { lackOfRoom } from './machine/room.ts';
import { keepLease, performLease } from './perform-lease.ts';
import { Presence } from './presence.ts';
import { Outbox } from './spool/outbox.ts';
import { Spool } from './spool/spool.ts';
import type { Upload } from './uploads.ts';

export interface RunnerEvents extends AgentEvents {
  registered?(runnerId: string): void;
  leased?(lease: Lease): void;
  /** The api has it. */
  stored?(upload: Upload): void;
  /** The round is over, and complete. */
  completed?(lease: Lease): void;
  /** The round was given back, since something went wrong. */
  failed?(lease: Lease): void;
}

export interface RunnerOptions {
  apiUrl: string;
  /** Of role runner. */
  token?: string | undefined;
  name: string;
  location: string | null;
  capabilities: Capabilities;
  workplace: Executor;
  keepEvidence: boolean;
  events: RunnerEvents;
  /** Finishes the round that runs, takes no other, and ends. */
  drain: AbortSignal;
  /** Gives the round back at once, and ends. */
  stop: AbortSignal;
  /** Where uploads wait while the api is away; default: a folder that goes with the process. */
  spoolFolder?: string;
  spoolMaxBytes?: number;
  /** With less room on its disks it takes no round: Chrome on a full disk measures the disk. */
  minFreeBytes?: number;
}

/** The uploads of one round: a hundred bytes of text for each of 10,000 requests, and frames. */
const spoolDefaultBytes = 512 * 2 ** 20;
const minFreeDefaultBytes = 200 * 2 ** 20;
/** How often a runner without room looks again. */
const roomCheckMs = 10_000;

/**
 * Works until it is told to drain or to stop.
 *
 * @throws ApiDenied when the api does not take its token; ApiRefusal when it does not take the runner: another protocol, or another process
 * of its name
 */
export async function runRunner(options: RunnerOptions): Promise<void> {
  sweep();
  const { events, drain, workplace } = options;
  const denied = new AbortController();
  const stop = AbortSignal.any([options.stop, denied.signal]);
  const leaving = AbortSignal.any([drain, stop]);
  const warned = (message: string) => events.warned?.(message);
  const api = new ApiClient({ url: options.apiUrl, token: options.token, tries: Number.POSITIVE_INFINITY, signal: stop, warned });
  const spoolFolder = options.spoolFolder ?? temporaryFolder('spool');
  const spool = new Spool(spoolFolder, options.spoolMaxBytes ?? spoolDefaultBytes);
  const send = async (upload: Upload) => {
    await api.uploadOnce(upload);
    events.stored?.(upload);
  };
  const outbox = new Outbox({ send, spool, warned });
  const known = new KnownSites({
    runner: options.name,
    events,
    sites: (leaseId) => api.sites(leaseId),
    stored: (leaseId, after) => api.discoveries(leaseId, after),
  });
  const environments = new Set<string>();
  const presence = new Presence({
    api,
    registration: {
      name: options.name,
      instance: randomUUID(),
      location: options.location,
      version,
      protocol: runnerProtocol,
      capabilities: options.capabilities,
      machine: machineFacts(),
    },
    warned,
    onRegistered: (runnerId) => {
      known.forget();
      environments.clear();
      events.registered?.(runnerId);
    },
    onDenied: (error) => denied.abort(error),
  });
  const onDrain = () => presence.say('draining');
  drain.addEventListener('abort', onDrain);
  const onStop = () => void workplace.close().catch((error) => warned(`What visits were made with did not end as it should: ${error}`));
  stop.addEventListener('abort', onStop);

  /** @returns what went wrong with the machine rather than with the round, in words; null: nothing */
  const perform = async (lease: Lease): Promise<string | null> => {
    events.leased?.(lease);
    const keeping = keepLease(api, lease);
    const signal = AbortSignal.any([stop, keeping.lost]);
    try {
      const tools = await workplace.open(lease);
      const deliver = (upload: Upload) => outbox.deliver(upload, signal);
      const { keepEvidence } = options;
      const whole = await performLease({
        lease,
        tools,
        known,
        environments,
        deliver,
        keepEvidence,
        secretOf: api.secretsOf(lease.id),
        events,
        signal,
      });
      if (whole) await outbox.flush(signal);
      if (whole && !signal.aborted) {
        await api.complete(lease.id);
        events.completed?.(lease);
      } else if (keeping.lost.aborted) warned(`Round ${lease.round.id} was lost: the api gave it to somebody else.`);
      else await api.release(lease.id, toldToStop);
      return null;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (error instanceof ApiDenied) {
        denied.abort(error);
        return null;
      }
      if (stop.aborted) {
        // The workplace was closed under a load: what failed says nothing.
        await api.release(lease.id, toldToStop).catch(() => {});
        return null;
      }
      if (keeping.lost.aborted || isLost(error)) {
        warned(`Round ${lease.round.id} was lost: ${why}`);
        return null;
      }
      // Perhaps it refers to something that the api does not have: next time all is sent anew.
      known.forget();
      environments.clear();
      await api.release(lease.id, `The runner failed: ${why}`, true).catch(() => {});
      await workplace.abandon();
      events.failed?.(lease);
      return why;
    } finally {
      keeping.stop();
      // Of a round that is over nothing can be stored any more; what other rounds will refer to is still to be sent.
      spool.remove(({ leaseId }) => leaseId !== null);
    }
  };

  try {
    await presence.begin(leaving);
    let failures = 0;
    while (!leaving.aborted) {
      const full = lackOfRoom([spoolFolder], options.minFreeBytes ?? minFreeDefaultBytes);
      if (full !== null) {
        presence.trouble(full);
        await pause(roomCheckMs, leaving);
        continue;
      }
      if (failures === 0) presence.trouble(null);
      const answer = await presence.lease(leaving);
      if (answer === null) continue;
      if (answer.lease === null) {
        // Spread, so that runners which found nothing together don't ask together.
        await pause(answer.askAgainMs * (0.75 + Math.random() / 2), leaving);
        continue;
      }
      const failure = await perform(answer.lease);
      failures = failure === null ? 0 : failures + 1;
      if (failure === null) continue;
      presence.trouble(failure);
      await pause(backoffMs(failures + 4, null), leaving);
    }
  } catch (error) {
    if (!leaving.aborted) throw error;
  } finally {
    drain.removeEventListener('abort', onDrain);
    stop.removeEventListener('abort', onStop);
    await presence.end();
    await workplace.close();
  }
  if (denied.signal.aborted) throw denied.signal.reason;
}
