// Backup and retention of a data folder by hand, with or without a running service.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { backUp, doubtWords, type Mended, openRetention } from '@pronghorn/api';
import { counted } from '@pronghorn/core/text';
import { budgetBytes, type ConfiguredOptions, configOf } from '../config/read.ts';
import { UsageError } from '../program/errors.ts';
import { dataFolder } from '../program/files.ts';

export interface RetentionOptions extends ConfiguredOptions {
  dryRun?: true;
  trustClock?: true;
}

export interface BackupOptions {
  data?: string;
  evidence?: boolean;
  force?: boolean;
}

export async function backUpTo(named: string, { data: folder, evidence = false, force = false }: BackupOptions): Promise<void> {
  const data = dataFolder(folder);
  const target = resolve(named);
  if (target === data.path) throw new UsageError(`${target} is the data folder itself. Name another place, on another disk if possible.`);
  if (existsSync(target) && !force) throw new UsageError(`${target} exists. Name another, or replace it with --force.`);
  const made = await backUp({ database: data.database, evidence: evidence ? data.evidence : null, target, force });
  const files = evidence ? `, ${counted(made.evidenceFiles, 'file')} of evidence` : '';
  console.log(
    `${target}: ${counted(made.campaigns, 'campaign')}, ${counted(made.visits, 'visit')}, ${(made.bytes / 1e6).toFixed(1)} MB${files}; checked.`,
  );
}

export async function retain(options: RetentionOptions): Promise<void> {
  const { dryRun = false, trustClock = false } = options;
  const { config } = configOf(options);
  const { data: named, retention: policy } = config;
  const data = dataFolder(named);
  const { resourcesDays, evidenceDays, logDays } = policy;
  const open = openRetention({ database: data.database, evidenceDirectory: data.evidence, evidence: { budgetBytes: budgetBytes(config) } });
  try {
    const doubt = await open.clock.doubt();
    if (trustClock && !dryRun) await open.clock.believe();
    else if (doubt !== null && !dryRun) throw new UsageError(`${doubtWords(doubt)} If it is right, add --trust-clock.`);
    const done = dryRun ? null : await open.run(policy);
    const removed = done ?? (await open.preview(policy));
    const term = (days: number | null) => (days === null ? 'kept for ever' : `kept for ${counted(days, 'day')}`);
    console.log(dryRun ? `Would be removed from ${data.path}:` : `Removed from ${data.path}:`);
    console.log(`  resources of ${counted(removed.resources, 'visit')} (${term(resourcesDays)})`);
    console.log(`  evidence of ${counted(removed.evidence, 'visit')} (${term(evidenceDays)})`);
    console.log(`  ${counted(removed.logLines, 'line')} of campaigns' logs (${term(logDays)})`);
    if (done !== null) printMended(done.mended);
  } finally {
    open.close();
  }
}

/** Lists what was wrong in the evidence folder, if anything. */
function printMended({ stray, lost, found }: Mended): void {
  const lines: [number, string][] = [
    [stray, 'of unknown evidence: removed'],
    [lost, 'of evidence missing or damaged: their visits say so now'],
    [found, 'of evidence found again'],
  ];
  for (const [count, words] of lines) if (count > 0) console.log(`  ${counted(count, 'file')} ${words}`);
}
