// Commands that repeat a published study.
import { type Command, Option } from 'commander';
import { apiOption, asking, dataOption } from '../options/connection-options.ts';
import { conditioned, exporting, linking, localOptions, protocolsOption, visiting } from '../options/measuring.ts';
import { integerBetween } from '../options/values.ts';
import { ending, running } from '../program/run-program.ts';
import type { StudyOptions } from '../study/repeat.ts';
import { type StudyName, studies, studyNames } from '../study/studies.ts';

const descriptions: Record<StudyName, string> = {
  paper:
    'the campaign of Trevisan et al. 2021: h1, h2, h3 on its ten network configurations, five rounds, a report of its tables and figures',
  kiwee: 'Kiwee’s test of 2023: h1, h2, h3 near, far and on mobile networks, 50 rounds, a report with violins and its table',
};

export function addCampaign(program: Command): void {
  const campaign = program
    .command('campaign')
    .description('repeat a published study on a list of sites, with a report that compares the numbers');
  for (const study of studyNames) addStudy(campaign, study);
  asking(campaign.command('report').addOption(apiOption('service to ask (default: this machine’s data folder)')))
    .addOption(dataOption())
    .description('draw a campaign beside a study, as one self-contained HTML file')
    .argument('<campaign>', 'id of any campaign')
    .addOption(new Option('--study <name>', 'study to compare with (default: the one that the campaign repeats)').choices(studyNames))
    .option('--out <file>', 'where to write the report (default: in the data folder)')
    .action(running(() => import('../study/repeat.ts'), 'drawReport'));
}

function addStudy(campaign: Command, study: StudyName): void {
  const { rounds, protocols: usual } = studies[study];
  const command = localOptions(visiting(linking(conditioned(exporting(campaign.command(study))))));
  asking(command.addOption(apiOption('service whose runners measure (default: this machine)')))
    .description(descriptions[study])
    .requiredOption('--sites <file>', 'text file with a site on each line, as `measure` takes them; # begins a comment')
    .option('--limit <n>', 'use this many sites from the top of the list', integerBetween(1, 1_000))
    .addOption(protocolsOption(usual))
    .option('--rounds <n>', 'visits of each site over each protocol under each condition', integerBetween(1, 10_000), rounds)
    .option('--estimate', 'only show the number of visits, and how long they take at the pace of earlier rounds')
    .option('--out <file>', 'where to write the report (default: in the data folder)')
    .action(
      ending(async (options: StudyOptions) => {
        const isolates = command.getOptionValueSource('isolation') !== 'default';
        const { repeatStudy } = await import('../study/repeat.ts');
        return await repeatStudy(study, options, isolates);
      }),
    );
}
