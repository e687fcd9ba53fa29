import type { Condition } from '../schemas/condition.ts';

/** What a condition does, whatever it is called and said to be: a stored one may become another under its name. Equal numbers, equal text. */
export const conditionKey = ({ baseRttMs = 0, up, down }: Pick<Condition, 'baseRttMs' | 'up' | 'down'>): string =>
  JSON.stringify({ baseRttMs, up, down }, (_, nested: unknown) =>
    nested !== null && typeof nested === 'object' && !Array.isArray(nested)
      ? Object.fromEntries(Object.entries(nested).sort(([a], [b]) => (a < b ? -1 : 1)))
      : nested,
  );
