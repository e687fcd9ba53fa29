// Refusals: what a client gets as problem details, and what several nouns refuse alike.
import { type Problem, type ProblemKind, problems, problemType } from '@pronghorn/core/schemas';

/** A refusal that the client gets as problem details (RFC 9457); thrown anywhere below a route. */
export class ProblemError extends Error {
  readonly kind: ProblemKind;
  readonly errors: NonNullable<Problem['errors']>;

  /** @param detail what was found, what was expected, what to do next. */
  constructor(kind: ProblemKind, detail: string, errors: NonNullable<Problem['errors']> = []) {
    super(detail);
    this.kind = kind;
    this.errors = errors;
  }

  toProblem(): Problem {
    return {
      type: problemType(this.kind),
      ...problems[this.kind],
      detail: this.message,
      ...(this.errors.length > 0 ? { errors: this.errors } : {}),
    };
  }
}

/** What was looked up, or a 404 that names it. */
export function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new ProblemError('not-found', `There is no ${what}.`);
  return value;
}

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
