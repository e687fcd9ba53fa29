// What the queue's answers take with a thousand campaigns and a million rounds in it, beside ten campaigns and ten thousand rounds.
// Takes 1 minute. node bench service/lease [CAMPAIGNS, default 1000] [ROUNDS OF EACH, default 1000]
import { randomUUID } from 'node:crypto';
import { sampleRegistration } from '../../packages/api/src/testing/samples.ts';
import { percentiles, ratios, repeated } from '../shared/figures.ts';
import { Service } from '../shared/service.ts';

const [campaigns = 1000, roundsEach = 1000] = process.argv.slice(2).map(Number);
const smallCampaigns = Math.min(10, campaigns);
const priorities = ['interactive', 'ci', 'schedule'] as const;

const small = await timesOf(smallCampaigns);
const large = await timesOf(campaigns);
console.log(`${campaigns} campaigns of ${roundsEach} rounds, beside ${smallCampaigns}`);
for (const [what, took] of large) {
  console.log(
    `${what.padEnd(31)} ${percentiles(took)}; beside ${percentiles(small.get(what) ?? [])}; ${ratios(took, small.get(what) ?? [])}`,
  );
}

/** Milliseconds by request. */
async function timesOf(count: number): Promise<Map<string, number[]>> {
  await using service = await Service.start();
  const { client } = service;
  const ids: string[] = [];
  const took = new Map<string, number[]>();
  took.set(
    'submit',
    await repeated(count, async (index) => {
      const isEven = index % 2 === 0;
      const { body } = await client.ask('POST /campaigns', {
        body: {
          sites: [{ url: `https://site-${index}.example/` }],
          conditions: isEven ? ['native', '4g'] : ['native'],
          rounds: isEven ? Math.ceil(roundsEach / 2) : roundsEach,
          priority: priorities[index % 3] ?? 'ci',
          ...(index % 5 === 0 ? { location: 'fra' } : {}),
        },
      });
      ids.push(body.id);
    }),
  );
  const runners = Array.from({ length: 64 }, (_, index) => sampleRegistration(`runner-${index}`, { location: index % 3 ? null : 'fra' }));
  for (const runner of runners) await client.ask('POST /runners', { body: runner });
  const times = Math.min(1000, (count * roundsEach) / 4);
  let last = '';
  took.set(
    'lease by 64 registered runners',
    await repeated(times, async (index) => {
      const { name = '', instance = '' } = runners[index % runners.length] ?? {};
      const { body: lease } = await client.ask('POST /leases', { body: { runner: name, instance } });
      last = lease?.id ?? last;
    }),
  );
  took.set('lease by another runner', await repeated(times, () => client.ask('POST /leases', { body: { runner: randomUUID() } })));
  took.set('heartbeat', await repeated(times, () => client.ask('POST /leases/{id}/heartbeat', { id: last })));
  took.set(
    'place of a campaign',
    await repeated(200, (index) => client.ask('GET /campaigns/{id}/queue', { id: ids[index % ids.length] ?? '' })),
  );
  took.set('depths', await repeated(200, () => client.ask('GET /queue', {})));
  return took;
}
