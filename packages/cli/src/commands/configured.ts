// The options that `serve` and its companions have in common, and the configuration that comes of them.
import type { Command } from 'commander';
import { printedConfig } from '../config/print.ts';
import { readConfig } from '../config/read.ts';
import { type Config, ConfigSchema } from '../config/schema.ts';
import { dataFolder } from '../data.ts';

export const configured = (command: Command) =>
  command
    .option('--config <file>', 'JSON file with all settings (default: pronghorn.config.json, where there is one)')
    .option('--data <folder>', 'where measurements are kept (env: PRONGHORN_DATA)');

export interface ConfiguredOptions {
  config?: string;
  data?: string;
}

/**
 * Tells of variables that nothing reads.
 * @param flags by path, such as 'listen.port'; undefined: not given.
 * @throws UsageError that names everything that is wrong.
 */
export function configOf({ config: file, data }: ConfiguredOptions, flags: Record<string, unknown> = {}) {
  const sources = { file, environment: process.env, flags: { data, ...flags }, directory: process.cwd() };
  const effective = readConfig<Config>(ConfigSchema, sources);
  for (const warning of effective.warnings) console.error(`pronghorn: ${warning}`);
  if (effective.origins.data === 'default') effective.config.data = dataFolder(undefined).path;
  return { ...effective, printed: () => printedConfig(ConfigSchema, effective) };
}

/** What evidence may take. */
export const budgetBytes = ({ evidence: { budgetMb } }: Config): number | null => (budgetMb === null ? null : budgetMb * 1e6);
