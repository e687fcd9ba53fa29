// 23 real pages with their third-party hosts over h1, h2 and h3: shares of valid visits, of those with a SpeedIndex
// and of objects over HTTP/3, and why visits are invalid and comparisons doubted.
// Takes 4 minutes a round. node bench pages/real-pages [ROUNDS, default 3] [PACKAGE…]; brings the pages by npm and apt-get.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalHost } from '../../nginx/src/index.ts';
import type { LocalService } from '../../packages/cli/src/connection/local-service.ts';
import { openLocal } from '../../packages/cli/src/local/scene.ts';
import { measure } from '../../packages/cli/src/measure/measure.ts';
import { dataFolder } from '../../packages/cli/src/program/files.ts';
import type { Campaign, CampaignRequest, CellResults, Condition } from '../../packages/core/src/schemas/index.ts';
import { metricOf } from '../../packages/core/src/vocabulary/index.ts';
import { realPages, rootOf } from '../shared/real-pages.ts';
import { hostsNamedBy, startThirdParties } from '../shared/third-parties.ts';

const [rounds = '3', ...names] = process.argv.slice(2);
const chosen = realPages.filter((page) => names.length === 0 || names.includes(page.package));
const own = new Map<string, LocalHost>();
const sites = chosen.map((page) => {
  const root = rootOf(page);
  const name = `${page.package.replaceAll(/[^a-z0-9]+/g, '-')}.folder.pronghorn.test`;
  own.set(name, { name, serves: { folder: root } });
  return { page, named: hostsNamedBy(root, page.page), url: `https://${name}${page.page}`, name: `${page.package}${page.page}` };
});
const { hosts: others, server } = await startThirdParties(sites.flatMap(({ named }) => named));
const hosts = [...own.values(), ...others];
const folder = await mkdtemp(join(tmpdir(), 'pronghorn-pages-'));
const options = {
  data: dataFolder(folder),
  exports: {},
  verbose: true,
  keepEvidence: false,
  link: { choice: 'auto' as const, allowNet: [], congestionControl: 'cubic' },
};
try {
  const request: CampaignRequest = {
    name: 'Real pages',
    sites: sites.map(({ url, name }) => ({ url, name })),
    rounds: Number(rounds),
    // Other programs' CPU time makes no visit invalid: it is not the subject here.
    limits: { retries: 0, foreignCpuShare: 1 },
  };
  const setScene = async (conditions: readonly Condition[]) => ({
    request,
    print,
    ...(await openLocal(conditions, options, { hosts, outside: false, world: false })),
  });
  process.exitCode = await measure({ conditions: { list: ['native'], baseRttMs: undefined }, setScene }, options);
} finally {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
}

interface Row {
  page: string;
  from: string;
  requests: number;
  failed: number;
  hosts: number;
  kB: number;
  h1: string;
  h2: string;
  h3: string;
  SpeedIndex: string;
  doubts: string;
  'over h3': string;
}

/** Doubts of h3 against h2 that the page makes, rather than the number of rounds. */
function doubtsOf(cell: CellResults | undefined): string[] {
  const compared = cell?.comparisons.filter(({ candidate, baseline }) => candidate === 'h3' && baseline === 'h2') ?? [];
  return [...new Set(compared.flatMap(({ verdict }) => verdict.doubts.map(({ doubt }) => doubt)))];
}

async function print(service: LocalService, campaign: Campaign): Promise<number> {
  const visits = await Array.fromAsync(service.visits(campaign.id));
  const rows: Row[] = [];
  const lines: string[] = [];
  const { cells } = await service.results(campaign.id);
  for (const { id, name } of campaign.sites) {
    const of = visits.filter(({ siteId }) => siteId === id);
    const share = (protocol: string) => {
      const some = of.filter((visit) => visit.protocol === protocol);
      return `${some.filter(({ outcome }) => outcome.verdict === 'valid').length}/${some.length}`;
    };
    for (const { protocol, outcome } of of) {
      if (outcome.verdict !== 'valid') lines.push(`${name} ${protocol}: ${outcome.reason}: ${outcome.detail}`);
    }
    const valid = of.filter(({ outcome }) => outcome.verdict === 'valid');
    const chosen = of.findLast(({ protocol, outcome }) => protocol === 'h3' && outcome.verdict === 'valid') ?? of.at(-1);
    const resources = chosen === undefined ? [] : await service.resources(chosen.id);
    for (const { url, failure } of resources) if (failure !== null) lines.push(`${name} ${chosen?.protocol}: object ${url}: ${failure}`);
    const answered = resources.filter(({ status, url }) => status !== null && url.startsWith('https:'));
    rows.push({
      page: name,
      from: sites.find((site) => site.name === name)?.page.from ?? '',
      requests: resources.length,
      failed: resources.filter(({ failure }) => failure !== null).length,
      hosts: new Set(answered.map(({ url }) => new URL(url).host)).size,
      kB: Math.round(resources.reduce((sum, { transferBytes }) => sum + transferBytes, 0) / 1_000),
      h1: share('h1'),
      h2: share('h2'),
      h3: share('h3'),
      SpeedIndex: `${valid.filter(({ outcome, watchedEqually = true }) => watchedEqually && 'metrics' in outcome && metricOf(outcome.metrics, 'speedIndex') !== null).length}/${valid.length}`,
      doubts: doubtsOf(cells.find(({ siteId }) => siteId === id)).join(', '),
      'over h3': `${Math.round((100 * answered.filter(({ protocol }) => protocol === 'h3').length) / Math.max(1, answered.length))} %`,
    });
  }
  console.table(rows);
  for (const line of new Set(lines)) console.log(line);
  const invalid = visits.filter(({ outcome }) => outcome.verdict !== 'valid').length;
  console.log(
    `${visits.length} visits of ${sites.length} pages and ${hosts.length} hosts: ${invalid} invalid (${((100 * invalid) / Math.max(1, visits.length)).toFixed(1)} %).`,
  );
  return 0;
}
