// What is asked of a gate, checked before anything is stored or measured.
import { gateProblems } from '@pronghorn/core/campaign';
import type { CallsPolicy, Campaign, Condition, Gate, GateCampaign, GateDraft, GateQuestion, GateRules } from '@pronghorn/core/schemas';
import { found, ProblemError } from '../../../shared/problems.ts';
import { type CompleteCampaign, completeSpec } from '../spec/campaign-spec.ts';

/** Rules, and the campaign that they are held against: one that is there, or one that is to be made. */
export type CompleteQuestion = { gate: Gate | null; rules: GateRules } & ({ campaign: Campaign } | { request: GateCampaign });

type Known = {
  gateOf(id: string): Gate | undefined;
  campaignOf(id: string): Campaign | undefined;
  completeSpec(request: GateCampaign): CompleteCampaign;
};

/**
 * @throws ProblemError invalid-gate where the question says too little or too much, and where an assertion holds nowhere in its campaign;
 *   not-found; invalid-campaign.
 */
export function completeQuestion({ gateId, campaignId, campaign: asked, ...rules }: GateQuestion, known: Known): CompleteQuestion {
  const gate = gateId === undefined ? null : found(known.gateOf(gateId), `gate ${gateId}`);
  if (gate !== null && Object.keys(rules).length > 0)
    refuse(`The rules are those of gate ${gateId}, and ${Object.keys(rules).join(', ')} came beside; expected one of both.`);
  const { assertions } = gate?.rules ?? rules;
  if (assertions === undefined) return refuse('There are neither assertions nor a gateId; expected one of both.');
  const complete: GateRules = gate?.rules ?? { ...rules, assertions };
  assertReference(complete, known, gate === null ? '' : 'rules/');
  if (campaignId !== undefined && asked !== undefined) refuse('There are campaignId and campaign; expected one of both.');
  if (campaignId !== undefined) {
    const campaign = found(known.campaignOf(campaignId), `campaign ${campaignId}`);
    assertRules(complete, campaign, gate === null ? '' : 'rules/');
    return { gate, rules: complete, campaign };
  }
  const request = asked ?? gate?.campaign ?? null;
  if (request === null) return refuse('There is neither a campaignId nor a campaign, and no gate that has one; expected one of them.');
  assertRules(complete, known.completeSpec(request), gate === null ? '' : 'rules/');
  return { gate, rules: complete, request };
}

/** For the campaign of a gate: what is wrong with it is named by its place in the gate. */
export const completingCampaigns = (conditions: () => readonly Condition[], calls: CallsPolicy): Pick<Known, 'completeSpec'> => ({
  completeSpec(request) {
    try {
      return completeSpec(request, 0, conditions(), calls);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const errors = error.errors.map(({ pointer, detail }) => ({ pointer: pointer.replace('#', '#/campaign'), detail }));
      throw new ProblemError(error.kind, error.message, errors);
    }
  },
});

/** @throws ProblemError invalid-gate, invalid-campaign. */
export function assertGate({ rules, campaign }: GateDraft, { completeSpec }: Pick<Known, 'completeSpec'>): void {
  if (campaign?.annotations?.repeats !== undefined) {
    const detail =
      'Whatever is asked of the gate would be the second run of one campaign, and no baseline. Leave repeats out, and say it with a question.';
    throw new ProblemError('invalid-gate', detail, [{ pointer: '#/campaign/annotations/repeats', detail }]);
  }
  assertRules(rules, campaign === null ? undefined : completeSpec(campaign), 'rules/');
}

/** @throws ProblemError invalid-gate where the baseline's reference can't be one. */
function assertReference({ baseline }: GateRules, { campaignOf }: Pick<Known, 'campaignOf'>, within: '' | 'rules/'): void {
  if (baseline?.campaign === undefined) return;
  const campaign = campaignOf(baseline.campaign);
  if (campaign?.state === 'done') return;
  const detail = `The baseline names campaign ${baseline.campaign}, which ${campaign === undefined ? 'does not exist' : `is ${campaign.state}`}; expected one that is done.`;
  throw new ProblemError('invalid-gate', detail, [{ pointer: `#/${within}baseline/campaign`, detail }]);
}

/** @param within where in the body the rules are. */
function assertRules(rules: GateRules, campaign: Parameters<typeof gateProblems>[1], within: '' | 'rules/'): void {
  const errors = gateProblems(rules, campaign).map(({ pointer, detail }) => ({ pointer: pointer.replace('#/', `#/${within}`), detail }));
  if (errors.length > 0) throw new ProblemError('invalid-gate', errors.map(({ detail }) => detail).join(' '), errors);
}

function refuse(detail: string): never {
  throw new ProblemError('invalid-gate', detail);
}
