// What the statistics of a whole campaign cost: time and peak memory, as its sites grow from 62 to 250 to 1,000. Time is CPU time of the
// whole process, which has one thread for everything, so that other work on the machine takes nothing away from it.
// node bench/statistics/campaign-cost.ts [SITES …]
import { spawnSync } from 'node:child_process';
import { madeCampaign } from '../../packages/core/fixtures/made-campaign.ts';
import { campaignAcross, measure, streamResults } from '../../packages/core/src/campaign/index.ts';
import { type RandomSource, randomSource } from '../../packages/core/src/math/index.ts';
import { presets } from '../../packages/core/src/network/index.ts';
import type { Campaign, PageMetrics, SiteDiscovery } from '../../packages/core/src/schemas/index.ts';
import type { ResultVisit } from '../../packages/core/src/verdict/index.ts';
import { pageMetricNames } from '../../packages/core/src/vocabulary/index.ts';

const [conditionsOf, roundsOf, protocols] = [12, 5, ['h1', 'h2', 'h3'] as const];
const statistics = ['results', 'across'] as const;
type Statistics = (typeof statistics)[number];
type Cost = { visits: number; ms: number; baseBytes: number; peakBytes: number; jsonBytes: number };

/** Times with a heavy tail; shares, counts and bytes such as pages have. */
function madeMetrics(random: RandomSource, siteMs: number): PageMetrics {
  const time = () => (siteMs * (0.8 + 0.4 * random())) / (random() < 0.05 ? 0.4 : 1);
  const metrics = Object.fromEntries(
    pageMetricNames.map((name) => [name, name.endsWith('Share') ? random() : Math.round(time() * 1000) / 1000]),
  ) as PageMetrics;
  return Object.assign(metrics, {
    requests: 20 + Math.floor(random() * 100),
    transferBytes: Math.floor(siteMs * 2000 * random()),
    connections: 1 + Math.floor(random() * 30),
    hosts: 1 + Math.floor(random() * 20),
    failedRequests: 0,
  });
}

function campaignOf(sites: number): Pick<Campaign, 'id' | 'spec' | 'sites'> {
  const conditions = presets.slice(0, conditionsOf);
  if (conditions.length !== conditionsOf) throw new RangeError(`${conditions.length} presets, expected ${conditionsOf}`);
  return madeCampaign({ sites, conditions: [...conditions], protocols: [...protocols], rounds: roundsOf });
}

/** As they come out of a database: one after the other, none kept. */
function* madeVisits({ sites, spec }: Pick<Campaign, 'spec' | 'sites'>): Generator<ResultVisit> {
  const random = randomSource(1);
  for (const { id: siteId } of sites) {
    const siteMs = 200 + 5000 * random() ** 3;
    for (const { name: condition } of spec.conditions) {
      for (let roundNumber = 1; roundNumber <= spec.rounds; roundNumber++) {
        for (const slot of protocols.keys()) {
          const place = { siteId, condition, view: 'cold' as const, roundNumber, slot };
          yield { ...place, verdict: 'valid', metrics: madeMetrics(random, siteMs), receiveDrops: null };
        }
      }
    }
  }
}

function* madeDiscoveries({ id, sites }: Pick<Campaign, 'id' | 'sites'>): Generator<SiteDiscovery> {
  const servers = ['cloudflare', 'gws', 'nginx', 'AkamaiGHost', null];
  const none = {
    redirects: [],
    forced: [],
    objectCoverage: 1,
    byteCoverage: 1,
    failure: null,
    runner: 'made up',
    discoveredAt: '2026-01-01T00:00:00Z',
  };
  for (const [i, site] of sites.entries()) {
    const host = {
      requests: 40,
      transferBytes: 1_000_000,
      protocol: 'h2',
      altSvc: null,
      offersH3: true,
      h3: 'proven' as const,
      probeError: null,
    };
    const hosts = [{ ...host, host: `${new URL(site.url).host}:443`, server: servers[i % servers.length] ?? null }];
    yield { ...none, id: `discovery-${i}`, campaignId: id, siteId: site.id, finalUrl: site.url, hosts };
  }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function measured(sites: number, which: Statistics): Cost {
  const campaign = campaignOf(sites);
  // Making the visits is not what is measured, but happens meanwhile: its time is taken off.
  const making = cpuMs();
  let visits = 0;
  for (const _ of madeVisits(campaign)) visits++;
  const makingMs = cpuMs() - making;
  const baseBytes = process.resourceUsage().maxRSS * 1024;
  const start = cpuMs();
  let jsonBytes = 0;
  let writingMs = 0;
  // What is made is written at once, as a service would; writing is not what is measured either.
  const write = (made: object) => {
    const writing = cpuMs();
    jsonBytes += JSON.stringify(made).length;
    writingMs += cpuMs() - writing;
  };
  if (which === 'results') for (const group of streamResults(measure(campaign, madeVisits(campaign))).groups) write(group);
  else write(campaignAcross(measure(campaign, madeVisits(campaign)), madeDiscoveries(campaign)));
  const ms = cpuMs() - start - makingMs - writingMs;
  return { visits, ms, baseBytes, peakBytes: process.resourceUsage().maxRSS * 1024, jsonBytes };
}

const [mode, ...given] = process.argv.slice(2);
if (mode === '--one') {
  console.log(JSON.stringify(measured(Number(given[0]), given[1] as Statistics)));
} else {
  const sizes = [mode, ...given].filter((size) => size !== undefined).map(Number);
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
  for (const which of statistics) {
    let before: Cost | undefined;
    for (const sites of sizes.length > 0 ? sizes : [62, 250, 1000]) {
      // A process for each: the peak of memory never falls again.
      const { stdout, stderr, status } = spawnSync(
        process.execPath,
        ['--single-threaded', import.meta.filename, '--one', String(sites), which],
        { encoding: 'utf8' },
      );
      if (status !== 0) throw new Error(`${which} of ${sites} sites: ${stderr}`);
      const cost: Cost = JSON.parse(stdout);
      const growth = before
        ? `, ${(cost.ms / before.ms).toFixed(2)} × the time for ${(cost.visits / before.visits).toFixed(2)} × the visits`
        : '';
      const memory = `peak ${megabytes(cost.peakBytes)} (${megabytes(cost.baseBytes)} before), JSON ${megabytes(cost.jsonBytes)}`;
      console.log(`${which.padEnd(8)} ${sites} sites, ${cost.visits} visits: ${cost.ms.toFixed(0)} ms; ${memory}${growth}`);
      before = cost;
    }
  }
}
