// Measures for a pipeline, and says whether what must hold does.
import {
  type Annotations,
  assertionsOf,
  type Campaign,
  type CampaignRequest,
  type Condition,
  counted,
  type GateAnswer,
  type GateCampaign,
  type GateFile,
  type GateResult,
  type GateRules,
  tooFewRounds,
  usualRounds,
} from '@pronghorn/core';
import type { ServerWish } from '@pronghorn/origin';
import { LinkUnavailable } from '@pronghorn/runner';
import { demoScene } from '../commands/demo.ts';
import { measure, type Scene, sceneOf } from '../commands/measure.ts';
import type { MeasureOptions } from '../commands/perform.ts';
import type { ConditionWishes } from '../conditions.ts';
import { UsageError } from '../data.ts';
import { House } from '../house.ts';
import { interruption } from '../interrupt.ts';
import type { Token } from '../job-token.ts';
import { resolveTargets, type Target, type TargetOptions, targetOf } from '../local/targets.ts';
import { remoteApi } from '../remote.ts';
import { tellError, wrap } from '../terminal.ts';
import { defaultExitCodes, type ExitCodes } from './exit-codes.ts';
import { campaignOf, inTheWorld, readGateFile, rulesOf, siteOf } from './gate-file.ts';
import { checkOutputs, type Outputs, writeOutputs } from './outputs.ts';
import { askRemote } from './remote-gate.ts';
import { needsSecondRun, secondRunCommand } from './reported.ts';

export interface GateWishes {
  config: string;
  /** In place of those of the file's sites, one by one; names and expected statuses stay. */
  urls: readonly string[];
  /** How folders and servers of this machine are served. */
  local: { targets: TargetOptions; outside: boolean };
  /** Some of the demo's sites, in place of them. */
  demo: { names: readonly string[]; server: ServerWish; port: number | undefined } | null;
  /** In place of the file's. */
  rounds: number | undefined;
  /** Share of the CPU that other work may take; in place of the file's. */
  busy: number | undefined;
  branch: string | undefined;
  annotations: Annotations;
  exitCodes: Partial<ExitCodes>;
  outputs: Outputs;
  /** A campaign that is there, in place of a new one. */
  campaign: string | undefined;
  /** Null: this machine measures. */
  remote: { url: string; token: Token; waitSeconds: number } | null;
}

/** @returns the exit code of the outcome, that of `error` where there is none, 130 when it was interrupted. @throws UsageError, for exit code 2 */
export async function runGate(wishes: GateWishes, options: MeasureOptions): Promise<number> {
  const file = readGateFile(wishes.config, wishes.campaign !== undefined);
  const exitCodes = { ...defaultExitCodes, ...file.exitCodes, ...wishes.exitCodes };
  checkOutputs(wishes.outputs);
  if (wishes.campaign === undefined) warn(wishes, file);
  const rules = rulesOf(wishes.branch === undefined ? file : { ...file, baseline: { ...file.baseline, branch: wishes.branch } });
  const report = (campaign: Campaign, { result }: GateAnswer, url: string | null): number => {
    if (result === null) return exitCodes.error;
    writeOutputs(wishes.outputs, { campaign, result, exitCodes, url });
    return exitCodes[result.outcome];
  };
  try {
    if (wishes.remote !== null) return await gateRemotely(wishes, wishes.remote, file, rules, report);
    if (wishes.campaign !== undefined) return await gateOf({ ...wishes, campaign: wishes.campaign }, file, rules, options, report);
    return await gateHere(wishes, file, rules, options, report);
  } catch (error) {
    if (error instanceof UsageError || error instanceof LinkUnavailable) throw error;
    tellError(error);
    return exitCodes.error;
  }
}

/** Before anything is measured: what it can't decide, and that it may take twice as long. */
function warn({ rounds, urls, demo }: GateWishes, file: GateFile): void {
  const { sites = [], conditions = ['native'], views = ['cold'] } = file;
  const pages = demo?.names?.length ?? Math.max(1, urls.length, sites.length);
  const asked = rounds ?? file.rounds ?? usualRounds(pages * conditions.length * views.length, false);
  const rules = rulesOf(file);
  for (const words of tooFewRounds(rules, asked)) console.error(wrap(`pronghorn: ${words}`));
  if (rules.decide !== 'point' && assertionsOf(rules).some(({ kind }) => kind === 'baseline'))
    console.error(wrap('If a check against the baseline looks like failing, a second run is measured, which confirms it or does not.'));
}

const secondRunWords = (result: GateResult, rounds: number): string => {
  const suspected = result.checks.filter(({ reasons }) => reasons.some(({ reason }) => reason === 'second-run')).length;
  return `${suspected === 1 ? 'A check' : `${suspected} checks`} against the baseline ${suspected === 1 ? 'looks' : 'look'} like failing. A second run decides: ${counted(rounds, 'round')} more.`;
};

/** Who asked for a campaign that is there wants nothing measured. */
function tellOfSecondRun(result: GateResult, campaign: Campaign, { config }: GateWishes, { sites }: GateFile, place: string): void {
  if (needsSecondRun(result)) console.error(`A second run would decide: ${secondRunCommand(campaign, { config, sites, place })}`);
}

const asSecondRun = (campaign: GateCampaign, of: string): GateCampaign => ({
  ...campaign,
  annotations: { ...campaign.annotations, repeats: of },
});

type Report = (campaign: Campaign, answer: GateAnswer, url: string | null) => number;

