// A gate as its form holds it, and the fields that decide how it judges.
import type { Assertion, AssertionRequest, BaselineChoice, Gate, GateCampaign, GateRequest, GateRules } from '@pronghorn/core/schemas';
import { notNumbers } from '../../text/typed-number.ts';
import type { Field } from '../forms/fields.ts';
import { newAssertion } from './assertion-form.ts';

export type GateForm = {
  name: string;
  assertions: AssertionRequest[];
  /** Branch of the baseline. */
  branch: string;
  campaigns: number;
  /** The parts of the baseline that have no field. */
  reference: Pick<BaselineChoice, 'campaign' | 'only'>;
  confidence: number;
  decide: 'interval' | 'point';
  /** Null: it judges campaigns that others create. */
  campaign: GateCampaign | null;
};

const usual = { branch: 'main', campaigns: 10, confidence: 0.95, decide: 'interval' } as const;

export const newGateForm = (): GateForm => ({ name: '', assertions: [{ ...newAssertion }], ...usual, reference: {}, campaign: null });

export const formOfGate = ({ name, rules, campaign }: Gate): GateForm => ({
  name,
  assertions: structuredClone(rules.assertions),
  branch: rules.baseline?.branch ?? usual.branch,
  campaigns: rules.baseline?.campaigns ?? usual.campaigns,
  reference: pickReference(rules.baseline),
  confidence: rules.confidence ?? usual.confidence,
  decide: rules.decide ?? usual.decide,
  campaign: structuredClone(campaign),
});

const pickReference = ({ campaign, only }: BaselineChoice = {}): GateForm['reference'] => ({
  ...(campaign === undefined ? {} : { campaign }),
  ...(only === undefined ? {} : { only }),
});

/** Leaves defaults out, as in a gate written by hand. */
export function rulesOf({ assertions, branch, campaigns, reference, confidence, decide }: GateForm): GateRules {
  const baseline = {
    ...(branch.trim() === '' || branch.trim() === usual.branch ? {} : { branch: branch.trim() }),
    ...(campaigns === usual.campaigns ? {} : { campaigns }),
    ...reference,
  };
  return {
    assertions,
    ...(Object.keys(baseline).length === 0 ? {} : { baseline }),
    ...(confidence === usual.confidence ? {} : { confidence }),
    ...(decide === usual.decide ? {} : { decide }),
  };
}

export const gateRequestOf = (form: GateForm): GateRequest => ({ name: form.name.trim(), rules: rulesOf(form), campaign: form.campaign });

/** The part that the service can read during typing: without texts that should be numbers, which their fields report. */
export function readableOf(form: GateForm): Pick<GateRequest, 'rules' | 'campaign'> {
  const usualWhereNone = (name: 'campaigns' | 'confidence') => (Number.isNaN(form[name]) ? usual[name] : form[name]);
  return {
    rules: rulesOf({ ...form, campaigns: usualWhereNone('campaigns'), confidence: usualWhereNone('confidence') }),
    campaign: notNumbers(form.campaign).length > 0 ? null : form.campaign,
  };
}

/** True if fields can show all assertions: none is a line of text. */
export const areObjects = (assertions: readonly AssertionRequest[]): assertions is Assertion[] =>
  assertions.every((each) => typeof each !== 'string');

const hasBaseline = ({ assertions }: GateForm): boolean =>
  assertions.some((each) => (typeof each === 'string' ? each.includes('baseline') : each.kind === 'baseline'));

export const decisionFields = (form: GateForm): Field<GateForm>[] => [
  {
    ...{ kind: 'choice', key: 'decide', label: 'Decides by', empty: usual.decide },
    choices: [
      { value: 'interval', name: 'what the visits prove' },
      { value: 'point', name: 'the measured number alone, however few visits' },
    ],
  },
  {
    ...{ kind: 'number', key: 'confidence', label: 'Confidence', unit: '%', factor: 100, empty: Number.NaN },
    hint: Number.isNaN(form.confidence)
      ? ''
      : `At most ${Number((100 * (1 - form.confidence)).toFixed(4))} % wrong passes and as many wrong fails.`,
  },
  ...(hasBaseline(form) || Number.isNaN(form.campaigns) ? baselineFields : []),
];
const baselineFields: readonly Field<GateForm>[] = [
  { key: 'branch', label: 'Baseline branch', placeholder: usual.branch, maxLength: 200, empty: '' },
  {
    ...{ kind: 'number', key: 'campaigns', label: 'Baseline campaigns', empty: Number.NaN },
    hint: 'The newest ones. It can’t fail with fewer than five.',
  },
];

/** The file of `pronghorn gate`, as `pronghorn gates show --json` writes it. */
export const gateFile = ({ rules, campaign }: Pick<GateRequest, 'rules' | 'campaign'>): string =>
  JSON.stringify({ ...(campaign ?? { sites: [{ url: 'https://staging.example.com/' }] }), ...rules }, null, 2);
