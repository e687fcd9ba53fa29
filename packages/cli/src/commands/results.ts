// Shows and exports what a campaign measured.
import { styleText } from 'node:util';
import { isFactorial } from '@pronghorn/core/campaign';
import type { Campaign } from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import type { Command } from 'commander';
import { calibrationReport } from '../calibration-report.ts';
import { calibrations, isCalibration } from '../calibrations.ts';
import { factorialMetrics, factorialReport } from '../calls/factorial-report.ts';
import { type DataFolder, dataFolder, UsageError } from '../data.ts';
import { checkExports, type Exports, writeExports } from '../exports.ts';
import { House } from '../house.ts';
import { exporting, verboseOption } from '../options/measuring.ts';
import { dataOption } from '../options/place.ts';
import { report } from '../report.ts';
import { plain } from '../terminal.ts';

export function addResults(program: Command): void {
  exporting(program.command('results'))
    .description('show or export what a campaign measured')
    .argument('[campaign]', 'its id; default: the latest')
    .addOption(verboseOption())
    .addOption(dataOption())
    .action(async (id: string | undefined, options: Exports & { data?: string; verbose?: true }) => {
      process.exitCode = await showResults(id, { data: dataFolder(options.data), exports: options, verbose: options.verbose });
    });
}

/** Shows and exports what a campaign has measured so far. */
async function showResults(
  id: string | undefined,
  options: { data: DataFolder; exports: Exports; verbose: boolean | undefined },
): Promise<number> {
  checkExports(options.exports);
  const house = await House.open(options.data);
  try {
    const found = id ?? (await house.campaigns())[0]?.id;
    if (found === undefined) throw new UsageError('Nothing was measured yet. Begin with: ./pronghorn measure URL');
    const campaign = await house.campaign(found);
    const { name } = campaign.spec;
    const { roundsDone, rounds } = campaign.progress;
    const when = campaign.createdAt.slice(0, 16).replace('T', ' ');
    console.log(
      styleText(
        'dim',
        `Campaign ${campaign.id}, ${plain(name)}, ${when} UTC: ${campaign.state}, ${roundsDone} of ${counted(rounds, 'round')}\n`,
      ),
    );
    await tell(house, campaign, options);
    await writeExports(house, campaign, options.exports, options.data);
    return 0;
  } finally {
    await house.close();
  }
}

/** @returns 0, or 1 when nothing valid was measured */
export async function tell(house: House, campaign: Campaign, { verbose = false }: { verbose?: boolean | undefined }): Promise<number> {
  const [results, discoveries, environment] = await Promise.all([
    house.results(campaign.id),
    house.discoveries(campaign.id),
    house.anyEnvironment(campaign.id),
  ]);
  console.log(report(campaign, results, discoveries, { environment, verbose }));
  const found = isCalibration(campaign.spec) ? calibrations(campaign, await Array.fromAsync(house.visits(campaign.id))) : [];
  if (found.some(({ calibration }) => calibration !== null)) console.log(`\n${calibrationReport(campaign, found)}`);
  if (isFactorial(campaign)) {
    const factorial = await Promise.all(factorialMetrics(campaign.spec).map((metric) => house.factorial(campaign.id, metric)));
    console.log(`\n${factorialReport(factorial)}`);
  }
  return campaign.progress.visitsValid > 0 ? 0 : 1;
}
