// Lists, shows, changes and deletes the gates and schedules that a service stores.

import { assertionsOf } from '@pronghorn/core/campaign';
import { allItems } from '@pronghorn/core/client';
import type { Gate, GateRequest, Schedule, ScheduleRequest } from '@pronghorn/core/schemas';
import { counted, describeAssertion } from '@pronghorn/core/text';
import type { missedPolicies, Precision } from '@pronghorn/core/vocabulary';
import { findByName, findNamed, type RemoteApi, remoteApi } from '../connection/remote-service.ts';
import { type AskingOptions, tokenOf } from '../connection/token.ts';
import { campaignOf, inTheWorld, readGateFile, rulesOf, siteOf } from '../gate/gate-file.ts';
import { pageUrl } from '../local/targets.ts';
import { defined } from '../options/values.ts';
import { UsageError } from '../program/errors.ts';
import { readJson } from '../program/files.ts';
import { minute, plain, table } from '../program/terminal.ts';

export interface AddScheduleOptions extends ServiceOptions {
  cron: string;
  timeZone: string;
  campaign?: string;
  url: string[];
  rounds?: number;
  precision?: Precision;
  conditions?: string[];
  protocols?: string[];
  missed?: (typeof missedPolicies)[number];
  jitter?: number;
  gate?: string;
  baselineRuns?: number;
  threshold?: number;
}

export interface ServiceOptions extends AskingOptions {
  api: string;
}

export async function listGates(options: ServiceOptions): Promise<void> {
  console.log(gateTable(await allItems<Gate>((query) => connect(options).ask('GET /gates', { query }))));
}

/** @param given its name, or its id */
export async function showGate(given: string, options: ServiceOptions & { json?: true }): Promise<void> {
  const api = connect(options);
  const gate = await findNamed(api, 'gate', given);
  console.log(options.json ? JSON.stringify({ ...gate.campaign, ...gate.rules }, null, 2) : await shown(api, gate));
}

export async function saveGate(name: string, options: ServiceOptions & { config: string; rules?: true }): Promise<void> {
  console.log(await save(connect(options), gateRequest(name, options.config, options.rules === true)));
}

/** @param given its name, or its id */
export async function deleteGate(given: string, options: ServiceOptions): Promise<void> {
  const api = connect(options);
  const { id, name } = await findNamed(api, 'gate', given);
  await api.ask('DELETE /gates/{id}', { id });
  console.log(`Gate ${id}, "${plain(name)}", is deleted.`);
}

/** @throws UsageError on an invalid file, or one that says how to measure but not what */
function gateRequest(name: string, config: string, rulesAlone: boolean): GateRequest {
  const file = readGateFile(config);
  const rules = rulesOf(file);
  const others = campaignOf(file);
  const sites = file.sites?.map((site) => inTheWorld(siteOf(site, config)));
  if (rulesAlone || (sites === undefined && Object.keys(others).length === 0)) return { name, campaign: null, rules };
  if (sites === undefined)
    throw new UsageError(
      `The gate's file ${config} says how to measure (${Object.keys(others).join(', ')}), but has no sites. Name some, or store only the assertions with --rules.`,
    );
  return { name, campaign: { ...others, sites }, rules };
}

async function save(api: RemoteApi, request: GateRequest): Promise<string> {
  const before = await findByName(api, 'gate', request.name);
  const gate = before
    ? await api.ask('PUT /gates/{id}', { id: before.id, body: request })
    : await api.ask('POST /gates', { body: request });
  const asserts = counted(gate.rules.assertions.length, 'assertion');
  return `Gate ${gate.id}, "${plain(gate.name)}", is ${before ? 'changed' : 'stored'}: ${asserts}; it measures ${measured(gate)}.`;
}

const measured = ({ campaign }: Gate): string =>
  campaign === null
    ? 'nothing itself'
    : campaign.sites.length === 1
      ? plain(campaign.sites[0]?.url ?? '')
      : counted(campaign.sites.length, 'site');

function gateTable(gates: readonly Gate[]): string {
  if (gates.length === 0) return 'There are no gates. Store one with: ./pronghorn gates save NAME --config pronghorn.json';
  const rows = gates.map((gate) => [
    gate.id,
    plain(gate.name),
    measured(gate),
    String(gate.rules.assertions.length),
    `${time(gate.changedAt)}`,
  ]);
  return table(['id', 'name', 'measures', 'assertions', 'changed (UTC)'], rows, [1, 2, 4]);
}

async function shown(api: RemoteApi, gate: Gate): Promise<string> {
  const { items } = await api.ask('GET /gates/{id}/results', { id: gate.id, query: { limit: 10 } });
  const rows = items.map(({ campaignId, askedAt, askedBy, outcome }) => [
    ...[campaignId, time(askedAt), plain(askedBy ?? ''), outcome ?? 'its campaign is not done'],
  ]);
  return [
    `Gate ${gate.id}, "${plain(gate.name)}", changed ${time(gate.changedAt)} UTC. It measures ${measured(gate)}. It asserts`,
    ...assertionsOf(gate.rules).map((assertion) => `  ${plain(describeAssertion(assertion))}`),
    '',
    rows.length === 0 ? 'It has never been asked.' : table(['campaign', 'asked (UTC)', 'by', 'outcome'], rows, [1, 2, 3]),
  ].join('\n');
}

