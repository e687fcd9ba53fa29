// Ties a field to its place in a campaign's request: <NumberField v-bind="field('margin')" label="…" />.
import type { CampaignRequest } from '@pronghorn/core/schemas';
import { type Change, type FieldProblem, within } from './field-problems.ts';

/** Its value, what is wrong with it or within it, and what becomes of a change. */
export const boundFields =
  (form: () => { request: CampaignRequest; problems: readonly FieldProblem[] }, change: (part: Change) => void) =>
  <Key extends keyof CampaignRequest>(key: Key) => ({
    modelValue: form().request[key],
    problems: within(form().problems, `#/${key}`),
    'onUpdate:modelValue': (value: CampaignRequest[Key] | undefined) => change({ [key]: value } as Change),
  });
