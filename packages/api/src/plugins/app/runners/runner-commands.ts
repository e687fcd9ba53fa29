// Runners come, give signs, and go. Whether one is there is computed from the database, never remembered by a process.
import {
  compareVersions,
  type Page,
  type Runner,
  type RunnerHeartbeat,
  type RunnerRegistration,
  runnerProtocol,
} from '@pronghorn/core/schemas';
import { version as apiVersion } from '@pronghorn/core/vocabulary';
import { found, ProblemError } from '../../../shared/problems.ts';
import { rowId, type Slice } from '../../../storage/page.ts';
import type { Caller } from '../../../store/caller.ts';
import type { Tables } from '../../../store/tables.ts';
import { ofInstance, type RunnerRow } from '../../../tables/runners-repository.ts';
import type { RequestAccess } from '../access/access.ts';
import { queueCommands } from '../queue/queue-commands.ts';

/** What an operator may choose of runners. */
export type RunnersOptions = {
  /** How often a runner should give a sign, milliseconds. */
  heartbeatMs: number;
};
export const defaultRunnersOptions: RunnersOptions = { heartbeatMs: 15_000 };

/** A runner that was silent for three heartbeats is lost. */
export const lostAfterMs = (options: Partial<RunnersOptions> = {}): number =>
  3 * (options.heartbeatMs ?? defaultRunnersOptions.heartbeatMs);

/** Runners as clients see them. */
export function createRunnerReads({ now, settings, runners }: Pick<Tables, 'now' | 'settings' | 'runners'>) {
  const toRunner = (row: RunnerRow): Runner => describe(row, { now: now(), ...settings.runners });
  return {
    toRunner,
    find(id: string): Runner | undefined {
      const row = runners.find(rowId(id));
      return row && toRunner(row);
    },
    all: (): Runner[] => runners.all().map(toRunner),
    page(slice: Slice): Page<Runner> {
      const { items, nextCursor } = runners.page(slice);
      return { items: items.map(toRunner), nextCursor };
    },
  };
}

/** Refusals are ProblemErrors. */
export function runnerCommands(tables: Tables) {
  const { now, audit, runners, tokens } = tables;
  const { toRunner } = createRunnerReads(tables);
  const { loseLeasesOf } = queueCommands(tables);
  const rowOf = (id: string): RunnerRow => found(runners.find(rowId(id)), `runner ${id}`);

  function assertOwn({ id, name, doing, tokenId: owner }: RunnerRow, { role, tokenId }: RequestAccess): void {
    if (owner === null || owner === tokenId || role === 'admin' || doing === 'stopped') return;
    const token = tokens.find(String(owner));
    if (!token || token.revokedAt !== null || (token.expiresAt !== null && Date.parse(token.expiresAt) <= now())) return;
    throw new ProblemError(
      'runner-present',
      `Runner "${name}" registered with the token "${token.name}". Use that one, give this runner another name, or have an admin revoke the token or DELETE /api/v1/runners/${id}.`,
    );
  }

  return {
    /**
     * Idempotent. Another process of the same name takes the place of the one before: whatever that had leased is lost at once.
     * @param by who asks: a name belongs to the token that registered it, while that is valid and its runner has not said good-bye.
     * @returns it, and campaigns of which is to be decided whether they are done.
     * @throws ProblemError runner-incompatible; runner-present when the name is another token's.
     */
    register(registration: RunnerRegistration, by: RequestAccess): { runner: Runner; isNew: boolean; undecided: number[] } {
      assertCompatible(registration);
      const before = runners.named(registration.name);
      if (before !== undefined) assertOwn(before, by);
      const isOther = before !== undefined && before.instance !== registration.instance;
      const undecided = isOther ? loseLeasesOf(before.id, 'its runner started anew') : [];
      runners.register(registration, by.tokenId, now());
      const runner = toRunner(found(runners.named(registration.name), `runner ${registration.name}`));
      return { runner, isNew: before === undefined, undecided };
    },

    /** @throws ProblemError not-found or runner-replaced. */
    heartbeat(id: string, { instance, ...sign }: RunnerHeartbeat): Runner {
      runners.heartbeat(ofInstance(rowOf(id), id, instance).id, sign, now());
      return toRunner(rowOf(id));
    },

    /** Forgets a runner that is gone. @throws ProblemError not-found, runner-present. */
    delete(id: string, caller: Caller): void {
      const { name, state, seenAt } = toRunner(rowOf(id));
      if (state !== 'lost' && state !== 'stopped') {
        throw new ProblemError(
          'runner-present',
          `Runner "${name}" is ${state}, and gave its last sign at ${seenAt}. Stop it first; it can be forgotten when it is stopped or lost.`,
        );
      }
      runners.remove(rowId(id));
      audit.of(caller, 'runner.delete', id, { name });
    },
  };
}

function assertCompatible({ name, protocol, version }: RunnerRegistration): void {
  if (protocol === runnerProtocol) return;
  const older = protocol < runnerProtocol ? 'runner' : 'service';
  throw new ProblemError(
    'runner-incompatible',
    `Runner "${name}" of version ${version} speaks protocol ${protocol}; this service of version ${apiVersion} speaks ${runnerProtocol}. Update the ${older}.`,
  );
}

/** @param clock.now milliseconds since 1970. */
function describe(row: RunnerRow, clock: { now: number; heartbeatMs: number }): Runner {
  const difference = compareVersions(row.version, apiVersion);
  const words = `${row.version} is ${difference < 0 ? 'older' : 'newer'} than the service’s ${apiVersion}.`;
  return {
    id: String(row.id),
    name: row.name,
    location: row.location,
    version: row.version,
    protocol: row.protocol,
    capabilities: row.capabilities,
    machine: row.machine,
    state: stateOf(row, clock),
    roundId: row.roundId === null ? null : String(row.roundId),
    trouble: row.trouble,
    cpuShare: row.cpuShare,
    outdated: difference < 0,
    versionWords: difference === 0 ? null : `${words}${difference < 0 ? ' It works; update it when you can.' : ''}`,
    registeredAt: new Date(row.registeredAt).toISOString(),
    seenAt: new Date(row.seenAt).toISOString(),
    heartbeatMs: clock.heartbeatMs,
  };
}

function stateOf({ doing, seenAt, roundId }: RunnerRow, { now, heartbeatMs }: { now: number; heartbeatMs: number }): Runner['state'] {
  if (doing === 'stopped') return 'stopped';
  // Also of a sign that is still to come: the clock was set back, and who is there gives another within a heartbeat.
  if (Math.abs(now - seenAt) > lostAfterMs({ heartbeatMs })) return 'lost';
  if (doing === 'draining') return 'draining';
  return roundId === null ? 'alive' : 'busy';
}
