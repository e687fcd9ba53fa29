// A factorial study of REST calls as one campaign, with the study's own tables.
import type { Condition } from '@pronghorn/core/schemas';
import { usualRounds } from '@pronghorn/core/verdict';
import type { Command } from 'commander';
import { designNotes, designs, readDesign, sitesOfDesign } from '../calls/design.ts';
import { factorialCsv } from '../calls/factorial-report.ts';
import { mustBeWritable, writeOrTell } from '../exports.ts';
import { conditionWishes, type MeasuringOptions, measureOptions, measuring, requestOf } from '../options/measuring.ts';
import { quicCongestionControl } from '../options/workload.ts';
import { labOf, openDemo } from '../origin.ts';
import { wrap } from '../terminal.ts';
import { measure, type Scene } from './measure.ts';
import { tell } from './results.ts';

export function addFactorial(program: Command): void {
  measuring(program.command('factorial'), {
    roundsWords: 'the design’s replications',
    protocols: ['h2', 'h3'],
    congestionControl: quicCongestionControl,
  })
    .description('a factorial study of REST calls against a built-in server: factors, interactions, tails')
    .argument('<study>', `${Object.keys(designs).join(', ')}, or a file with a design; see docs/transactions.md`)
    .option('--runs-csv <file>', 'write a line for each run, with its levels')
    .action(async (named: string, options: MeasuringOptions & { runsCsv?: string }, command: Command) => {
      const design = readDesign(named);
      mustBeWritable('runs-csv', options.runsCsv);
      const isAsked = command.getOptionValueSource('protocols') === 'cli';
      const asked = requestOf({ ...options, protocols: isAsked ? options.protocols : (design.protocols ?? options.protocols) });
      const setScene = async (complete: readonly Condition[]): Promise<Scene> => {
        const demo = await openDemo(complete, measureOptions(options), { server: { name: 'nginx' }, port: undefined, calls: true });
        const { calls } = demo.origin;
        if (calls === undefined) throw new Error('the demo was opened without its host of REST calls');
        const sites = sitesOfDesign(design, calls.url);
        return {
          lab: labOf(demo.origin),
          link: demo.link,
          close: demo.close,
          request: {
            rounds: design.replications ?? usualRounds(sites.length * complete.length, false),
            ...asked(sites),
            ...(options.view === undefined && design.view !== undefined && { views: [design.view] }),
            name: design.name,
            engine: 'transaction',
            primaryMetric: options.metric ?? 'latencyMean',
          },
          created: ({ spec, sites }) => {
            for (const words of designNotes({ ...spec, sites })) console.error(wrap(words));
          },
          tell: async (house, campaign, wishes) => {
            const code = await tell(house, campaign, wishes);
            if (options.runsCsv === undefined) return code;
            const lines = factorialCsv(campaign, await Array.fromAsync(house.visits(campaign.id)));
            const left = `Nothing measured is lost: in the dashboard, the page Factorial of campaign ${campaign.id} has the same file.`;
            return (await writeOrTell(options.runsCsv, lines, left)) ? code : 1;
          },
        };
      };
      process.exitCode = await measure(
        { conditions: conditionWishes({ ...options, condition: options.condition }, design.factors.condition as string[]), setScene },
        measureOptions(options),
      );
    });
}
