// Shows and exports the results of a campaign.

import { styleText } from 'node:util';
import { isFactorial } from '@pronghorn/core/campaign';
import type { Campaign } from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import { LocalService } from '../connection/local-service.ts';
import type { Exports } from '../options/measuring.ts';
import { UsageError } from '../program/errors.ts';
import { dataFolder } from '../program/files.ts';
import { minute, plain } from '../program/terminal.ts';
import { calibrationReport, calibrations, isCalibration } from './calibrations.ts';
import { checkExports, writeExports } from './exports.ts';
import { factorialMetrics, factorialReport } from './factorial-report.ts';
import { report } from './report.ts';

export type ResultsOptions = Exports & { data?: string; verbose?: true };

/** Also while the campaign is unfinished. */
export async function showResults(id: string | undefined, options: ResultsOptions): Promise<number> {
  const data = dataFolder(options.data);
  checkExports(options);
  await using service = await LocalService.open(data);
  const known = id ?? (await service.campaigns())[0]?.id;
  if (known === undefined) throw new UsageError('Nothing has been measured yet. Start with: ./pronghorn measure URL');
  const campaign = await service.campaign(known);
  const { name } = campaign.spec;
  const { roundsDone, rounds } = campaign.progress;
  console.log(
    styleText(
      'dim',
      `Campaign ${campaign.id}, ${plain(name)}, ${minute(campaign.createdAt)} UTC: ${campaign.state}, ${roundsDone} of ${counted(rounds, 'round')}\n`,
    ),
  );
  await printResults(service, campaign, options);
  await writeExports(service, campaign, options, data);
  return 0;
}

/** @returns 0, or 1 when nothing valid was measured */
export async function printResults(
  service: LocalService,
  campaign: Campaign,
  { verbose = false }: { verbose?: boolean | undefined },
): Promise<number> {
  const [results, { caveats }, discoveries, environment] = await Promise.all([
    service.results(campaign.id),
    service.ask('GET /campaigns/{id}/summary', { id: campaign.id }),
    service.discoveries(campaign.id),
    service.anyEnvironment(campaign.id),
  ]);
  console.log(report(campaign, results, discoveries, { environment, verbose, caveats }));
  const slots = isCalibration(campaign.spec) ? calibrations(campaign, await Array.fromAsync(service.visits(campaign.id))) : [];
  if (slots.some(({ calibration }) => calibration !== null)) console.log(`\n${calibrationReport(campaign, slots)}`);
  if (isFactorial(campaign)) {
    const { id } = campaign;
    const factorial = await Promise.all(
      factorialMetrics(campaign.spec).map((metric) => service.ask('GET /campaigns/{id}/factorial', { id, query: { metric } })),
    );
    console.log(`\n${factorialReport(factorial)}`);
  }
  return campaign.progress.visitsValid > 0 ? 0 : 1;
}
