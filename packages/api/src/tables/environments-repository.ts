import type { Environment } from '@pronghorn/core/schemas';
import { canonicalJson } from '../storage/canonical-json.ts';
import type { Database } from '../storage/database.ts';

/** Owns the table environments. */
export function createEnvironmentsRepository(database: Database) {
  const insert = database.prepare<[string, string]>('INSERT INTO environments (id, document) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const select = database.prepare<[string], { document: string }>('SELECT document FROM environments WHERE id = ?');
  const selectOfCampaign = database.prepare<[number], { document: string }>(
    'SELECT document FROM environments WHERE id IN (SELECT environmentId FROM visits WHERE campaignId = ?) ORDER BY id',
  );
  const unused = 'SELECT id FROM environments WHERE NOT EXISTS (SELECT 1 FROM visits WHERE environmentId = environments.id) LIMIT ?';
  const selectUnused = database.prepare<[number]>(unused);
  const deleteUnused = database.prepare<[number]>(`DELETE FROM environments WHERE id IN (${unused})`);

  return {
    /** Stores it unless it is there. @returns whether it was new, was there already, or another one has its id. */
    put(environment: Environment): 'new' | 'same' | 'different' {
      const document = canonicalJson(environment);
      if (insert.run(environment.id, document).changes === 1) return 'new';
      return select.get(environment.id)?.document === document ? 'same' : 'different';
    },

    find(id: string): Environment | undefined {
      const row = select.get(id);
      return row && (JSON.parse(row.document) as Environment);
    },

    anyUnused: (): boolean => selectUnused.get(1) !== undefined,
    /** Deletes those that no visit refers to: they name hosts of the pages. A runner that knows one sends it again. @returns how many. */
    deleteUnused: (atMost: number): number => deleteUnused.run(atMost).changes,

    /** What the visits of a campaign ran in. */
    ofCampaign: (campaignId: number): Environment[] =>
      selectOfCampaign.all(campaignId).map(({ document }) => JSON.parse(document) as Environment),
  };
}
