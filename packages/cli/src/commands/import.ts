// Commands about HAR files of others.
import { adoptionUnits } from '@pronghorn/core/schemas';
import { type Command, Option } from 'commander';
import type { AdoptionOptions } from '../adoption/adoption.ts';
import { apiOption, asking, dataOption } from '../options/connection-options.ts';

/** Adds `import` and `adoption`. */
export function addImport(program: Command): void {
  const placed = (command: Command) =>
    asking(
      command
        .addOption(new Option('--unit <what>', 'site: hosts of main documents; host: all hosts').choices(adoptionUnits).default('site'))
        .addOption(apiOption('a service; default: this machine’s data folder')),
    ).addOption(dataOption());
  placed(program.command('import').description('what others measured, as HAR files').command('har'))
    .description('count HAR files of HTTP Archive, browsertime or others: who advertises HTTP/3')
    .argument('<file...>', 'HAR files, gzipped or not')
    .action(async (files: string[], options: AdoptionOptions) => {
      const { importHars } = await import('../adoption/adoption.ts');
      process.exitCode = await importHars(files, options);
    });
  placed(program.command('adoption'))
    .description('who advertises HTTP/3 and QUIC, by all HAR files that were imported')
    .action(async (options: AdoptionOptions) => (await import('../adoption/adoption.ts')).showAdoption(options));
}
