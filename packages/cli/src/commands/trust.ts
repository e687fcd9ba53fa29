// Commands about networks and about the errors of the measurement.
import { discoveries, minCalibrationRounds, pageEngines, protocols, views } from '@pronghorn/core/vocabulary';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { dataOption } from '../options/connection-options.ts';
import {
  conditioned,
  customConditions,
  exporting,
  linking,
  localOptions,
  measuring,
  originOption,
  protocolsOption,
  sitesOption,
  visiting,
} from '../options/measuring.ts';
import { commaSeparated, integerBetween, listOf } from '../options/values.ts';
import { ending, running } from '../program/run-program.ts';
import type { CrosscheckOptions } from '../trust/crosscheck.ts';

export function addConditions(program: Command): void {
  program
    .command('conditions')
    .description('list the known network conditions with their numbers')
    .option('--json', 'print them as a condition file holds them')
    .addOption(dataOption())
    .action(running(() => import('../trust/link-check.ts'), 'listConditions'));
}

export function addLinkCheck(program: Command): void {
  const link = program.command('link').description('the emulated network path between Chrome and the pages');
  linking(customConditions(link.command('check')))
    .description('measure what the link does under each condition, beside what it should do')
    .argument('[condition...]', 'names of conditions (default: all)')
    .option('--json', 'print every number, as stored with a round')
    .addOption(dataOption())
    .action(running(() => import('../trust/link-check.ts'), 'linkCheck'));
}

export function addCalibrate(program: Command): void {
  visiting(
    linking(conditioned(exporting(program.command('calibrate'))))
      .addOption(protocolsOption(['h2', 'h3'], '; each is compared with itself'))
      .option('--rounds <n>', 'rounds; in each, every protocol loads the page twice, in random order', calibrationRounds, 100),
  )
    .description('measure protocols against themselves: false winners, and the smallest detectable difference')
    .argument('[url]', 'page to measure (default: the demo’s shop)')
    .addOption(sitesOption())
    .addOption(originOption())
    .action(running(() => import('../trust/calibrate.ts'), 'calibrate'));
}

function calibrationRounds(value: string): number {
  const rounds = integerBetween(1, 10_000)(value);
  if (rounds < minCalibrationRounds)
    throw new InvalidArgumentError(`A calibration needs at least ${minCalibrationRounds} rounds; use 100 or more.`);
  return rounds;
}

export function addGroundTruth(program: Command): void {
  measuring(program.command('ground-truth'), { roundsWords: '20; with --tricks 12, which is what so many verdicts need', protocols })
    .description('measure pages whose onLoad, SpeedIndex and LCP are known by construction, and show the error')
    .option(
      '--tricks [which]',
      'instead, pages that try to make a verdict err, always over h2 and h3, by SpeedIndex, onLoad and LCP: usual (default; 45 minutes), all (80), short (a minute), or some by name: timer,403',
      commaSeparated,
    )
    .action(running(() => import('../trust/ground-truth.ts'), 'groundTruth'));
}

/** Options of visits that a crosscheck sets itself, alike for each engine. */
const fixedOptions = ['engine', 'browser', 'isolation'];

export function addCrosscheck(program: Command): void {
  const crosschecking = visiting(linking(conditioned(program.command('crosscheck'))));
  for (const option of crosschecking.options) if (fixedOptions.includes(option.attributeName())) option.hideHelp();
  crosschecking
    .description('measure pages with several engines in turn: do they agree?')
    .argument('[url...]', 'pages to measure (default: the demo’s shop)')
    .addOption(
      new Option('--engines <list>', 'two or more engines; each is compared with the first')
        .argParser(listOf(pageEngines))
        .default([...pageEngines], pageEngines.join(',')),
    )
    .addOption(protocolsOption(['h2', 'h3']))
    .option('--rounds <n>', 'rounds of each engine', integerBetween(1, 10_000), 20)
    .addOption(new Option('--resume <ids>', 'campaigns of a stopped crosscheck: continue and compare them').argParser(commaSeparated))
    .option('--out <file>', 'where to write the page with the pictures (default: in the data folder)')
    .addOption(sitesOption())
    .addOption(originOption())
    .action(
      ending(async (urls: string[], options: CrosscheckOptions, command: Command) => {
        const { crosscheck } = await import('../trust/crosscheck.ts');
        const refused = fixedOptions.find((name) => command.getOptionValueSource(name) === 'cli');
        return await crosscheck(urls, options, refused);
      }),
    );
}

export function addNetlog(program: Command): void {
  linking(localOptions(program.command('netlog')))
    .description('load a page over HTTP/3, or over --protocols, and explain what Chrome’s network log shows')
    .argument('[url]', 'page: a URL, a folder such as ./dist or a page in it, a server such as http://localhost:3000/')
    .addOption(sitesOption())
    .addOption(originOption())
    .addOption(protocolsOption(['h3']))
    .option('--condition <name>', 'a condition that ./pronghorn conditions lists, or a JSON file with one', 'native')
    .addOption(new Option('--discovery <how>', 'how Chrome comes to HTTP/3').choices(discoveries).default('forced'))
    .addOption(new Option('--view <view>', 'cold: nothing cached; warm: the repeat view').choices(views).default('cold'))
    .option('--out <folder>', 'where to write the logs (default: netlogs/ in the data folder)')
    .option('--json', 'print the findings as JSON')
    .addOption(dataOption())
    .action(running(() => import('../trust/netlog.ts'), 'netlog'));
}
