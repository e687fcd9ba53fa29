// Which conditions are taken, in the API's words.
import { checkCondition, conditionNamed } from '@pronghorn/core/network';
import type { Condition, ConditionRequest, Problem } from '@pronghorn/core/schemas';
import { ProblemError } from '../../../problems.ts';

type Errors = NonNullable<Problem['errors']>;

/** @throws ProblemError invalid-condition with every fault, or preset-condition when its name is that of a preset. */
export function assertStorable(condition: Condition): void {
  assertNoPreset(condition.name);
  const errors = faultsOf(condition, '#');
  if (errors.length > 0) throw new ProblemError('invalid-condition', errors.map(({ detail }) => detail).join(' '), errors);
}

/** What `assertStorable` would refuse. */
export function storingFaults(condition: Condition): Errors {
  try {
    assertStorable(condition);
    return [];
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return error.errors.length > 0 ? error.errors : [{ pointer: '#/name', detail: error.message }];
  }
}

/** @throws ProblemError preset-condition. */
export function assertNoPreset(name: string): void {
  if (!conditionNamed(name)) return;
  throw new ProblemError('preset-condition', `${name} is a preset, and means the same everywhere. Store yours under another name.`);
}

/**
 * What a campaign asks for, whole.
 *
 * @param known presets and those of users, in the order in which a message should name them
 * @returns the conditions, and what is wrong with the others
 */
export function resolveConditions(
  requests: readonly ConditionRequest[],
  known: readonly Condition[],
): { conditions: Condition[]; errors: Errors } {
  const errors: Errors = [];
  const places = new Map<string, number>();
  const conditions = requests.flatMap((request, place) => {
    const pointer = `#/conditions/${place}`;
    const condition = typeof request === 'string' ? conditionNamed(request, known) : request;
    if (!condition) {
      const names = known.map(({ name }) => name).join(', ');
      const detail = `There is no condition ${JSON.stringify(request)}. Known are ${names}. Store yours by POST /api/v1/conditions, or give it whole.`;
      errors.push({ pointer, detail });
      return [];
    }
    if (typeof request !== 'string') errors.push(...faultsOf(condition, pointer));
    const other = places.get(condition.name);
    if (other !== undefined) {
      errors.push({ pointer, detail: `${condition.name} is named by #/conditions/${other} too; expected each condition once.` });
    }
    places.set(condition.name, place);
    return [condition];
  });
  return { conditions, errors };
}

const faultsOf = (condition: Condition, at: string): Errors =>
  checkCondition(condition).map(({ pointer, detail }) => ({ pointer: at + pointer, detail }));
