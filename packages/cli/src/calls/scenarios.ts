// The seven scenarios of REST calls as one campaign, cold and warm, on this machine or behind the link.
import { differingConnections } from '@pronghorn/core/campaign';
import type { Campaign, CampaignRequest, CampaignResults, CellResults, Condition, Workload } from '@pronghorn/core/schemas';
import { quantityWords } from '@pronghorn/core/text';
import type { LocalService } from '../connection/local-service.ts';
import { openCallsDemo } from '../measure/demo-origin.ts';
import { measure, type Scene } from '../measure/measure.ts';
import type { MeasureOptions } from '../measure/perform.ts';
import { conditionWishes, measureOptions, requestOf } from '../measure/request.ts';
import { printResults } from '../measure/results.ts';
import type { MeasuringOptions } from '../options/measuring.ts';
import { table, wrap } from '../program/terminal.ts';

export async function measureScenarios(options: MeasuringOptions): Promise<number> {
  const makeRequest = requestOf(options);
  const setScene = async (complete: readonly Condition[]): Promise<Scene> => {
    const { callsUrl, ...scene } = await openCallsDemo(complete, measureOptions(options));
    const request = makeRequest(sitesOfScenarios(callsUrl));
    return {
      ...scene,
      request: {
        ...request,
        name: 'Scenarios of REST calls',
        engine: 'transaction',
        views: request.views ?? ['cold', 'warm'],
        // As in the published suite, each protocol opens the connections that its library opens.
        workload: { connections: 'pool', ...request.workload },
      },
      print: printScenarios,
    };
  };
  return await measure({ conditions: conditionWishes(options, ['native']), setScene }, measureOptions(options));
}

async function printScenarios(service: LocalService, campaign: Campaign, options: MeasureOptions): Promise<number> {
  const code = await printResults(service, campaign, options);
  const results = await service.results(campaign.id);
  console.log(`\n${scenarioTable(campaign, results)}`);
  for (const note of connectionNotes(campaign, results)) console.log(`\n${note}`);
  return code;
}

/** Medians of each scenario's runs. Times are response times, including opening connections. */
export function scenarioTable(campaign: Campaign, { cells }: CampaignResults): string {
  const middle = (group: CellResults, slot: number, metric: Parameters<typeof quantityWords>[0]) => {
    const value = group.slots[slot]?.metrics[metric as keyof CellResults['slots'][number]['metrics']]?.median;
    return value == null ? '–' : quantityWords(metric, value);
  };
  return table(
    ['median of the runs', '', '', '', 'requests', 'bytes', 'mean', 'p50', 'p95', 'p99', 'connections', 'client CPU', 'server CPU'],
    cells.flatMap((group) =>
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

/** Where one protocol opened several times the connections of the other, its numbers are mostly handshakes. */
function connectionNotes(campaign: Campaign, { cells }: CampaignResults): string[] {
  const cold = cells.flatMap((group) => {
    const words = differingConnections(group);
    const site = campaign.sites.find(({ id }) => id === group.siteId)?.name ?? '';
    return words === null ? [] : [{ site, words }];
  });
  if (cold.length === 0) return [];
  const why =
    campaign.spec.browser === 'none'
      ? 'Cold, Go’s HTTP/2 client dials for each of many first requests, but its HTTP/3 client once'
      : 'Chrome opens up to six connections to a host over HTTP/1.1, and one over HTTP/2 and HTTP/3';
  return [
    wrap(
      `${why}: ${cold.map(({ site, words }) => `${site} ${words}`).join('; ')}. ` +
        'The difference there is the number of handshakes, not the handling of requests, which the warm view shows.',
    ),
  ];
}

interface Scenario {
  name: string;
  /** The site's path; a query distinguishes scenarios that request the same. */
  path: string;
  workload: Workload;
}

/** Each user sends one request after another; all together send the published number. */
const scenarios: readonly Scenario[] = [
  { name: 'single requests', path: '/ping', workload: { users: 1, requests: 100 } },
  { name: 'high concurrency', path: '/json?users=50', workload: { users: 50, requests: 10 } },
  { name: 'very high concurrency', path: '/json?users=100', workload: { users: 100, requests: 10 } },
  { name: 'many small requests', path: '/data?size=1024', workload: { users: 50, requests: 40 } },
  { name: 'delayed answers', path: '/delay?ms=50', workload: { users: 20, requests: 10 } },
  { name: 'large files', path: `/data?size=${10 * 2 ** 20}`, workload: { users: 1, requests: 20 } },
  {
    name: 'mixed',
    path: '/mixed',
    workload: { users: 10, requests: 20, paths: ['/ping', '/json', `/data?size=${10 * 2 ** 10}`, `/data?size=${100 * 2 ** 10}`] },
  },
];

/** @param origin such as https://calls.pronghorn.test:4433 */
const sitesOfScenarios = (origin: string): CampaignRequest['sites'] =>
  scenarios.map(({ name, path, workload }) => ({ url: new URL(path, origin).href, name, workload }));
