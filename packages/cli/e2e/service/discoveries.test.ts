// A campaign's discoveries are made once, whoever measures it, and after whatever happened to who made them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { openWorld, stepwise, untilTrue } from './world.ts';

const sites = ['a', 'b', 'c', 'd'].map((name) => ({ url: `https://${name}.example/` }));
/** More loads than any campaign here has. */
const toTheEnd = 1_000;

test('a runner that is killed, and one that comes later, discover nothing a second time', proves('discovery', 'crashes'), async (t) => {
  const world = await openWorld(t);
  await world.startApi();
  await world.submit(3, { sites });
  const killed = world.startRunner('first', { env: stepwise });
  killed.go(10); // two discover each site, and two are its first round
  await killed.says(/^completed/);
  await killed.kill();
  const [again, later] = ['first', 'later'].map((name) => world.startRunner(name, { env: stepwise }));
  for (const runner of [again, later]) await runner?.says(/^leased/);
  for (const runner of [again, later]) runner?.go(toTheEnd);
  await untilTrue(async () => (await world.campaign()).state === 'done', 'the campaign to be done');
  const { items } = await world.ask('GET /campaigns/{id}/discoveries', { id: '1' });
  assert.equal(items.length, sites.length);
});

test('of runners that begin at once, all visits of a site follow the discovery that was first', proves('discovery'), async (t) => {
  const world = await openWorld(t);
  await world.startApi();
  // With four sites and as many runners each starts with another; with one site all start with that.
  await world.submit(4, { sites: sites.slice(0, 1) });
  const runners = ['one', 'two'].map((name) => world.startRunner(name, { env: stepwise }));
  for (const runner of runners) await runner.says(/^leased/);
  for (const runner of runners) runner.go(toTheEnd);
  await Promise.all(runners.map(({ says }) => says(/^completed/)));
  const { items } = await world.ask('GET /campaigns/{id}/discoveries', { id: '1' });
  assert.deepEqual([...new Set((await world.visits()).map(({ discoveryId }) => discoveryId))], [items[0]?.id]);
});
