import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { backUp } from '@pronghorn/api';
import type { DataFolder } from '../data.ts';
import { UsageError } from '../data.ts';
import { counted } from '../terminal.ts';

/** Copies a data folder, also while a service writes to it. */
export async function backup(data: DataFolder, named: string, { evidence, force }: { evidence: boolean; force: boolean }): Promise<number> {
  const target = resolve(named);
  if (target === data.path)
    throw new UsageError(`${target} is the data folder itself. Name another place, on another disk if there is one.`);
  if (existsSync(target) && !force) throw new UsageError(`${target} is there already. Name another, or replace it with --force.`);
  const made = await backUp({ database: data.database, evidence: evidence ? data.evidence : null, target, force });
  const files = evidence ? `, ${counted(made.evidenceFiles, 'file')} of evidence` : '';
  console.log(
    `${target}: ${counted(made.campaigns, 'campaign')}, ${counted(made.visits, 'visit')}, ${(made.bytes / 1e6).toFixed(1)} MB${files}; checked.`,
  );
  return 0;
}
