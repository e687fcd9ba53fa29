// Conditions as they are named on the command line: by name, or by a file that defines them.
import { readFileSync } from 'node:fs';
import { checkCondition, isLossy, withBaseRtt } from '@pronghorn/core/network';
import { Condition } from '@pronghorn/core/schemas';
import Value from 'typebox/value';
import { reasonOf, UsageError } from './data.ts';
import type { House } from './house.ts';

export interface ConditionWishes {
  /** Names of presets or of stored conditions, and conditions of files, in this order. */
  list: readonly (string | Condition)[];
  /** For every lossy condition, instead of its own. */
  baseRttMs: number | undefined;
}

/**
 * @returns `asked` as a campaign's request takes them, `complete` with every number
 * @throws UsageError for a name that no condition has
 */
export async function resolveConditions(
  house: House,
  { list, baseRttMs }: ConditionWishes,
): Promise<{ asked: (string | Condition)[]; complete: Condition[] }> {
  const asked: (string | Condition)[] = [];
  const complete: Condition[] = [];
  for (const wish of list) {
    const known = typeof wish === 'string' ? await named(house, wish) : wish;
    const changes = baseRttMs !== undefined && isLossy(known) && known.baseRttMs !== baseRttMs;
    const condition = changes ? withBaseRtt(known, baseRttMs) : known;
    complete.push(condition);
    asked.push(changes ? condition : wish);
  }
  return { asked, complete };
}

async function named(house: House, name: string): Promise<Condition> {
  try {
    return await house.condition(name);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const names = (await house.conditions()).map((one) => one.name).join(', ');
    throw new UsageError(`${error.message} Known are ${names}; ./pronghorn conditions tells what each does, --condition takes your own.`);
  }
}

/**
 * Reads a file with one condition or a list of them.
 *
 * @throws UsageError that names the file and the place in it
 */
export function conditionsOfFile(file: string): Condition[] {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const why = error instanceof SyntaxError ? `it is not JSON: ${error.message}` : reasonOf(error);
    throw new UsageError(`The condition file ${file} can't be read: ${why}.`);
  }
  const list = Array.isArray(content) ? content : [content];
  return list.map((one, place) => {
    const faults = Value.Check(Condition, one)
      ? checkCondition(one).map(({ pointer, detail }) => ({ pointer, detail }))
      : [...Value.Errors(Condition, one)].slice(0, 1).map(({ instancePath, message }) => ({ pointer: instancePath, detail: message }));
    const [fault] = faults;
    if (fault === undefined) return one as Condition;
    const where = `${Array.isArray(content) ? `/${place}` : ''}${fault.pointer}`;
    throw new UsageError(
      `The condition file ${file} is wrong at ${where === '' ? 'its top' : where}: ${fault.detail} ` +
        './pronghorn conditions --json shows how the known ones are written.',
    );
  });
}
