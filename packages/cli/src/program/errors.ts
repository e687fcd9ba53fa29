// Errors that commands show without a stack trace, and the exit codes that they end with: docs/gates.md and docs/operation.md list these.
import type { Problem } from '@pronghorn/core/schemas';

/** The user can fix it, by other options, files or commands. */
export class UsageError extends Error {}

/** The API understood the request and refused it. */
export class Refusal extends UsageError {
  readonly problem: Problem;

  constructor(message: string, problem: Problem) {
    super(message);
    this.problem = problem;
  }
}

/** The API cannot be reached, or fails: it may be back later. */
export class ServiceAway extends Error {}

/** The API has no time for the request, or does not know yet the name under which a proxy asks it. It did nothing, and this passes. */
export class Busy extends ServiceAway {
  /** How long the API asks to be left alone, milliseconds; 0: it did not say. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** There is no answer yet. */
export class NotYet extends Error {}

/** Besides those of a gate's outcomes and 130. 69, 75 and 77 are those of sysexits.h, as in the launcher. */
export const failureCodes = { usage: 2, error: 4, away: 69, notYet: 75, refused: 77 } as const;

export function failureCode(error: unknown): number {
  if (error instanceof Refusal && [401, 403].includes(error.problem.status)) return failureCodes.refused;
  if (error instanceof UsageError) return failureCodes.usage;
  if (error instanceof ServiceAway) return failureCodes.away;
  return error instanceof NotYet ? failureCodes.notYet : failureCodes.error;
}
