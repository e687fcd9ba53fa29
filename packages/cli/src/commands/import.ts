// Commands about HAR files of others.
import { adoptionUnits } from '@pronghorn/core/schemas';
import { type Command, Option } from 'commander';
import { apiOption, asking, dataOption } from '../options/connection-options.ts';
import { running } from '../program/run-program.ts';

/** Adds `import` and `adoption`. */
export function addImport(program: Command): void {
  const placed = (command: Command) =>
    asking(
      command
        .addOption(new Option('--unit <what>', 'site: hosts of main documents; host: all hosts').choices(adoptionUnits).default('site'))
        .addOption(apiOption('service to ask (default: this machine’s data folder)')),
    ).addOption(dataOption());
  placed(program.command('import').description('import measurements of others, as HAR files').command('har'))
    .description('count in HAR files of HTTP Archive, browsertime or others who advertises HTTP/3')
    .argument('<file...>', 'HAR files, gzipped or not')
    .action(running(() => import('../adoption/adoption.ts'), 'importHars'));
  placed(program.command('adoption'))
    .description('show who advertises HTTP/3 and QUIC, by all imported HAR files')
    .action(running(() => import('../adoption/adoption.ts'), 'showAdoption'));
}
