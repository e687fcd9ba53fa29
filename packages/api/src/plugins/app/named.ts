// Names that people give to what they store.
import { ProblemError } from '../../problems.ts';

/**
 * Part of the transaction that takes a name.
 * @param other the id of what has this name. @param own the id of what takes it.
 * @throws ProblemError name-taken.
 */
export function assertNameFree<Id extends string | number>(noun: keyof typeof nouns, name: string, other?: Id, own?: Id): void {
  if (other === undefined || other === own) return;
  throw new ProblemError(
    'name-taken',
    `${nouns[noun]} ${other} is called "${name}". Change that one (PUT /api/v1/${noun}s/${other}), or take another name.`,
  );
}

const nouns = { gate: 'Gate', schedule: 'Schedule', notification: 'Notification target' } as const;

/** 1 (shop), 2 (blog) and 3 more; null: there are none. */
export function namedList(all: readonly { id: number; name: string }[]): string | null {
  if (all.length === 0) return null;
  const named = all.slice(0, 10).map(({ id, name }) => `${id} (${name})`);
  return `${named.join(', ')}${all.length > named.length ? ` and ${all.length - named.length} more` : ''}`;
}
