// Commands that measure or judge pages on this machine, and that resume or show a campaign.
import { type Command, Option } from 'commander';
import type { HereOptions } from '../gate/gate-here.ts';
import { gateOptions, gateWishes } from '../gate/gate-options.ts';
import { dataOption } from '../options/connection-options.ts';
import {
  briefRounds,
  exporting,
  linking,
  localOptions,
  measuring,
  noEvidenceOption,
  originOption,
  portOption,
  sitesOption,
  verboseOption,
} from '../options/measuring.ts';
import { integerBetween, repeatable, shareTo1 } from '../options/values.ts';
import { UsageError } from '../program/errors.ts';
import { ending, running } from '../program/run-program.ts';

const examples = `
Examples:
  pronghorn measure https://www.example.com/ --conditions typical
  pronghorn measure https://www.example.com/ --device phone --conditions 4g --precision precise
  pronghorn measure ./dist --page / --page /pricing/
  pronghorn measure http://localhost:3000/`;

export function addMeasure(program: Command): void {
  localOptions(measuring(program.command('measure')))
    .description('load pages over HTTP/2 and HTTP/3 and compare')
    .argument('<url...>', 'pages to measure: URLs, folders such as ./dist or pages in them, servers such as http://localhost:3000/')
    .option('--expect-status <status>', 'status that the document must have', integerBetween(200, 599), 200)
    .addOption(repeatable('--page <path>', 'page of the only folder or local server in the command'))
    .addOption(
      new Option(
        '--journey',
        'open the pages one after the other: each is measured with what the earlier ones cached, the first with nothing',
      )
        .conflicts('after')
        .implies({ view: ['warm'] }),
    )
    .addHelpText('after', examples)
    .action(running(() => import('../measure/measure.ts'), 'measurePages'));
}

export function addDemo(program: Command): void {
  measuring(program.command('demo'), { roundsWords: `${briefRounds}; for other sites and conditions 10 to 20` })
    .description('measure pages of a local server with HTTP/3, near and far away; nothing leaves this machine')
    .addOption(sitesOption())
    .option('--all', 'all five usual sites, also over a bad link, with as many rounds as `measure`')
    .addOption(originOption())
    .addOption(portOption('port of the demo’s server (default: 4433, or any free one)'))
    .option('--no-open', 'end when done, even on a terminal')
    .action(running(() => import('../measure/demo.ts'), 'demo'));
}

export function addResume(program: Command): void {
  linking(exporting(program.command('resume')))
    .description('continue a campaign that was stopped')
    .argument('[campaign]', 'its id (default: the latest that is not done)')
    .addOption(noEvidenceOption())
    .addOption(verboseOption())
    .addOption(dataOption())
    .action(running(() => import('../resume/resume.ts'), 'resume'));
}

export function addResults(program: Command): void {
  exporting(program.command('results'))
    .description('show or export the results of a campaign')
    .argument('[campaign]', 'its id (default: the latest)')
    .addOption(verboseOption())
    .addOption(dataOption())
    .action(running(() => import('../measure/results.ts'), 'showResults'));
}

export function addGate(program: Command): void {
  const command = gateOptions(program.command('gate'), {
    page: 'page to measure, a URL or a folder',
    api: 'service whose runners measure (default: this machine)',
  })
    .addOption(sitesOption())
    .addOption(originOption())
    .addOption(portOption('port of the demo’s server'))
    .option(
      '--busy <share>',
      'share of the CPU that other work may take, such as 0.2 or 20%, instead of the file’s limits.foreignCpuShare',
      shareTo1,
    );
  localOptions(linking(command))
    .addOption(noEvidenceOption())
    .addOption(dataOption())
    .action(
      ending(async (options: HereOptions) => {
        if (options.schema !== undefined) {
          const { gateSchema } = await import('../gate/gate-file.ts');
          process.stdout.write(gateSchema(options.schema));
          return 0;
        }
        const { sites = null, busy } = options;
        if (sites !== null && options.url.length > 0) throw new UsageError('Name either --url or --sites of the demo.');
        const { runGate } = await import('../gate/run-gate.ts');
        const wishes = { ...gateWishes(options, './pronghorn gate'), busy, demo: sites };
        // With a service, nothing that measures is loaded here.
        return await runGate(wishes, async (...task) => (await import('../gate/gate-here.ts')).gateHere(options, ...task));
      }),
    );
}