export async function listSchedules(options: ServiceOptions): Promise<void> {
  console.log(scheduleTable(await allItems<Schedule>((query) => connect(options).ask('GET /schedules', { query }))));
}

export async function addNewSchedule(name: string, options: AddScheduleOptions): Promise<void> {
  const made = await connect(options).ask('POST /schedules', { body: scheduleRequest(name, options) });
  console.log(`Schedule ${made.id}, "${plain(made.name)}", starts next at ${made.nextRuns[0] ?? 'no time'}.`);
}

/** @param given its id, or its name */
export async function actOnSchedule(action: ScheduleAction, given: string, options: ServiceOptions): Promise<void> {
  const api = connect(options);
  console.log(await actions[action](api, await findNamed(api, 'schedule', given)));
}

const actions = {
  async starts(api, { id }) {
    const { items } = await api.ask('GET /schedules/{id}/starts', { id, query: { limit: 50 } });
    const rows = items.map(({ dueAt, outcome, campaignId, words }) => [time(dueAt), outcome, campaignId ?? '', words]);
    return rows.length === 0 ? 'It has never started.' : table(['due', 'outcome', 'campaign', ''], rows, [0, 1, 3]);
  },
  async pause(api, { id, name }) {
    await api.ask('POST /schedules/{id}/pause', { id });
    return `Schedule ${id}, "${plain(name)}", is paused.`;
  },
  async resume(api, { id, name }) {
    const { nextRuns } = await api.ask('POST /schedules/{id}/resume', { id });
    return `Schedule ${id}, "${plain(name)}", starts next at ${nextRuns[0] ?? 'no time'}.`;
  },
  async remove(api, { id, name }) {
    await api.ask('DELETE /schedules/{id}', { id });
    return `Schedule ${id}, "${plain(name)}", is removed.`;
  },
  async start(api, { id }) {
    const campaign = await api.ask('POST /schedules/{id}/start', { id });
    return `Campaign ${campaign.id} is started: ${counted(campaign.progress.rounds, 'round')}.`;
  },
} satisfies Record<string, (api: RemoteApi, schedule: Schedule) => Promise<string>>;
export type ScheduleAction = keyof typeof actions;

const connect = (options: ServiceOptions) => remoteApi({ url: options.api, token: tokenOf(options) });

/** @throws UsageError */
function scheduleRequest(name: string, wishes: Omit<AddScheduleOptions, keyof ServiceOptions>): ScheduleRequest {
  const { cron, timeZone, missed, jitter, gate, baselineRuns, threshold } = wishes;
  return {
    ...{ name, cron, timeZone, campaign: scheduledCampaign(wishes) },
    ...defined({ missed, jitterSeconds: jitter, gate, baselineRuns }),
    ...(threshold === undefined ? {} : { regressionThreshold: threshold / 100 }),
  };
}

function scheduledCampaign({
  campaign: file,
  url,
  rounds,
  precision,
  conditions,
  protocols,
}: Omit<AddScheduleOptions, keyof ServiceOptions>): ScheduleRequest['campaign'] {
  if ((file === undefined) === (url.length === 0)) throw new UsageError('Name what to measure with either --campaign or --url.');
  const choices = {
    ...(url.length === 0 ? {} : { sites: url.map((one) => ({ url: pageUrl(one) })) }),
    ...defined({ rounds, precision, conditions, protocols }),
  };
  // The service checks the rest.
  return { ...(file === undefined ? {} : parsed(file)), ...choices } as ScheduleRequest['campaign'];
}

function parsed(file: string): object {
  const hint = ' docs/api.md shows what a campaign looks like.';
  const value = readJson(file, 'The campaign file', hint);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new UsageError(`The campaign file ${file} holds no campaign; expected a JSON object.${hint}`);
}

function scheduleTable(schedules: readonly Schedule[]): string {
  if (schedules.length === 0) return 'There are no schedules. Create one with: ./pronghorn schedule add NAME --cron … --url …';
  const rows = schedules.map(({ id, name, cron, timeZone, paused, nextRuns, lastStart }) => {
    const last = lastStart === null ? 'none' : `${time(lastStart.dueAt ?? lastStart.decidedAt)} ${lastStart.outcome}`;
    return [id, name, cron, timeZone, paused ? 'paused' : time(nextRuns[0] ?? null), last];
  });
  return table(['id', 'name', 'cron', 'time zone', 'next start (UTC)', 'last start (UTC)'], rows, [1, 2, 3, 4, 5]);
}

const time = (iso: string | null) => (iso === null ? 'by hand' : minute(iso));
