import { checkCondition, conditionNamed, numbersOf, presets } from '@pronghorn/core/network';
import type { Condition, ConditionRequest, KnownCondition, Page, Problem } from '@pronghorn/core/schemas';
import { describeCondition, nameMeant } from '@pronghorn/core/text';
import { conditionSets, expandSets } from '@pronghorn/core/vocabulary';
import { ProblemError } from '../shared/problems.ts';
import { canonicalJson } from '../storage/canonical-json.ts';
import type { Database } from '../storage/database.ts';
import { pageOf, type Slice } from '../storage/page.ts';

/** Owns the table conditions: those of users. Presets stand before them; a preset of a newer release hides a user's of the same name. */
export function createConditionsRepository(database: Database) {
  const insert = database.prepare<[string, string]>('INSERT INTO conditions (name, document) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const upsert = database.prepare<[string, string]>(
    'INSERT INTO conditions (name, document) VALUES (?, ?) ON CONFLICT DO UPDATE SET document = excluded.document',
  );
  const select = database.prepare<[string], { document: string }>('SELECT document FROM conditions WHERE name = ?');
  const selectAll = database.prepare<[], { document: string }>('SELECT document FROM conditions ORDER BY name');
  const remove = database.prepare<[string]>('DELETE FROM conditions WHERE name = ?');

  const all = (): Condition[] => [...presets, ...selectAll.all().map(({ document }) => JSON.parse(document) as Condition)];

  return {
    /** Stores a user's condition unless its name is taken. @returns whether it was new, was there already, or another one has its name. */
    add(condition: Condition): 'new' | 'same' | 'different' {
      const document = canonicalJson(condition);
      if (insert.run(condition.name, document).changes === 1) return 'new';
      return select.get(condition.name)?.document === document ? 'same' : 'different';
    },

    /** Stores a user's condition in place of the one of its name. @returns whether there was none. */
    put(condition: Condition): 'new' | 'replaced' {
      const before = select.get(condition.name);
      upsert.run(condition.name, canonicalJson(condition));
      return before ? 'replaced' : 'new';
    },

    /** @returns whether there was one. */
    delete: (name: string): boolean => remove.run(name).changes === 1,

    /** Presets, then those of users by name. */
    all,

    /** By its name, that of a lossy one with its base RTT (loss-2.rtt-50) too. */
    find(name: string): KnownCondition | undefined {
      const condition = conditionNamed(name, all());
      return condition && toKnown(condition);
    },

    /** In the order of `all`. */
    page({ limit, cursor }: Slice): Page<KnownCondition> {
      const places = all().map((condition, index) => ({ condition, place: index + 1 }));
      const rows = places.slice(cursor ?? 0, (cursor ?? 0) + limit + 1);
      return pageOf(
        rows,
        limit,
        ({ condition }) => toKnown(condition),
        ({ place }) => place,
      ); // prettier-ignore
    },
  };
}

const toKnown = (condition: Condition): KnownCondition => ({
  ...condition,
  preset: conditionNamed(condition.name) !== undefined,
  words: describeCondition(condition),
  numbers: numbersOf(condition),
});

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
 * What a campaign asks for, whole; a set's name stands for its conditions.
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
  const conditions = expandSets(requests).flatMap(({ request, place }) => {
    const pointer = `#/conditions/${place}`;
    const condition = typeof request === 'string' ? conditionNamed(request, known) : request;
    if (!condition) {
      const names = known.map(({ name }) => name);
      const sets = conditionSets.map(({ name }) => name);
      const meant = nameMeant(String(request), [...names, ...sets]);
      const detail = `There is no condition ${JSON.stringify(request)}.${meant === undefined ? '' : ` Did you mean ${meant}?`} Known are ${names.join(', ')}; sets are ${sets.join(', ')}. Store yours by POST /api/v1/conditions, or give it whole.`;
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
