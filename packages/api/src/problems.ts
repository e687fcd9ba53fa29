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
