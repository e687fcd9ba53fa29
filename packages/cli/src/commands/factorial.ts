// A factorial study of REST calls as one campaign, with the study's own tables.
import { writeFileSync } from 'node:fs';
import type { Condition, Visit } from '@pronghorn/core';
import type { Command } from 'commander';
import { designs, readDesign, sitesOfDesign } from '../calls/design.ts';
import { factorialCsv, factorialReport } from '../calls/factorial-report.ts';
import { mustBeWritable } from '../exports.ts';
import { conditionWishes, type MeasuringOptions, measureOptions, measuring, requestOf } from '../options/measuring.ts';
import { quicCongestionControl } from '../options/workload.ts';
import { labOf, openDemo } from '../origin.ts';
import { measure, type Scene } from './measure.ts';
import { tell } from './results.ts';

export function addFactorial(program: Command): void {
  measuring(program.command('factorial'), { congestionControl: quicCongestionControl })
    .description('a factorial study of REST calls against a built-in server: factors, interactions, tails')
    .argument('<study>', `${Object.keys(designs).join(', ')}, or a file with a design; see docs/transactions.md`)
    .option('--runs-csv <file>', 'write a line for each run, with its levels')
    .action(async (named: string, options: MeasuringOptions & { runsCsv?: string }) => {
      const design = readDesign(named);
      mustBeWritable('runs-csv', options.runsCsv);
      const asked = requestOf({
        ...options,
        protocols: options.protocols.length < 3 ? options.protocols : (design.protocols ?? options.protocols),
      });
      const setScene = async (complete: readonly Condition[]): Promise<Scene> => {
        const demo = await openDemo(complete, measureOptions(options), { server: { name: 'nginx' }, port: undefined, calls: true });
        const { calls } = demo.origin;
        if (calls === undefined) throw new Error('the demo was opened without its host of REST calls');
        const sites = sitesOfDesign(design, calls.url);
        const levels = new Map(sites.map(({ site, levels: its }) => [site.url, its]));
        return {
          lab: labOf(demo.origin),
          link: demo.link,
          close: demo.close,
          request: {
            rounds: design.replications ?? 10,
            ...asked(sites.map(({ site }) => site)),
            name: design.name,
            engine: 'transaction',
            primaryMetric: options.metric ?? 'latencyMean',
          },
          tell: async (house, campaign, wishes) => {
            const code = await tell(house, campaign, wishes);
            const visits: Visit[] = [];
            for await (const visit of house.visits(campaign.id)) visits.push(visit);
            console.log(`\n${factorialReport(campaign, visits, levels)}`);
            if (options.runsCsv !== undefined) writeFileSync(options.runsCsv, factorialCsv(campaign, visits, levels));
            return code;
          },
        };
      };
      process.exitCode = await measure(
        { conditions: conditionWishes({ ...options, condition: options.condition }, design.factors.condition as string[]), setScene },
        measureOptions(options),
      );
    });
}
