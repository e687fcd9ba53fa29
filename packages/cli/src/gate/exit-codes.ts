// What the outcome of a gate is to the pipeline that asked.
import type { GateResult } from '@pronghorn/core/schemas';
import type { GateOutcome } from '@pronghorn/core/vocabulary';
import { InvalidArgumentError } from 'commander';

/** error: nothing was decided, since the service or this machine could not measure. */
export type ExitCodes = Record<GateOutcome | 'error', number>;

/** 2 is every command's way to say that it was asked wrongly, 130 that it was interrupted. */
export const defaultExitCodes: ExitCodes = { pass: 0, fail: 1, inconclusive: 3, unmeasured: 5, error: 4 };
const outcomes = Object.keys(defaultExitCodes);

/** What is not measured passes where it was waived itself: a failure that was, of another check, covers it no more than what is inconclusive does. */
export const exitCodeOf = ({ outcome, counts }: Pick<GateResult, 'outcome' | 'counts'>, exitCodes: ExitCodes): number =>
  exitCodes[outcome] === 0 && counts.unmeasured > 0 ? exitCodes.unmeasured : exitCodes[outcome];

/** Reads "inconclusive=0,fail=10". @throws InvalidArgumentError */
export function exitCodesFrom(text: string, before: Partial<ExitCodes> = {}): Partial<ExitCodes> {
  const codes = { ...before };
  for (const part of text.split(',')) {
    const [, outcome = '', code = ''] = /^\s*(\w+)\s*=\s*(\d{1,3})\s*$/.exec(part) ?? [];
    if (!outcomes.includes(outcome) || Number(code) > 125)
      throw new InvalidArgumentError(
        `"${part}" is none; expected OUTCOME=CODE, with ${outcomes.slice(0, -1).join(', ')} or ${outcomes.at(-1)}, and a code from 0 to 125.`,
      );
    codes[outcome as keyof ExitCodes] = Number(code);
  }
  return codes;
}
