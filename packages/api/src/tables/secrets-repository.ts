import type { Campaign, LeaseSecrets, SealedSecret, SecretUpload } from '@pronghorn/core/schemas';
import { referableTexts, referenceOf } from '@pronghorn/core/visitor';
import type { Database } from '../storage/database.ts';
import type { Seal } from '../storage/seal.ts';

type Row = { name: string; hosts: string; changedAt: string; changedBy: string | null };

/** Owns the table secrets. */
export type SecretsRepository = ReturnType<typeof createSecretsRepository>;

/** @param now whole milliseconds since 1970. */
export function createSecretsRepository(database: Database, seal: Seal, now: () => number) {
  const upsert = database.prepare<Row & { sealed: Buffer }>(
    `INSERT INTO secrets (name, sealed, hosts, changedAt, changedBy) VALUES (@name, @sealed, @hosts, @changedAt, @changedBy)
     ON CONFLICT (name) DO UPDATE SET sealed = @sealed, hosts = @hosts, changedAt = @changedAt, changedBy = @changedBy`,
  );
  const selectAll = database.prepare<[], Row>('SELECT name, hosts, changedAt, changedBy FROM secrets ORDER BY name LIMIT 1000');
  const select = database.prepare<[string], Row & { sealed: Buffer }>('SELECT * FROM secrets WHERE name = ?');
  const remove = database.prepare<[string]>('DELETE FROM secrets WHERE name = ?');
  const shown = ({ name, hosts, changedAt, changedBy }: Row): SealedSecret => ({
    name,
    hosts: JSON.parse(hosts) as string[],
    changedAt,
    changedBy,
  });

  return {
    put(name: string, { value, hosts }: SecretUpload, changedBy: string | null): SealedSecret {
      const row = { name, hosts: JSON.stringify(hosts), changedAt: new Date(now()).toISOString(), changedBy };
      upsert.run({ ...row, sealed: seal.close(value, name) });
      return shown(row);
    },

    /** By name; values stay sealed. */
    list: (): SealedSecret[] => selectAll.all().map(shown),

    /** @returns whether it was there. */
    delete: (name: string): boolean => remove.run(name).changes > 0,

    /** Those that a campaign refers to, opened, for the runner that performs it; what is missing, is left out. */
    openedFor: (campaign: Pick<Campaign, 'spec' | 'sites'>): LeaseSecrets['secrets'] =>
      namesIn(campaign).flatMap((name) => {
        const row = select.get(name);
        return row === undefined ? [] : [{ name, value: seal.open(row.sealed, name), hosts: JSON.parse(row.hosts) as string[] }];
      }),
  };
}

function namesIn({ spec, sites }: Pick<Campaign, 'spec' | 'sites'>): string[] {
  const visitors = [spec.visitor, ...sites.map((site) => site.visitor)].flatMap((one) => one ?? []);
  const references = visitors.flatMap((one) => [...referableTexts(one)]).flatMap(({ text }) => referenceOf(text) ?? []);
  return [...new Set(references.flatMap(({ kind, name }) => (kind === 'secret' ? [name] : [])))];
}
