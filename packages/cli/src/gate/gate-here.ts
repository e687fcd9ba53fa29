// A gate that this machine decides, by a new campaign or a stored one.
import type { Campaign, CampaignRequest, Condition, GateCampaign, GateFile, GateResult } from '@pronghorn/core/schemas';
import { requestedEngine } from '@pronghorn/core/vocabulary';
import type { ServerWish } from '@pronghorn/origin';
import { LinkUnavailable } from '@pronghorn/runner';
import { LocalService } from '../connection/local-service.ts';
import { resolveTargets, type TargetOptions, targetOptions } from '../local/targets.ts';
import { demoScene } from '../measure/demo-origin.ts';
import { measure, type Scene, sceneOf } from '../measure/measure.ts';
import type { MeasureOptions } from '../measure/perform.ts';
import { type ConditionWishes, measureOptions } from '../measure/request.ts';
import type { LinkingOptions, LocalOptions } from '../options/measuring.ts';
import { UsageError } from '../program/errors.ts';
import { wrap } from '../program/terminal.ts';
import type { GateOptions } from './gate-options.ts';
import { needsSecondRun } from './reported.ts';
import { asSecondRun, type GateTask, type GateWishes, printSecondRun, requestOf, secondRunWords, targetsOf } from './run-gate.ts';

export interface HereOptions extends GateOptions, LinkingOptions, LocalOptions {
  sites?: string[];
  origin: ServerWish;
  port?: number;
  busy?: number;
  evidence: boolean;
  data?: string;
}

export interface LocalWishes {
  targets: TargetOptions;
  outside: boolean;
  origin: { server: ServerWish; port: number | undefined };
}

/** @returns as `runGate` */
export async function gateHere(given: HereOptions, wishes: GateWishes, task: GateTask): Promise<number> {
  const options = { ...measureOptions(given), exports: {} };
  const { origin: server, port, outside } = given;
  try {
    if (wishes.campaign !== undefined) return await judgeHere(wishes.campaign, wishes, task, options);
    return await measureHere(wishes, task, { targets: targetOptions(given), outside, origin: { server, port } }, options);
  } catch (error) {
    if (error instanceof LinkUnavailable) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

async function judgeHere(
  campaignId: string,
  wishes: GateWishes,
  { file, rules, report }: GateTask,
  options: MeasureOptions,
): Promise<number> {
  await using service = await LocalService.open(options.data);
  const answer = await service.ask('POST /gates/check', { body: { ...rules, campaignId } });
  const campaign = await service.campaign(campaignId);
  if (answer.result === null)
    throw new UsageError(
      `Campaign ${campaignId} is ${campaign.state}. Continue it with: ./pronghorn resume ${campaignId}${options.data.flag}`,
    );
  printSecondRun(answer.result, campaign, wishes, file, options.data.flag);
  return await report(campaign, answer, null);
}

async function measureHere(
  wishes: GateWishes,
  { file, rules, exitCodes, report }: GateTask,
  local: LocalWishes,
  options: MeasureOptions,
): Promise<number> {
  let code: number | undefined;
  const conditions: ConditionWishes = { list: file.conditions ?? ['native'], baseRttMs: undefined };
  const setScene = async (complete: readonly Condition[]): Promise<Scene> => {
    const scene = await setSceneOf(wishes, file, complete, local, options);
    let first: { campaign: Campaign; result: GateResult } | null = null;
    // The question creates the campaign, so a gate that can never be decided is refused before anything is measured.
    const create = async (service: LocalService, request: CampaignRequest) => {
      const { campaignId } = await service.ask('POST /gates/check', { body: { ...rules, campaign: request as GateCampaign } });
      return await service.campaign(campaignId);
    };
    return {
      ...scene,
      create,
      print: async (service, campaign) => {
        code = undefined;
        if (campaign.state !== 'done') return 0;
        const answer = await service.ask('POST /gates/check', { body: { ...rules, campaignId: campaign.id } });
        if (first === null && answer.result !== null && needsSecondRun(answer.result)) {
          first = { campaign, result: answer.result };
          console.error(wrap(secondRunWords(answer.result, campaign.progress.rounds)));
          return 0;
        }
        code = await report(campaign, answer, null);
        return code;
      },
      next: async (service, request) => (first === null ? null : create(service, asSecondRun(request as GateCampaign, first.campaign.id))),
    };
  };
  const ended = await measure({ conditions, setScene }, options);
  // A campaign that stopped early decides nothing, whatever its exit code.
  return ended === 130 ? 130 : (code ?? exitCodes.error);
}

async function setSceneOf(
  wishes: GateWishes,
  file: GateFile,
  complete: readonly Condition[],
  local: LocalWishes,
  options: MeasureOptions,
): Promise<Scene> {
  if (wishes.demo === null) {
    const targets = await resolveTargets(targetsOf(wishes, file), local.targets);
    const request = requestOf(wishes, file, targets.sites);
    const scene = await sceneOf(complete, targets, { ...options, outside: local.outside, engine: requestedEngine(request) });
    return { ...scene, request };
  }
  const { sites, origin: _, ...scene } = await demoScene(complete, options, local.origin, wishes.demo);
  return { ...scene, request: requestOf(wishes, file, sites) };
}
