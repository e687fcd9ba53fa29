// The service's data, by use case. A command changes it, wholly or not at all, with all that belongs to the change; a query reads what is so
// at one moment. Routes and loops know nothing else of a database.
import { campaignCommands } from '../plugins/app/campaigns/campaign-commands.ts';
import { createQueueReads } from '../plugins/app/queue/place-in-queue.ts';
import { queueCommands } from '../plugins/app/queue/queue-commands.ts';
import { badgeCommands, createBadgeReads } from '../plugins/app/badges/signed-addresses.ts';
import { ownershipPermission } from '../plugins/app/calls/calls.ts';
import { createLeaseReads } from '../plugins/app/leases/lease-reads.ts';
import { createTargetReads, notificationCommands } from '../plugins/app/notifications/notification-commands.ts';
import { createRunnerReads, runnerCommands } from '../plugins/app/runners/runner-commands.ts';
import { createNightReads } from '../plugins/app/schedules/regression-watch.ts';
import { createScheduleReads, scheduleCommands } from '../plugins/app/schedules/schedule-commands.ts';
import { conditionCommands } from '../plugins/app/conditions/condition-commands.ts';
import { accessCommands } from '../plugins/app/access/access-commands.ts';
import { createAdmissionRules } from '../plugins/app/access/admission.ts';
import { createGateReads, gateCommands } from '../plugins/app/gates/gate-commands.ts';
import type { Effects } from './effects.ts';
import type { Tables } from './tables.ts';

export const createCommands = (tables: Tables) => ({
  access: accessCommands(tables),
  badges: badgeCommands(tables),
  campaigns: campaignCommands(tables),
  clock: { look: tables.clock.look },
  conditions: conditionCommands(tables),
  environments: { put: tables.environments.put },
  gates: gateCommands(tables),
  notifications: notificationCommands(tables),
  queue: queueCommands(tables),
  runners: runnerCommands(tables),
  schedules: scheduleCommands(tables),
  service: { callsPermission: () => ownershipPermission(tables) },
});

export const createQueries = (tables: Tables) => ({
  admission: createAdmissionRules(tables),
  access: {
    findLiveToken: tables.tokens.findLive,
    findLiveTokenById: tables.tokens.findLiveById,
    findToken: tables.tokens.find,
    findTokenByName: tables.tokens.findByName,
    tokens: tables.tokens.page,
    unstoredTokenUses: tables.tokens.unstoredUses,
    forgetTokenUses: tables.tokens.forgetUses,
    tokenOfSession: tables.sessions.findTokenId,
    secrets: tables.secrets.list,
    audit: tables.audit.page,
  },
  badges: createBadgeReads(tables),
  campaigns: {
    findSpec: tables.campaigns.findSpec,
    leaving: tables.campaigns.leaving,
    anyUnusedEnvironment: tables.environments.anyUnused,
  },
  clock: { doubt: tables.clock.doubt },
  conditions: {
    all: tables.conditions.all,
    find: tables.conditions.find,
    page: tables.conditions.page,
  },
  gates: createGateReads(tables),
  keys: { find: tables.keys.find },
  notifications: createTargetReads(tables),
  queue: {
    ...createQueueReads(tables, tables.settings.queue),
    ...createLeaseReads(tables),
    isUndecided: tables.campaigns.isUndecided,
    undecided: tables.campaigns.undecided,
  },
  runners: {
    ...createRunnerReads(tables),
    workOfAll: tables.runnerWork.all,
    workOf: tables.runnerWork.of,
  },
  schedules: {
    ...createScheduleReads(tables),
    starts: tables.schedules.starts,
    dueAt: tables.schedules.dueAt,
    plannedAfter: tables.schedules.plannedAfter,
    earliest: tables.schedules.earliest,
    unjudged: tables.nights.waiting,
    night: createNightReads(tables),
  },
  sites: {
    find: tables.sites.find,
    newestComparing: tables.campaigns.newestComparing,
  },
  visits: { find: tables.visits.find },
});

type Commands = ReturnType<typeof createCommands>;
type Queries = ReturnType<typeof createQueries>;
type Noun = keyof Commands | keyof Queries;
type Of<All, N> = N extends keyof All ? All[N] : unknown;
// biome-ignore lint/suspicious/noExplicitAny: any function has these parameters
type Awaiting<F> = F extends (...given: infer Given extends any[]) => infer Answer ? (...given: Given) => Promise<Awaited<Answer>> : never;

/** By noun and use case; each answers later. */
export type Store = { readonly [N in Noun]: { readonly [Name in keyof (Of<Commands, N> & Of<Queries, N>)]: Awaiting<(Of<Commands, N> & Of<Queries, N>)[Name]> } };

/** Runs a command in a transaction of its own. */
export type RunCommand = (noun: string, name: string, given: readonly unknown[]) => Promise<{ answer: unknown; effects: Effects }>;

type Sync = (...given: readonly unknown[]) => unknown;
type Named = Record<string, Record<string, Sync>>;

/** @param publish gets a command's effects as soon as it is stored. */
export function createStore(commands: Named, queries: Named, run: RunCommand, publish: (effects: Effects) => void): Store {
  const store: Record<string, Record<string, (...given: readonly unknown[]) => Promise<unknown>>> = {};
  for (const [noun, all] of Object.entries(queries)) {
    const known = (store[noun] ??= {});
    for (const [name, query] of Object.entries(all)) known[name] = async (...given) => query(...given);
  }
  for (const [noun, all] of Object.entries(commands)) {
    const known = (store[noun] ??= {});
    for (const name of Object.keys(all)) {
      if (name in known) throw new Error(`${noun}.${name} is a command and a query. Name one of them otherwise.`);
      known[name] = async (...given) => {
        const { answer, effects } = await run(noun, name, given);
        publish(effects);
        return answer;
      };
    }
  }
  return store as unknown as Store;
}
