// Runs a gate for a pipeline: by a service, or by a function that measures on this machine.
import { assertionsOf, tooFewRounds } from '@pronghorn/core/campaign';
import type {
  Annotations,
  Campaign,
  CampaignRequest,
  GateAnswer,
  GateCampaign,
  GateFile,
  GateQuestion,
  GateResult,
  GateRules,
} from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import { plannedRounds } from '@pronghorn/core/verdict';
import { findNamed, remoteApi } from '../connection/remote-service.ts';
import type { Token } from '../connection/token.ts';
import { type Target, targetOf } from '../local/targets.ts';
import { defined } from '../options/values.ts';
import { failureCode, UsageError } from '../program/errors.ts';
import { interruption } from '../program/interrupt.ts';
import { plain, printError, wrap } from '../program/terminal.ts';
import { type FeedbackWishes, reportToForge } from './feedback.ts';
import { campaignOf, inTheWorld, readGateFile, rulesOf, siteOf } from './gate-file.ts';
import { checkOutputs, markdownReport, type Outputs, undecidedReport, writeOutputs, writeStepOutputs } from './outputs.ts';
import { askRemote } from './remote-gate.ts';
import { defaultExitCodes, type ExitCodes, exitCodeOf, type GateSource, needsSecondRun, secondRunCommand, sourceName } from './reported.ts';

export interface GateWishes {
  /** A stored gate needs a service: `remote`. */
  source: GateSource;
  /** Replace the URLs of the file's sites, one by one; names and expected statuses stay. */
  urls: readonly string[];
  /** Sites of the demo instead. */
  demo: readonly string[] | null;
  rounds: number | undefined;
  /** Share of the CPU that other work may take, instead of the file's. */
  busy: number | undefined;
  branch: string | undefined;
  annotations: Annotations;
  exitCodes: Partial<ExitCodes>;
  outputs: Outputs;
  /** An existing campaign, instead of a new one. */
  campaign: string | undefined;
  remote: { url: string; token: Token; waitSeconds: number } | null;
  feedback: FeedbackWishes;
  /** How users call this command, such as ./pronghorn gate. */
  called: string;
}

export interface GateTask {
  /** For a stored gate, the file that it would be. */
  file: GateFile;
  /** Those of the file, or the id of the stored gate. */
  rules: GateRules | Required<Pick<GateQuestion, 'gateId'>>;
  exitCodes: ExitCodes;
  /** Writes the answer. @param url the campaign's page. @returns the exit code */
  report(campaign: Campaign, answer: GateAnswer, url: string | null): Promise<number>;
}
/** Measures on this machine, or judges an existing campaign. */
export type GateHere = (wishes: GateWishes, task: GateTask) => Promise<number>;

/** @returns the exit code of the outcome, that of `error` where there is none, 130 when it was interrupted. @throws UsageError, for exit code 2 */
export async function runGate(wishes: GateWishes, here: GateHere): Promise<number> {
  const { source, remote } = wishes;
  const read = 'file' in source ? readGateFile(source.file, wishes.campaign !== undefined) : undefined;
  if (read === undefined && remote === null)
    throw new UsageError(
      `Gate "${sourceName(source)}" is stored by a service (--gate), and no service is named. Add --api or PRONGHORN_API.`,
    );
  const chosen = { ...read?.exitCodes, ...wishes.exitCodes };
  const exitCodes = { ...defaultExitCodes, ...chosen };
  const gate = sourceName(source);
  checkOutputs(wishes.outputs);
  const report: GateTask['report'] = async (campaign, { result }, url) => {
    if (result === null) return exitCodes.error;
    const reported = { campaign, result, exitCodes, source, url };
    writeOutputs(wishes.outputs, reported);
    writeStepOutputs(result.outcome, campaign.id, url);
    const exitCode = exitCodeOf(result, exitCodes);
    const status = { isGood: exitCode === 0, words: `${result.outcome}: ${result.words}`, url };
    await reportToForge(wishes.feedback, { gate, comment: markdownReport(reported), status });
    return exitCode;
  };
  try {
    const task = {
      ...(read === undefined ? await storedGate(wishes) : { file: read, rules: ofBranch(read, wishes.branch) }),
      exitCodes,
      report,
    };
    if (wishes.campaign === undefined) warn(wishes, task.file);
    return await (remote === null ? here(wishes, task) : gateRemotely(wishes, remote, task));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    printError(error);
    writeStepOutputs('error', wishes.campaign ?? '', null);
    const { message } = error as Error;
    const status = { isGood: false, words: message, url: wishes.annotations.buildUrl ?? null };
    await reportToForge(wishes.feedback, { gate, comment: undecidedReport(message), status });
    return chosen.error ?? failureCode(error);
  }
}

const ofBranch = (file: GateFile, branch: string | undefined): GateRules =>
  rulesOf(branch === undefined ? file : { ...file, baseline: { ...file.baseline, branch } });

