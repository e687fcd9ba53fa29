// A condition while it is edited: what is empty is left out, as what doesn't happen.
import type { Condition, KnownCondition, Shape } from '@pronghorn/core/schemas';

export type Part<Of> = { [Key in keyof Of]?: Of[Key] | undefined };

/** Without what is undefined, and without objects that have nothing left. */
export function set<Of extends object>(whole: Of, part: Part<Of>): Of {
  return Object.fromEntries(Object.entries({ ...whole, ...part }).filter(([, value]) => value !== undefined)) as Of;
}

/** As it is stored: without what the service tells beside. */
export function bodyOf(condition: Condition | KnownCondition): Condition {
  const { preset: _preset, words: _words, numbers: _numbers, ...body } = condition as KnownCondition;
  return body;
}

export const blank: Condition = { name: '', up: {}, down: {} };

/** The kind of loss of a direction. */
export const lossModelOf = ({ loss }: Shape) => loss?.model ?? 'none';

/** Of a model that was just chosen: numbers to start from. */
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
