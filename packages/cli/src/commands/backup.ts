// Copies a data folder, also while a service writes to it.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { backUp } from '@pronghorn/api';
import { counted } from '@pronghorn/core/text';
import type { Command } from 'commander';
import { type DataFolder, dataFolder, UsageError } from '../data.ts';
import { dataOption } from '../options/place.ts';

export function addBackup(program: Command): void {
  program
    .command('backup')
    .description('copy what was measured, also while the service runs')
    .argument('<target>', 'a folder, to be made; or a file whose name ends in .db')
    .option('--evidence', 'the raw evidence too, by hard links where possible')
    .option('--force', 'replace what is there')
    .addOption(dataOption())
    .action(async (target: string, { data, evidence = false, force = false }: { evidence?: boolean; force?: boolean; data?: string }) => {
      process.exitCode = await backup(dataFolder(data), target, { evidence, force });
    });
}

async function backup(data: DataFolder, named: string, { evidence, force }: { evidence: boolean; force: boolean }): Promise<number> {
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
