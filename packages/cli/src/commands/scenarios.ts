// The seven scenarios of REST calls as one campaign: cold and warm apart, on this machine or behind the link.

import { differingConnections } from '@pronghorn/core/campaign';
import type { Campaign, CampaignResults, Condition, GroupResults } from '@pronghorn/core/schemas';
import { quantityWords } from '@pronghorn/core/text';
import type { Command } from 'commander';
import { sitesOfScenarios } from '../calls/suite.ts';
import type { House } from '../house.ts';
import { conditionWishes, type MeasuringOptions, measureOptions, measuring, requestOf } from '../options/measuring.ts';
import { quicCongestionControl } from '../options/workload.ts';
import { labOf, openDemo } from '../origin.ts';
import { table, wrap } from '../terminal.ts';
import { measure, type Scene } from './measure.ts';
import type { MeasureOptions } from './perform.ts';
import { tell } from './results.ts';

/** Of a run that lasts 20 ms the numbers spread. */
const usualRounds = 20;

export function addScenarios(program: Command): void {
  measuring(program.command('scenarios'), { rounds: usualRounds, protocols: ['h2', 'h3'], congestionControl: quicCongestionControl })
    .description('seven scenarios of REST calls against a built-in server: which protocol is faster, cold and warm?')
    .action(async (options: MeasuringOptions) => {
      const asked = requestOf(options);
      const setScene = async (complete: readonly Condition[]): Promise<Scene> => {
        const demo = await openDemo(complete, measureOptions(options), { server: { name: 'nginx' }, port: undefined, calls: true });
        const { calls } = demo.origin;
        if (calls === undefined) throw new Error('the demo was opened without its host of REST calls');
        const request = asked(sitesOfScenarios(calls.url));
        return {
          lab: labOf(demo.origin),
          link: demo.link,
          close: demo.close,
          request: {
            ...request,
            name: 'Scenarios of REST calls',
            engine: 'transaction',
            views: request.views ?? ['cold', 'warm'],
            // As the published suite: each protocol opens what its library opens.
            workload: { connections: 'pool', ...request.workload },
          },
          tell: tellScenarios,
        };
      };
      process.exitCode = await measure({ conditions: conditionWishes(options, ['native']), setScene }, measureOptions(options));
    });
}

async function tellScenarios(house: House, campaign: Campaign, options: MeasureOptions): Promise<number> {
  const code = await tell(house, campaign, options);
  const results = await house.results(campaign.id);
  console.log(`\n${scenarioTable(campaign, results)}`);
  for (const note of connectionNotes(campaign, results)) console.log(`\n${note}`);
  return code;
}

/** What a run of each scenario did, in the middle of the rounds. Times are response times, connections that had to be opened among them. */
export function scenarioTable(campaign: Campaign, { groups }: CampaignResults): string {
  const middle = (group: GroupResults, slot: number, metric: Parameters<typeof quantityWords>[0]) => {
    const value = group.slots[slot]?.metrics[metric as keyof GroupResults['slots'][number]['metrics']]?.median;
    return value == null ? '–' : quantityWords(metric, value);
  };
  return table(
    ['median of the runs', '', '', '', 'requests', 'bytes', 'mean', 'p50', 'p95', 'p99', 'connections', 'client CPU', 'server CPU'],
    groups.flatMap((group) =>
      group.slots.map(({ protocol }, slot) => [
        slot === 0 ? (campaign.sites.find(({ id }) => id === group.siteId)?.name ?? '') : '',
        slot === 0 ? group.condition : '',
        slot === 0 ? group.view : '',
        protocol,
        middle(group, slot, 'requestsPerSecond'),
        middle(group, slot, 'bytesPerSecond'),
        middle(group, slot, 'responseTimeMean'),
        middle(group, slot, 'responseTime'),
        middle(group, slot, 'responseTimeP95'),
        middle(group, slot, 'responseTimeP99'),
        middle(group, slot, 'connections'),
        middle(group, slot, 'clientCpu'),
        middle(group, slot, 'serverCpu'),
      ]),
    ),
    [0, 1, 2, 3],
  );
}

/** Where one protocol opened several times the connections of the other, its numbers are those of its handshakes. */
export function connectionNotes(campaign: Campaign, { groups }: CampaignResults): string[] {
  const cold = groups.flatMap((group) => {
    const words = differingConnections(group);
    const site = campaign.sites.find(({ id }) => id === group.siteId)?.name ?? '';
    return words === null ? [] : [{ site, words }];
  });
  if (cold.length === 0) return [];
  const why =
    campaign.spec.browser === 'none'
      ? 'Cold, Go’s HTTP/2 client dials for each of many first requests, and its HTTP/3 client once'
      : 'Chrome opens up to six connections to a host over HTTP/1.1, and one over HTTP/2 and HTTP/3';
  return [
    wrap(
      `${why}: ${cold.map(({ site, words }) => `${site} ${words}`).join('; ')}. ` +
        'So what differs there is the number of handshakes, not what a protocol makes of requests; the warm view tells that.',
    ),
  ];
}
