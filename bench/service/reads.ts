// Reads of the service with a million stored visits: each read again and again, beside its first time, and summaries beside computations.
// Takes 3 minutes. node bench service/reads [VISITS, default 1000000]
import { Agent, request } from 'node:http';
import { median } from '../../packages/core/src/math/index.ts';
import { ms, percentiles, ratio, ratios, repeated, timed } from '../shared/figures.ts';
import { Service } from '../shared/service.ts';

const visits = Number(process.argv[2] ?? 1_000_000);
const times = 300;
/** How many campaigns' results are computed while summaries are read. */
const computations = 40;

const nightly = { sites: 10, conditions: 3, rounds: 22 }; // 1,980 visits, as a schedule makes them every night
const large = { campaigns: 1, sites: 100, conditions: 12, rounds: 5 }; // 18,000
const running = { campaigns: 1, sites: 33, conditions: 10, rounds: 20, roundsDone: 15 }; // 14,850
const nights = Math.max(computations + 2, Math.ceil((visits - 32_850) / 1_980));

await using service = await Service.start([{ campaigns: nights, ...nightly }, large, running]);
console.log(`${(nights * 1_980 + 32_850).toLocaleString('en')} visits in ${nights + 2} campaigns`);
const ids = [...service.madeIds].reverse();
const [newest = '', larger = '', night = ''] = ids;
const someId = () => ids[2 + Math.floor(Math.random() * (ids.length - 2))] ?? night;
const agent = new Agent({ keepAlive: true });

const reads: [name: string, path: () => string][] = [
  // The cost of the machine and the client alone.
  ['health', () => '/health'],
  ['summary, 1,980 visits', () => `/campaigns/${night}/summary`],
  ['summary, 18,000 visits', () => `/campaigns/${larger}/summary`],
  ['summary, running, 14,850 visits', () => `/campaigns/${newest}/summary`],
  ['results, 1,980 visits', () => `/campaigns/${night}/results`],
  ['list of 20 campaigns', () => '/campaigns?limit=20'],
  ['list by text and branch', () => '/campaigns?limit=20&search=10%20sites&branch=main'],
  ['any campaign', () => `/campaigns/${someId()}`],
  ['100 visits of any campaign', () => `/campaigns/${someId()}/visits`],
  ['100 comparisons, 18,000 visits', () => `/campaigns/${larger}/comparisons?confirmatory=true`],
  ['trends of a site, one series', () => '/sites/1/trends?protocol=h3&condition=native'],
  ['trends of a site, all', () => '/sites/1/trends'],
  ['list of 20 sites', () => '/sites?limit=20'],
];
await get('/health'); // opens the connection
for (const [name, path] of reads) {
  const first = await timed(() => get(path()));
  const took = await repeated(times, () => get(path()));
  console.log(`${name.padEnd(32)} ${percentiles(took)}; first ${ms(first)}: first ÷ p50 ${ratio(first, median(took))}`);
}

const summary = () => get(`/campaigns/${larger}/summary`);
const alone = await repeated(times, summary);
let isOver = false;
const computing = (async () => {
  for (const id of ids.slice(3, 3 + computations)) await get(`/campaigns/${id}/results`);
  isOver = true;
})();
const beside: number[] = [];
while (!isOver) beside.push(await timed(summary));
await computing;
agent.destroy();
console.log(`summary, 18,000 visits, beside ${computations} computations ${percentiles(beside)}; ${ratios(beside, alone)}`);

/** @returns bytes as transferred; the bench does not decompress them. */
function get(path: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const asked = request(`${service.url}/api/v1${path}`, { agent, headers: { 'accept-encoding': 'gzip' } }, (reply) => {
    let bytes = 0;
    reply.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    reply.on('end', () => (reply.statusCode === 200 ? resolve(bytes) : reject(new Error(`GET ${path}: ${reply.statusCode}`))));
  });
  asked.on('error', reject).end();
  return promise;
}
