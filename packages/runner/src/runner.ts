// A runner that works for months: it registers, takes rounds, and survives failures of the network, the api and the disk.
import { randomUUID } from 'node:crypto';
import { mkdirSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { backoffMs, pause } from '@pronghorn/core/client';
import { type Capabilities, type Lease, runnerProtocol } from '@pronghorn/core/schemas';
import { version } from '@pronghorn/core/vocabulary';
import { ApiClient } from './api/api-client.ts';
import { Outbox } from './api/outbox.ts';
import { Registration } from './api/registration.ts';
import { Spool } from './api/spool.ts';
import type { Upload } from './api/uploads.ts';
import type { Engine } from './engines/engine.ts';
import type { Executor } from './lease/executor.ts';
import { KnownSites } from './lease/known-sites.ts';
import type { AgentEvents } from './lease/lease-tools.ts';
import { carryOut, performLease } from './lease/perform-lease.ts';
import type { AgentLink } from './link/agent-link.ts';
import { machineFacts } from './machine/environment.ts';
import { sweep, temporaryFolder } from './machine/run-folder.ts';
import { localSecrets } from './visitor/resolve.ts';

export interface RunnerEvents extends AgentEvents {
  registered?(runnerId: string): void;
  leased?(lease: Lease): void;
  stored?(upload: Upload): void;
  completed?(lease: Lease): void;
  /** The round was given back after a failure. */
  failed?(lease: Lease): void;
}

export interface RunnerOptions {
  apiUrl: string;
  /** A token of role runner. */
  token?: string | undefined;
  name: string;
  location: string | null;
  capabilities: Capabilities;
  executor: Executor;
  keepEvidence: boolean;
  events: RunnerEvents;
  /** Finishes the round that runs, takes no other, and ends. */
  drain: AbortSignal;
  /** Gives the round back at once, and ends. */
  stop: AbortSignal;
  /** Folder of uploads that wait for the api; default: one that is removed with the process. */
  spoolFolder?: string;
  spoolMaxBytes?: number;
  /** With less room on its disks it takes no round: Chrome on a full disk measures the disk. */
  minFreeBytes?: number;
}

/** The uploads of one round: a hundred bytes of text for each of 10,000 requests, and frames. */
const spoolDefaultBytes = 512 * 2 ** 20;
const minFreeDefaultBytes = 200 * 2 ** 20;
const roomCheckMs = 10_000;

/**
 * Works until the signal to drain or to stop.
 *
 * @throws ApiDenied when the api does not take its token; ApiRefusal when it does not take the runner: another protocol, or another process
 * of its name
 */
export async function runRunner(options: RunnerOptions): Promise<void> {
  sweep();
  const { events, drain, executor } = options;
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
  const known = new KnownSites({ runner: options.name, events, api });
  const environments = new Set<string>();
  const registration = new Registration({
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
  const onDrain = () => registration.say('draining');
  drain.addEventListener('abort', onDrain);
  const onStop = () => void executor.close().catch((error) => warned(`The visits’ engine and link did not end cleanly: ${error}`));
  stop.addEventListener('abort', onStop);

  /** @returns the fault of the machine, if that failed rather than the round; null: none */
  const work = async (lease: Lease): Promise<string | null> => {
    events.leased?.(lease);
    const perform = async (signal: AbortSignal) => {
      const deliver = (upload: Upload) => outbox.deliver(upload, signal);
      const { keepEvidence } = options;
      const [tools, secretOf] = [await executor.open(lease), api.secretsOf(lease.id)];
      const whole = await performLease({ lease, tools, known, environments, deliver, keepEvidence, secretOf, events, signal });
      if (whole !== null) await outbox.flush(signal);
      return signal.aborted ? null : whole;
    };
    try {
      const end = await carryOut(api, lease, { stop, events, perform });
      if (end === 'complete') events.completed?.(lease);
      if (!(end instanceof Error)) return null;
      // It may refer to something that the api does not have: next time everything is sent again.
      known.forget();
      environments.clear();
      await executor.abandon();
      events.failed?.(lease);
      return end.message;
    } catch (error) {
      denied.abort(error);
      return null;
    } finally {
      // A round that is over can store nothing; uploads that other rounds will refer to are still sent.
      spool.remove(({ leaseId }) => leaseId !== null);
    }
  };

  try {
    await registration.begin(leaving);
    let failures = 0;
    while (!leaving.aborted) {
      const full = lackOfRoom([spoolFolder], options.minFreeBytes ?? minFreeDefaultBytes);
      if (full !== null) {
        registration.trouble(full);
        await pause(roomCheckMs, leaving);
        continue;
      }
      if (failures === 0) registration.trouble(null);
      const answer = await registration.lease(leaving);
      if (answer === null) continue;
      if (answer.lease === null) {
        // Spread, so that runners which found nothing together don't ask together.
        await pause(answer.askAgainMs * (0.75 + Math.random() / 2), leaving);
        continue;
      }
      const failure = await work(answer.lease);
      failures = failure === null ? 0 : failures + 1;
      if (failure === null) continue;
      registration.trouble(failure);
      await pause(backoffMs(failures + 4, null), leaving);
    }
  } catch (error) {
    if (!leaving.aborted) throw error;
  } finally {
    drain.removeEventListener('abort', onDrain);
    stop.removeEventListener('abort', onStop);
    await registration.end();
    await executor.close();
  }
  if (denied.signal.aborted) throw denied.signal.reason;
}

/**
 * Checks the free room of the spool, and of the temporary folder with Chrome's profiles.
 * @param folders besides the temporary one
 * @returns null, or a message that names the full folder
 */
export function lackOfRoom(folders: readonly string[], minFreeBytes: number): string | null {
  for (const folder of new Set([...folders, tmpdir()])) {
    mkdirSync(folder, { recursive: true, mode: 0o700 }); // a cleaner of /tmp removes folders that were empty for days
    const { bavail, bsize } = statfsSync(folder);
    const free = bavail * bsize;
    if (free < minFreeBytes) {
      return `The disk of ${folder} has ${megabytes(free)} MB left, and the runner needs ${megabytes(minFreeBytes)} MB. Free some space: it then continues by itself.`;
    }
  }
  return null;
}

const megabytes = (bytes: number) => Math.floor(bytes / 1e6);

export interface AgentOptions {
  apiUrl: string;
  /** Present if the api requests one. */
  token?: string;
  name: string;
  engine: Engine;
  link: AgentLink;
  campaignId?: string;
  /** Ends after this number of finished rounds; default: when none is left. */
  maxRounds?: number;
  /** Takes back what an earlier process of the same name had leased of the campaign; its owner knows that it is gone. */
  reclaim?: boolean;
  /** Stores the raw evidence of the visits whose campaign wants it, so that it can be derived again (about 50 KB each); false: of none. */
  keepEvidence: boolean;
  events: AgentEvents;
  /** Stops between visits and gives the round back. */
  signal: AbortSignal;
}

/** Reports longer outages of the api, for a command whose user waits. */
const agentTries = 6;

/**
 * A runner for one occasion: works until the queue has nothing for it, or the signal says stop. The engine stays open: its owner closes it.
 *
 * @returns how many rounds it finished
 * @throws Error when the api can't be reached or refuses the runner's own requests, or the link does not do what a condition says
 */
export async function runAgent(options: AgentOptions): Promise<number> {
  sweep();
  const { name, campaignId, keepEvidence, signal: stop, events, maxRounds = Number.POSITIVE_INFINITY } = options;
  const api = new ApiClient({ url: options.apiUrl, token: options.token, tries: agentTries });
  if (options.reclaim === true && campaignId !== undefined) await api.reclaim(name, campaignId);
  const known = new KnownSites({ runner: name, events, api });
  const environments = new Set<string>();
  const deliver = (upload: Upload) => api.upload(upload);

  let finished = 0;
  while (!stop.aborted && finished < maxRounds) {
    const { lease } = await api.lease({ runner: name, ...(campaignId === undefined ? {} : { campaignId }) });
    if (lease === null) break;
    const perform = (signal: AbortSignal) =>
      performLease({ lease, tools: options, known, environments, deliver, keepEvidence, secretOf: localSecrets, events, signal });
    const end = await carryOut(api, lease, { stop, events, perform });
    if (end instanceof Error) throw end;
    if (end === 'complete') finished += 1;
  }
  return finished;
}
