// A condition as cards show it and its form has it.
import type { Condition, Jitter, KnownCondition, Shape } from '@pronghorn/core/schemas';
import type { Field } from '../forms/fields.ts';

/** The stored part: without what the service adds. */
export function bodyOf(condition: Condition | KnownCondition): Condition {
  const { preset: _preset, words: _words, numbers: _numbers, ...body } = condition as KnownCondition;
  return body;
}

export const blank: Condition = { name: '', up: {}, down: {} };

/** The kind of loss of a direction. */
export const lossModelOf = ({ loss }: Shape) => loss?.model ?? 'none';

/** Numbers to start from, for a model that was just chosen. */
export function lossOf(model: ReturnType<typeof lossModelOf>): Shape['loss'] {
  switch (model) {
    case 'none':
      return undefined;
    case 'independent':
      return { model, share: 0.01 };
    case 'gilbert-elliott':
      return { model, p: 0.005, r: 0.2 };
  }
}

export const conditionFields = (isStored: boolean): Field<Condition>[] => [
  ...(isStored
    ? []
    : [
        {
          ...{ key: 'name' as const, label: 'Name', placeholder: 'train', maxLength: 63, empty: '' },
          hint: 'Lower-case letters, digits, dots and hyphens.',
        },
      ]),
  {
    ...{ kind: 'number', key: 'baseRttMs', label: 'Base RTT', unit: 'ms', placeholder: '0' },
    hint: 'Of the path itself, half each way. Loss without any delay measures the CPU.',
  },
  { key: 'description', label: 'Description', maxLength: 500 },
  { key: 'source', label: 'Source', hint: 'Where its numbers come from.', maxLength: 500 },
];

const percentOf = { kind: 'number', unit: '%', factor: 100 } as const;
/** An empty field stays wrong until a number stands in it. */
const required = { ...percentOf, empty: Number.NaN };

export const delayField: Field<Shape> = {
  ...{ kind: 'number', key: 'delayMs', label: 'Delay', unit: 'ms', placeholder: '0', hint: 'Added to every packet.' },
};
export const jitterFields = (jitter: Jitter | undefined): Field<Jitter>[] => {
  const spread: Field<Jitter> = {
    ...{ kind: 'number', key: 'ms', label: 'Jitter', unit: '± ms', placeholder: 'none', hint: 'Spread around the delay.' },
  };
  if (jitter === undefined) return [spread];
  const choices = [
    { value: 'uniform', name: 'Uniform', words: 'Each delay within the spread is as likely.' },
    { value: 'normal', name: 'Normal', words: 'The jitter is its standard deviation.' },
    { value: 'pareto', name: 'Pareto', words: 'A long tail of late packets.' },
    { value: 'paretonormal', name: 'Pareto–normal', words: 'A mixture of both.' },
  ];
  return [
    spread,
    { kind: 'choice', key: 'distribution', label: 'Distribution of delays', choices },
    { ...percentOf, key: 'correlation', label: 'Correlation of delays', placeholder: '0', hint: 'How much each follows the one before.' },
  ];
};
export const rateFields: readonly Field<Shape>[] = [
  {
    ...{ kind: 'number', key: 'rateKbps', label: 'Rate', unit: 'kbit/s', placeholder: 'no bottleneck' },
    hint: 'On the wire, headers included.',
  },
  {
    ...{ kind: 'number', key: 'queueBytes', label: 'Queue before it', unit: 'bytes', placeholder: '100 ms' },
    hint: 'Empty: 100 ms at the rate, 32 KB at least.',
  },
];
export const lossModels = [
  { value: 'none', name: 'None' },
  { value: 'independent', name: 'Independent', words: 'Each packet by itself.' },
  { value: 'gilbert-elliott', name: 'In bursts', words: 'Gilbert–Elliott: a good state, and a bad one that loses more.' },
] as const;
type Bursts = Extract<Shape['loss'], { model: 'gilbert-elliott' }>;
/** The fields of its model. */
export type LossForm = Partial<Omit<Bursts, 'model'> & { share: number }>;
export function lossFields({ loss }: Shape): Field<LossForm>[] {
  if (loss === undefined) return [];
  if (loss.model === 'independent') return [{ ...required, key: 'share', label: 'Packets lost' }];
  return [
    { ...required, key: 'p', label: 'Good to bad (p)', hint: 'Chance with each packet.' },
    { ...required, key: 'r', label: 'Bad to good (r)', hint: 'Chance with each packet: 20 % makes bursts of 5.' },
    { ...percentOf, key: 'lossBad', label: 'Lost while bad', placeholder: '100' },
    { ...percentOf, key: 'lossGood', label: 'Lost while good', placeholder: '0' },
  ];
}
export const reorderFields = (reorder: Shape['reorder']): Field<NonNullable<Shape['reorder']>>[] => [
  { ...percentOf, key: 'share', label: 'Reordered', placeholder: '0', hint: 'Sent at once, before delayed ones.' },
  ...(reorder === undefined ? [] : [{ ...percentOf, key: 'correlation' as const, label: 'Correlation of reordering', placeholder: '0' }]),
];
export const duplicateField: Field<Shape> = { ...percentOf, key: 'duplicateShare', label: 'Duplicated', placeholder: '0' };

/** True if each word of the search is in one of the texts. */
export function isFound(search: string, ...texts: (string | undefined)[]): boolean {
  const within = texts.join(' ').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => within.includes(word));
}

/** What people measure a condition for, in the order in which they look for it. */
export const uses = ['Your own', 'As it is', 'Mobile', 'Home', 'Far away', 'Lossy', 'Narrow', 'Of studies'] as const;
const namesOfUse: readonly (readonly [(typeof uses)[number], RegExp])[] = [
  ['As it is', /^native$/],
  ['Mobile', /^(lte|4g|3g.*)$/],
  ['Home', /^(cable|dsl|satellite)$/],
  ['Far away', /^latency-/],
  ['Lossy', /^loss-/],
  ['Narrow', /^bandwidth-/],
];
export const useOf = ({ name, preset }: Pick<KnownCondition, 'name' | 'preset'>): (typeof uses)[number] =>
  preset ? (namesOfUse.find(([, names]) => names.test(name))?.[0] ?? 'Of studies') : 'Your own';
