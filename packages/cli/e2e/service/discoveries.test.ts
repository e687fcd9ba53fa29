// A campaign's discoveries are made once, whoever measures it, and after whatever happened to who made them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openWorld } from './world.ts';

const sites = ['a', 'b', 'c', 'd'].map((name) => ({ url: `https://${name}.example/` }));

test('a runner that is killed and starts again, and one that comes later, discover nothing a second time', async (t) => {
  const world = await openWorld(t);
  await world.startApi();
  await world.submit(3, { sites });
  const killed = world.startRunner('first', { args: ['150'] });
  await killed.says(/^completed/);
  await killed.kill();
  const again = world.startRunner('first', { args: ['20'] });
  await again.says(/^completed/);
  const later = world.startRunner('later', { args: ['20'] });
  await Promise.all([again, later].map(async ({ says }) => await says(/^completed/)));
  const said = [...killed.lines, ...again.lines, ...later.lines];
  assert.equal(said.filter((line) => line.startsWith('stored discovery')).length, sites.length);
});

test('of runners that begin a campaign at once, all visits of a site follow the discovery that was stored first', async (t) => {
  const world = await openWorld(t);
  await world.startApi();
  // With four sites and as many runners each starts with another; with one site all start with that.
  await world.submit(8, { sites: sites.slice(0, 1) });
  const runners = ['one', 'two', 'three'].map((name) => world.startRunner(name, { args: ['200'] }));
  await Promise.all(runners.map(({ says }) => says(/^completed/)));
  const { items } = await world.ask('GET /campaigns/{id}/discoveries', { id: '1' });
  assert.deepEqual([...new Set((await world.visits()).map(({ discoveryId }) => discoveryId))], [items[0]?.id]);
});
