// Removes by hand what the service would remove today; beside it or without it.
import { doubtWords, type Mended, openRetention } from '@pronghorn/api';
import { counted } from '@pronghorn/core/text';
import type { Command } from 'commander';
import type { Config } from '../config/schema.ts';
import { dataFolder, UsageError } from '../data.ts';
import { budgetBytes, type ConfiguredOptions, configOf, configured } from './configured.ts';

export function addRetention(program: Command): void {
  configured(program.command('retention'))
    .description('remove what the service keeps no longer: old resources, evidence, log lines')
    .option('--dry-run', 'tell what would be removed, remove nothing')
    .option('--trust-clock', 'the clock of this machine is right, however far it is from the time that the service last saw')
    .action(async (options: ConfiguredOptions & { dryRun?: true; trustClock?: true }) => {
      process.exitCode = await retention(configOf(options).config, options);
    });
}

async function retention(
  config: Config,
  { dryRun = false, trustClock = false }: { dryRun?: boolean; trustClock?: boolean },
): Promise<number> {
  const { data: named, retention: policy } = config;
  const data = dataFolder(named);
  const { resourcesDays, evidenceDays, logDays } = policy;
  const open = openRetention({ database: data.database, evidenceDirectory: data.evidence, evidence: { budgetBytes: budgetBytes(config) } });
  try {
    const doubt = open.clock.doubt();
    if (trustClock && !dryRun) open.clock.believe();
    else if (doubt !== null && !dryRun) throw new UsageError(`${doubtWords(doubt)} Where it is right, add --trust-clock.`);
    const done = dryRun ? null : await open.run(policy);
    const removed = done ?? (await open.preview(policy));
    const kept = (days: number | null) => (days === null ? 'kept for ever' : `kept for ${counted(days, 'day')}`);
    console.log(dryRun ? `Would be removed from ${data.path}:` : `Removed from ${data.path}:`);
    console.log(`  resources of ${counted(removed.resources, 'visit')} (${kept(resourcesDays)})`);
    console.log(`  evidence of ${counted(removed.evidence, 'visit')} (${kept(evidenceDays)})`);
    console.log(`  ${counted(removed.logLines, 'line')} of campaigns' logs (${kept(logDays)})`);
    if (done !== null) tellMended(done.mended);
    return 0;
  } finally {
    open.close();
  }
}

/** What was wrong in the folder of evidence; nothing where all was well. */
function tellMended({ stray, lost, found }: Mended): void {
  const lines: [number, string][] = [
    [stray, 'of evidence that nobody knew: removed'],
    [lost, 'of evidence missing or damaged: their visits say so now'],
    [found, 'of evidence there again'],
  ];
  for (const [count, words] of lines) if (count > 0) console.log(`  ${counted(count, 'file')} ${words}`);
}
