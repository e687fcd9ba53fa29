// Removes by hand what the service would remove today; beside it or without it.
import { openRetention } from '@pronghorn/api';
import type { Command } from 'commander';
import type { Config } from '../config/schema.ts';
import { dataFolder } from '../data.ts';
import { counted } from '../terminal.ts';
import { type ConfiguredOptions, configOf, configured } from './configured.ts';

export function addRetention(program: Command): void {
  configured(program.command('retention'))
    .description('remove what the service keeps no longer: old resources, evidence, log lines')
    .option('--dry-run', 'tell what would be removed, remove nothing')
    .action(async (options: ConfiguredOptions & { dryRun?: true }) => {
      process.exitCode = await retention(configOf(options).config, options.dryRun === true);
    });
}

async function retention({ data: named, retention: policy }: Config, dryRun: boolean): Promise<number> {
  const data = dataFolder(named);
  const { resourcesDays, evidenceDays, logDays } = policy;
  const open = openRetention({ database: data.database, evidenceDirectory: data.evidence });
  try {
    const removed = dryRun ? await open.preview(policy) : await open.run(policy);
    const kept = (days: number | null) => (days === null ? 'kept for ever' : `kept for ${counted(days, 'day')}`);
    console.log(dryRun ? `Would be removed from ${data.path}:` : `Removed from ${data.path}:`);
    console.log(`  resources of ${counted(removed.resources, 'visit')} (${kept(resourcesDays)})`);
    console.log(`  evidence of ${counted(removed.evidence, 'visit')} (${kept(evidenceDays)})`);
    console.log(`  ${counted(removed.logLines, 'line')} of campaigns' logs (${kept(logDays)})`);
    return 0;
  } finally {
    open.close();
  }
}
