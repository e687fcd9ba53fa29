// How fast the api answers reads with a million stored visits: percentiles over HTTP while nothing else is asked, while results are being
// computed, and beside them what the same answer took when it was counted and computed in the api's own thread.
// node bench/service/reads.ts [VISITS] [DATABASE, made if it is not there]
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApi } from '../../packages/api/src/app.ts';
import type { Database } from '../../packages/api/src/storage/database.ts';
import { makeDatabase } from '../../packages/api/src/testing/made-database.ts';
import { campaignResults } from '../../packages/core/src/campaign/index.ts';
import { median, quantile } from '../../packages/core/src/math/index.ts';

const visits = Number(process.argv[2] ?? 1_000_000);
const folder = mkdtempSync(join(tmpdir(), 'pronghorn-bench-'));
const database = process.argv[3] ?? join(folder, 'pronghorn.db');
const times = 300;

const nightly = { sites: 10, conditions: 3, rounds: 22 }; // 1,980 visits, as a schedule makes them every night
const large = { campaigns: 1, sites: 100, conditions: 12, rounds: 5 }; // 18,000
const running = { campaigns: 1, sites: 33, conditions: 10, rounds: 20, roundsDone: 15 }; // 14,850

async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function repeated(count: number, work: () => unknown): Promise<number[]> {
  const took: number[] = [];
  for (let i = 0; i < count; i++) took.push(await timed(work));
  return took;
}

const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;

/** How lists and reads counted before triggers did: through all rounds and visits of a campaign. */
function countAsBefore(database: Database, campaignId: string): void {
  database
    .prepare(`SELECT count(*), count(*) FILTER (WHERE state IN ('done', 'cancelled')) FROM rounds WHERE campaignId = ?`)
    .get(campaignId);
  database
    .prepare(
      `SELECT count(*) FILTER (WHERE verdict = 'valid'), count(*) FILTER (WHERE verdict = 'invalid')
       FROM rounds JOIN visits ON visits.roundId = rounds.id AND visits.attempt = rounds.attempt
       WHERE rounds.campaignId = ? AND rounds.state IN ('leased', 'done')`,
    )
    .get(campaignId);
}

try {
  if (!existsSync(database)) {
    const nights = Math.ceil((visits - 32_850) / 1_980);
    const took = await timed(() => makeDatabase(database, [{ campaigns: nights, ...nightly }, large, running]));
    console.log(`made ${nights + 2} campaigns in ${(took / 1000).toFixed(0)} s, ${(statSync(database).size / 1e6).toFixed(0)} MB`);
  }
  const api = await buildApi({ database, evidenceDirectory: join(folder, 'evidence') });
  try {
    const base = `${await api.listen({ host: '127.0.0.1', port: 0 })}/api/v1`;
    const agent = new Agent({ keepAlive: true });
    /** @returns bytes as they came: who draws them decompresses them elsewhere. */
    const get = (path: string) => {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const asked = request(`${base}${path}`, { agent, headers: { 'accept-encoding': 'gzip' } }, (reply) => {
        let bytes = 0;
        reply.on('data', (chunk: Buffer) => (bytes += chunk.length));
        reply.on('end', () => (reply.statusCode === 200 ? resolve(bytes) : reject(new Error(`GET ${path}: ${reply.statusCode}`))));
      });
      asked.on('error', reject).end();
      return promise;
    };
    const stored = api.database.prepare<[], { n: number }>('SELECT count(*) AS n FROM visits').get()?.n ?? 0;
    const ids = api.campaigns
      .page(
        {
          state: null,
          siteId: null,
          url: null,
          search: null,
          branch: null,
          commit: null,
          priority: null,
          createdBy: null,
          createdByKind: null,
          since: null,
          until: null,
        },
        { limit: 1000, cursor: null },
      )
      .items.map(({ id }) => id);
    const [newest = '', larger = '', night = ''] = ids;
    const some = () => ids[2 + Math.floor(Math.random() * (ids.length - 2))] ?? night;
    const resultsBefore = (id: string) => () => {
      const campaign = { id, ...(api.campaigns.findSpec(Number(id)) ?? { spec: undefined as never, sites: [] }) };
      JSON.stringify(campaignResults(campaign, api.visits.ofResults(Number(id)), [], true));
    };
    const reads: [name: string, path: () => string, before?: [() => void, number]][] = [
      // What the machine and the client cost by themselves.
      ['health', () => '/health'],
      ['summary, 1,980 visits', () => `/campaigns/${night}/summary`, [resultsBefore(night), 3]],
      ['summary, 18,000 visits', () => `/campaigns/${larger}/summary`, [resultsBefore(larger), 2]],
      ['summary, running, 14,850 visits', () => `/campaigns/${newest}/summary`, [resultsBefore(newest), 2]],
      ['results, 1,980 visits', () => `/campaigns/${night}/results`, [resultsBefore(night), 3]],
      ['list of 20 campaigns', () => '/campaigns?limit=20', [() => ids.slice(0, 20).map((id) => countAsBefore(api.database, id)), 20]],
      ['list by text and branch', () => '/campaigns?limit=20&search=10%20sites&branch=main'],
      ['any campaign', () => `/campaigns/${some()}`, [() => countAsBefore(api.database, some()), 20]],
      ['100 visits of any campaign', () => `/campaigns/${some()}/visits`],
      ['100 comparisons, 18,000 visits', () => `/campaigns/${larger}/comparisons?confirmatory=true`],
      ['trends of a site, 100 campaigns, h3', () => '/sites/1/trends?protocol=h3&condition=native'],
      ['trends of a site, 100 campaigns, all', () => '/sites/1/trends'],
      ['list of 20 sites', () => '/sites?limit=20'],
    ];
    console.log(`${stored.toLocaleString('en-US')} visits stored`);
    for (const [name, path, before] of reads) {
      const first = await timed(() => get(path()));
      const bytes = await get(path());
      const took = await repeated(times, () => get(path()));
      const beforeMs = before && median(await repeated(before[1], before[0]));
      const ratio = beforeMs === undefined ? '' : `; before ${ms(beforeMs)}, ${(beforeMs / median(took)).toFixed(1)} × as long`;
      const percentiles = `p50 ${ms(median(took))}, p99 ${ms(quantile(took, 0.99))}`;
      console.log(`${name.padEnd(38)} ${percentiles}, first ${ms(first)}, ${(bytes / 1000).toFixed(0)} kB${ratio}`);
    }
    // Results of another campaign are computed meanwhile; one reader asks for summaries, one after the other.
    const others = ids.slice(3, 43);
    const computing = others.reduce((after, id) => after.then(() => get(`/campaigns/${id}/results`)), Promise.resolve(0));
    let [done, took] = [false, [] as number[]];
    computing.then(() => (done = true));
    while (!done) took.push(await timed(() => get(`/campaigns/${larger}/summary`)));
    console.log(
      `summary, 18,000 visits, beside ${others.length} computations  p50 ${ms(median(took))}, p99 ${ms(quantile(took, 0.99))}, of ${took.length}`,
    );
  } finally {
    await api.close();
  }
} finally {
  rmSync(folder, { recursive: true });
}