/** @throws UsageError where there is none of this name, or nothing for it to judge */
async function storedGate({ source, remote, urls, campaign }: GateWishes): Promise<Pick<GateTask, 'file' | 'rules'>> {
  if (remote === null || !('gate' in source)) throw new Error('Only a service stores gates.');
  const gate = await findNamed(remoteApi(remote), 'gate', source.gate);
  if (gate.campaign === null && campaign === undefined && urls.length === 0)
    throw new UsageError(
      `Gate "${plain(gate.name)}" measures nothing itself: it judges campaigns that others create. Name one with --campaign, or a page with --url.`,
    );
  return { file: { ...gate.campaign, ...gate.rules }, rules: { gateId: gate.id } };
}

/** Before anything is measured: says what the gate can't decide, and that it may take twice as long. */
function warn({ rounds, urls, demo }: GateWishes, file: GateFile): void {
  const pages = demo?.length ?? Math.max(1, urls.length, file.sites?.length ?? 0);
  const planned = rounds ?? plannedRounds(campaignOf(file), pages);
  const rules = rulesOf(file);
  for (const words of tooFewRounds(rules, planned)) console.error(wrap(`pronghorn: ${words}`));
  if (rules.decide !== 'point' && assertionsOf(rules).some(({ kind }) => kind === 'baseline'))
    console.error(wrap('If a check against the baseline seems to fail, a second run is measured to confirm it.'));
}

export const secondRunWords = (result: GateResult, rounds: number): string => {
  const suspected = result.checks.filter(({ reasons }) => reasons.some(({ reason }) => reason === 'second-run')).length;
  return `${suspected === 1 ? 'A check' : `${suspected} checks`} against the baseline ${suspected === 1 ? 'seems' : 'seem'} to fail. A second run decides: ${counted(rounds, 'round')} more.`;
};

/** For an existing campaign nothing is measured; this prints the command that would. */
export function printSecondRun(
  result: GateResult,
  campaign: Campaign,
  { source, called }: GateWishes,
  { sites }: GateFile,
  connection: string,
): void {
  if (needsSecondRun(result))
    console.error(`A second run would decide: ${secondRunCommand(campaign, { source, sites, connection, called })}`);
}

export const asSecondRun = (campaign: GateCampaign, of: string): GateCampaign => ({
  ...campaign,
  annotations: { ...campaign.annotations, repeats: of },
});

async function gateRemotely(
  wishes: GateWishes,
  { url, token, waitSeconds }: NonNullable<GateWishes['remote']>,
  { file, rules, report }: GateTask,
): Promise<number> {
  if (wishes.demo !== null) throw new UsageError('The demo is on this machine: name either --sites or --api.');
  const api = remoteApi({ url, token });
  const campaign = wishes.campaign === undefined ? requestOf(wishes, file, targetsOf(wishes, file).map(inTheWorld)) : undefined;
  const about = campaign === undefined ? { campaignId: wishes.campaign as string } : { campaign };
  const waiting = { waitSeconds, signal: interruption() };
  let answered = await askRemote(api, { ...rules, ...about }, waiting);
  if (campaign !== undefined && answered?.answer.result && needsSecondRun(answered.answer.result)) {
    console.error(wrap(secondRunWords(answered.answer.result, answered.campaign.progress.rounds)));
    answered = await askRemote(api, { ...rules, campaign: asSecondRun(campaign, answered.campaign.id) }, waiting);
  }
  if (answered === null) return 130;
  if (campaign === undefined && answered.answer.result !== null)
    printSecondRun(answered.answer.result, answered.campaign, wishes, file, ` --api ${url}`);
  return report(answered.campaign, answered.answer, `${api.url}/#/campaigns/${answered.campaign.id}`);
}

/** The targets of file and command line together. */
export function targetsOf({ source, urls }: GateWishes, { sites = [] }: GateFile): Target[] {
  if (urls.length === 0 && sites.length === 0)
    throw new UsageError('There is nothing to measure: name a page with --url, or sites in the file.');
  if (urls.length === 0) return sites.map((site) => siteOf(site, sourceName(source)));
  return urls.map((given, place) => {
    const { url: _, folder: __, page: ___, fallback: ____, ...site } = sites[place] ?? {};
    return { ...site, ...targetOf(given) };
  });
}

export function requestOf({ rounds, busy, annotations }: GateWishes, file: GateFile, sites: CampaignRequest['sites']): GateCampaign {
  const { precision, ...campaign } = campaignOf(file);
  return {
    ...campaign,
    sites,
    ...(rounds === undefined ? defined({ precision }) : { rounds }),
    ...(busy === undefined ? {} : { limits: { ...campaign.limits, foreignCpuShare: busy } }),
    annotations: { ...campaign.annotations, ...annotations },
  };
}
