// Shows and exports what a campaign measured.

import { styleText } from 'node:util';
import { isFactorial } from '@pronghorn/core/campaign';
import type { Campaign } from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import { factorialMetrics, factorialReport } from '../calls/factorial-report.ts';
import type { ResultsOptions } from '../commands/measure.ts';
import { dataFolder, UsageError } from '../data.ts';
import { House } from '../house.ts';
import { plain } from '../terminal.ts';
import { calibrationReport, calibrations, isCalibration } from '../trust/calibrations.ts';
import { checkExports, writeExports } from './exports.ts';
import { report } from './report.ts';

/** Shows and exports what a campaign has measured so far. */
export async function showResults(id: string | undefined, options: ResultsOptions): Promise<number> {
  const data = dataFolder(options.data);
  checkExports(options);
  const house = await House.open(data);
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
    await writeExports(house, campaign, options, data);
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
