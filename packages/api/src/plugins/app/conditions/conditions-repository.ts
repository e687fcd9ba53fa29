import { conditionNamed, numbersOf, presets } from '@pronghorn/core/network';
import type { Condition, KnownCondition, Page } from '@pronghorn/core/schemas';
import { describeCondition } from '@pronghorn/core/text';
import fp from 'fastify-plugin';
import { canonicalJson } from '../../../storage/canonical-json.ts';
import type { Database } from '../../../storage/database.ts';
import { pageOf, type Slice } from '../../../storage/page.ts';

declare module 'fastify' {
  interface FastifyInstance {
    conditions: ConditionsRepository;
  }
}

/** Owns the table conditions: those of users. Presets stand before them; a preset of a newer release hides a user's of the same name. */
export type ConditionsRepository = ReturnType<typeof createConditionsRepository>;

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

export default fp(
  async (app) => {
    app.decorate('conditions', createConditionsRepository(app.database));
  },
  { name: 'conditions-repository', dependencies: ['sqlite'] },
);
