// The service's data, by use case. A command changes it, wholly or not at all, with all that belongs to the change; a query reads what is so
// at one moment. Routes and loops know nothing else of a database.

import { accessCommands } from '../plugins/app/access/access-commands.ts';
import { createAdmissionRules } from '../plugins/app/access/admission.ts';
import { alertCommands, createAlertReads } from '../plugins/app/alerts/alert-commands.ts';
import { badgeCommands, createBadgeReads } from '../plugins/app/badges/badges.ts';
import { ownershipPermission } from '../plugins/app/calls/calls.ts';
import { campaignCommands } from '../plugins/app/campaigns/campaign-commands.ts';
import { createCampaignReads, createRoundReads } from '../plugins/app/campaigns/campaign-reads.ts';
import { conditionCommands } from '../plugins/app/conditions/condition-commands.ts';
import { createEvidenceReads, evidenceCommands } from '../plugins/app/evidence/evidence-commands.ts';
import { createGateReads, gateCommands } from '../plugins/app/gates/gate-commands.ts';
import { createImportReads, importCommands } from '../plugins/app/imports/imports.ts';
import { createTargetReads, notificationCommands } from '../plugins/app/notifications/notification-commands.ts';
import { createQueueReads } from '../plugins/app/queue/place-in-queue.ts';
import { createLeaseReads, queueCommands } from '../plugins/app/queue/queue-commands.ts';
import { resultCommands } from '../plugins/app/results/computation.ts';
import { createResultReads } from '../plugins/app/results/results-version.ts';
import { createRetentionReads, retentionCommands } from '../plugins/app/retention/retention-commands.ts';
import { createTextReads, textCommands } from '../plugins/app/retention/unused-texts.ts';
import { createRunnerReads, runnerCommands } from '../plugins/app/runners/runner-commands.ts';
import { createNightReads } from '../plugins/app/schedules/regression-watch.ts';
import { createScheduleReads, scheduleCommands } from '../plugins/app/schedules/schedule-commands.ts';
import { siteCommands } from '../plugins/app/sites/site-commands.ts';
import { createSiteStatusReads } from '../plugins/app/sites/site-status.ts';
import { createVisitPages, createVisitReads } from '../plugins/app/visits/visit-reads.ts';
import type { Tables } from './tables.ts';

export const createCommands = (tables: Tables) => ({
  access: accessCommands(tables),
  alerts: alertCommands(tables),
  badges: badgeCommands(tables),
  campaigns: campaignCommands(tables),
  clock: { look: tables.clock.look, believe: tables.clock.believe },
  conditions: conditionCommands(tables),
  environments: { put: tables.environments.put },
  evidence: evidenceCommands(tables),
  gates: gateCommands(tables),
  imports: importCommands(tables),
  notifications: notificationCommands(tables),
  queue: queueCommands(tables),
  results: resultCommands(tables),
  retention: retentionCommands(tables),
  runners: runnerCommands(tables),
  schedules: scheduleCommands(tables),
  sites: siteCommands(tables),
  texts: textCommands(tables),
  service: { touch: () => tables.dailyJobs.touch('readiness', tables.now()), callsPermission: () => ownershipPermission(tables) },
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
  alerts: createAlertReads(tables),
  badges: createBadgeReads(tables),
  campaigns: createCampaignReads(tables), // long: find, findSpec, page
  clock: { doubt: tables.clock.doubt },
  conditions: {
    all: tables.conditions.all,
    find: tables.conditions.find,
    page: tables.conditions.page,
  },
  discoveries: {
    find: tables.discoveries.find,
    page: tables.discoveries.page,
  },
  environments: { find: tables.environments.find },
  evidence: createEvidenceReads(tables),
  gates: createGateReads(tables),
  imports: createImportReads(tables),
  keys: { find: tables.keys.find },
  linkChecks: { page: tables.linkChecks.page },
  log: { page: tables.campaignLog.page },
  notifications: createTargetReads(tables),
  queue: {
    ...createQueueReads(tables, tables.settings.queue),
    ...createLeaseReads(tables),
    openRounds: tables.readings.openRounds,
    isUndecided: tables.campaigns.isUndecided,
    undecided: tables.campaigns.undecided,
  },
  results: createResultReads(tables),
  retention: createRetentionReads(tables),
  rounds: createRoundReads(tables),
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
  service: {
    assertReadable: tables.readings.assertReadable,
    databaseSize: tables.readings.size,
    schemaVersion: tables.schemaVersion,
    totals: tables.readings.totals,
  },
  sites: {
    ...createSiteStatusReads(tables), // long
    find: tables.sites.find,
    usedTags: tables.sites.usedTags,
    newestComparing: tables.campaigns.newestComparing,
    page: tables.sites.page,
  },
  texts: createTextReads(tables),
  visits: {
    ...createVisitReads(tables),
    find: tables.visits.find,
    ...createVisitPages(tables), // long
  },
});

type Commands = ReturnType<typeof createCommands>;
type Queries = ReturnType<typeof createQueries>;
type Noun = keyof Commands | keyof Queries;
type Of<All, N> = N extends keyof All ? All[N] : unknown;
// biome-ignore lint/suspicious/noExplicitAny: any function has these parameters
type Awaiting<F> = F extends (...given: infer Given extends any[]) => infer Answer ? (...given: Given) => Promise<Awaited<Answer>> : never;

/** By noun and use case; each answers later. */
export type Store = {
  readonly [N in Noun]: { readonly [Name in keyof (Of<Commands, N> & Of<Queries, N>)]: Awaiting<(Of<Commands, N> & Of<Queries, N>)[Name]> };
};

/** Queries that read much. */
export const longQueries: { readonly [N in keyof Queries]?: readonly (keyof Queries[N])[] } = {
  campaigns: ['find', 'findSpec', 'page'],
  evidence: ['keptByPolicy'],
  queue: ['sitesOfLease'],
  retention: ['preview'],
  results: ['unsummarised'],
  schedules: ['night'],
  sites: ['statusPage'],
  texts: ['usedAfter'],
  visits: ['exported', 'page'],
};

/** Use cases of one connection, by noun and name. */
export type UseCases = Record<string, Record<string, (...given: readonly unknown[]) => unknown>>;
