// A gate as its form has it.
import type { Assertion, AssertionRequest, BaselineChoice, Gate, GateCampaign, GateRequest, GateRules } from '@pronghorn/core/schemas';
import { notNumbers } from '../../text/typed-number.ts';
import { newAssertion } from './assertion-form.ts';

export type GateForm = {
  name: string;
  assertions: AssertionRequest[];
  /** Of the campaigns before. */
  branch: string;
  campaigns: number;
  /** What of the baseline has no field. */
  reference: Pick<BaselineChoice, 'campaign' | 'only'>;
  /** Per cent. */
  confidence: number;
  decide: 'interval' | 'point';
  /** Null: it judges campaigns that others make. */
  campaign: GateCampaign | null;
};

const usual = { branch: 'main', campaigns: 10, confidence: 95, decide: 'interval' } as const;

export const newGateForm = (): GateForm => ({ name: '', assertions: [{ ...newAssertion }], ...usual, reference: {}, campaign: null });

export const formOfGate = ({ name, rules, campaign }: Gate): GateForm => ({
  name,
  assertions: structuredClone(rules.assertions),
  branch: rules.baseline?.branch ?? usual.branch,
  campaigns: rules.baseline?.campaigns ?? usual.campaigns,
  reference: pickReference(rules.baseline),
  confidence: Number(((rules.confidence ?? 0.95) * 100).toPrecision(12)),
  decide: rules.decide ?? usual.decide,
  campaign: structuredClone(campaign),
});

const pickReference = ({ campaign, only }: BaselineChoice = {}): GateForm['reference'] => ({
  ...(campaign === undefined ? {} : { campaign }),
  ...(only === undefined ? {} : { only }),
});

/** What is usual is left out, as who writes a gate by hand would. */
export function rulesOf({ assertions, branch, campaigns, reference, confidence, decide }: GateForm): GateRules {
  const baseline = {
    ...(branch.trim() === '' || branch.trim() === usual.branch ? {} : { branch: branch.trim() }),
    ...(campaigns === usual.campaigns ? {} : { campaigns }),
    ...reference,
  };
  return {
    assertions,
    ...(Object.keys(baseline).length === 0 ? {} : { baseline }),
    ...(confidence === usual.confidence ? {} : { confidence: Number((confidence / 100).toPrecision(12)) }),
    ...(decide === usual.decide ? {} : { decide }),
  };
}

export const gateRequestOf = (form: GateForm): GateRequest => ({ name: form.name.trim(), rules: rulesOf(form), campaign: form.campaign });

/** What the service can read of a form that is being filled in: what is no number is left out, its field says so itself. */
export function readableOf(form: GateForm): Pick<GateRequest, 'rules' | 'campaign'> {
  const usualWhereNone = (name: 'campaigns' | 'confidence') => (Number.isNaN(form[name]) ? usual[name] : form[name]);
  return {
    rules: rulesOf({ ...form, campaigns: usualWhereNone('campaigns'), confidence: usualWhereNone('confidence') }),
    campaign: notNumbers(form.campaign).length > 0 ? null : form.campaign,
  };
}

/** Whether all can be shown by fields: none is a line of text. */
export const areObjects = (assertions: readonly AssertionRequest[]): assertions is Assertion[] =>
  assertions.every((each) => typeof each !== 'string');

/** The file of `pronghorn gate`, as `pronghorn gates show --json` writes it. */
export const gateFile = ({ rules, campaign }: Pick<GateRequest, 'rules' | 'campaign'>): string =>
  JSON.stringify({ ...(campaign ?? { sites: [{ url: 'https://staging.example.com/' }] }), ...rules }, null, 2);