async function gateRemotely(
  wishes: GateWishes,
  { url, token, waitSeconds }: NonNullable<GateWishes['remote']>,
  file: GateFile,
  rules: GateRules,
  report: Report,
): Promise<number> {
  if (wishes.demo !== null) throw new UsageError('The demo is on this machine alone: name --sites or --api, not both.');
  const api = remoteApi({ url, token });
  const campaign = wishes.campaign === undefined ? requestOf(wishes, file, targetsOf(wishes, file).map(inTheWorld)) : undefined;
  const about = campaign === undefined ? { campaignId: wishes.campaign as string } : { campaign };
  const waiting = { waitSeconds, signal: interruption() };
  let found = await askRemote(api, { ...rules, ...about }, waiting);
  if (campaign !== undefined && found?.answer.result && needsSecondRun(found.answer.result)) {
    console.error(wrap(secondRunWords(found.answer.result, found.campaign.progress.rounds)));
    found = await askRemote(api, { ...rules, campaign: asSecondRun(campaign, found.campaign.id) }, waiting);
  }
  if (found === null) return 130;
  if (campaign === undefined && found.answer.result !== null)
    tellOfSecondRun(found.answer.result, found.campaign, wishes, file, ` --api ${url}`);
  return report(found.campaign, found.answer, `${api.url}/#/campaigns/${found.campaign.id}`);
}

/** Of a campaign in the data folder. */
async function gateOf(
  wishes: GateWishes & { campaign: string },
  file: GateFile,
  rules: GateRules,
  options: MeasureOptions,
  report: Report,
): Promise<number> {
  const campaignId = wishes.campaign;
  const house = await House.open(options.data);
  try {
    const answer = await house.askGate({ ...rules, campaignId });
    const campaign = await house.campaign(campaignId);
    if (answer.result === null)
      throw new UsageError(
        `Campaign ${campaignId} is ${campaign.state}. Go on with it: ./pronghorn resume ${campaignId}${options.data.flag}`,
      );
    tellOfSecondRun(answer.result, campaign, wishes, file, options.data.flag);
    return report(campaign, answer, null);
  } finally {
    await house.close();
  }
}

/** Measures on this machine. */
async function gateHere(wishes: GateWishes, file: GateFile, rules: GateRules, options: MeasureOptions, report: Report): Promise<number> {
  let code: number | undefined;
  const conditions: ConditionWishes = { list: file.conditions ?? ['native'], baseRttMs: undefined };
  const setScene = async (complete: readonly Condition[]): Promise<Scene> => {
    const scene = await setSceneOf(wishes, file, complete, options);
    let first: { campaign: Campaign; result: GateResult } | null = null;
    // The question makes the campaign: what could never be decided is refused before anything is measured.
    const create = async (house: House, request: CampaignRequest) =>
      house.campaign((await house.askGate({ ...rules, campaign: request as GateCampaign })).campaignId);
    return {
      ...scene,
      create,
      tell: async (house, campaign) => {
        code = undefined;
        if (campaign.state !== 'done') return 0;
        const answer = await house.askGate({ ...rules, campaignId: campaign.id });
        if (first === null && answer.result !== null && needsSecondRun(answer.result)) {
          first = { campaign, result: answer.result };
          console.error(wrap(secondRunWords(answer.result, campaign.progress.rounds)));
          return 0;
        }
        code = report(campaign, answer, null);
        return code;
      },
      next: async (house, request) => (first === null ? null : create(house, asSecondRun(request as GateCampaign, first.campaign.id))),
    };
  };
  const ended = await measure({ conditions, setScene }, options);
  // What stopped before its end decided nothing, whatever it ended with.
  return ended === 130 ? 130 : (code ?? { ...defaultExitCodes, ...file.exitCodes, ...wishes.exitCodes }.error);
}

async function setSceneOf(wishes: GateWishes, file: GateFile, complete: readonly Condition[], options: MeasureOptions): Promise<Scene> {
  if (wishes.demo === null) {
    const found = await resolveTargets(targetsOf(wishes, file), wishes.local.targets);
    const scene = await sceneOf(complete, found, { ...options, outside: wishes.local.outside });
    return { ...scene, request: requestOf(wishes, file, found.sites) };
  }
  const { names, server, port } = wishes.demo;
  const { sites, origin: _, ...scene } = await demoScene(complete, options, { server, port }, names);
  return {
    ...scene,
    request: requestOf(
      wishes,
      file,
      sites.map(({ url, name }) => ({ url, name })),
    ),
  };
}

/** What the file and the command line name together. */
function targetsOf({ config, urls }: GateWishes, { sites = [] }: GateFile): Target[] {
  if (urls.length === 0 && sites.length === 0)
    throw new UsageError('There is nothing to measure: name a page with --url, or sites in the file.');
  if (urls.length === 0) return sites.map((site) => siteOf(site, config));
  return urls.map((given, place) => {
    const { url: _, folder: __, page: ___, fallback: ____, ...site } = sites[place] ?? {};
    return { ...site, ...targetOf(given) };
  });
}

function requestOf({ rounds, busy, annotations }: GateWishes, file: GateFile, sites: CampaignRequest['sites']): GateCampaign {
  const campaign = campaignOf(file);
  return {
    ...campaign,
    sites,
    priority: campaign.priority ?? 'ci',
    ...(rounds === undefined ? {} : { rounds }),
    ...(busy === undefined ? {} : { limits: { ...campaign.limits, foreignCpuShare: busy } }),
    annotations: { ...campaign.annotations, ...annotations },
  };
}
