// kill -9 of the api and of runners at 30 moments of a campaign of 180 rounds: what was acknowledged is there, once, and every round is whole.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { randomSource } from '@pronghorn/core/math';
import { openDatabase } from '../../../api/src/storage/database.ts';
import { openWorld, type Speaking } from './world.ts';

const rounds = 180;
const kills = 30;
const names = ['first', 'second'];

test('nothing acknowledged is lost and nothing counts twice, however often api and runners are killed', { timeout: 300_000 }, async (t) => {
  const acknowledged = new Set<string>();
  let stored = 0;
  let heard = () => {};
  const world = await openWorld(t, (line) => {
    const [word, what, id = ''] = line.split(' ');
    if (word !== 'stored' || what !== 'visit') return;
    acknowledged.add(id);
    stored += 1;
    heard();
  });
  let api = await world.startApi();
  await world.submit(rounds);
  const runners = new Map<string, Speaking>(names.map((name) => [name, world.startRunner(name)]));

  // The seed says after how many visits, how many milliseconds later, and who.
  const random = randomSource(50);
  let killed = { api: 0, runner: 0 };
  for (let kill = 0; kill < kills; kill++) {
    const until = stored + Math.floor(random() * 14);
    while (stored < until && (await world.campaign()).state !== 'done') {
      await new Promise<void>((resolve) => {
        heard = resolve;
      });
    }
    await delay(random() * 60);
    if (random() < 0.5) {
      await api.kill();
      api = await world.startApi();
      killed = { ...killed, api: killed.api + 1 };
    } else {
      const name = names[Math.floor(random() * names.length)] ?? '';
      await runners.get(name)?.kill();
      runners.set(name, world.startRunner(name));
      killed = { ...killed, runner: killed.runner + 1 };
    }
  }
  assert.notEqual((await world.campaign()).state, 'done', 'the campaign was over before the last kill');
  while ((await world.campaign()).state !== 'done') {
    await Promise.race([
      delay(1000),
      new Promise<void>((resolve) => {
        heard = resolve;
      }),
    ]);
  }
  for (const runner of runners.values()) runner.child.kill('SIGTERM');
  await Promise.all([...runners.values()].map(({ ended }) => ended));

  assert.ok(killed.api > 9 && killed.runner > 9, JSON.stringify(killed));
  const all = await world.rounds();
  assert.equal(all.length, rounds);
  assert.deepEqual(
    all.filter(({ state }) => state !== 'done'),
    [],
  );
  const visits = await world.visits();
  const ids = new Set(visits.map(({ id }) => id));
  assert.equal(ids.size, visits.length);
  assert.deepEqual(
    [...acknowledged].filter((id) => !ids.has(id)),
    [],
    'visits that were acknowledged are not there',
  );
  // Every slot of every round counts once, and of the attempt that finished the round.
  const counted = visits.filter((visit) => visit.counted);
  assert.equal(counted.length, 2 * rounds);
  const places = new Set(counted.map(({ roundId, slot }) => `${roundId} ${slot}`));
  assert.equal(places.size, 2 * rounds);
  const attemptOf = new Map(all.map(({ id, attempt }) => [id, attempt]));
  assert.deepEqual(
    counted.filter(({ roundId, attempt }) => attemptOf.get(roundId) !== attempt),
    [],
  );
  const { cells } = await world.ask('GET /campaigns/{id}/results', { id: '1' });
  assert.deepEqual(
    cells.flatMap(({ slots }) => slots.map(({ valid }) => valid)),
    [rounds, rounds],
  );
  api.child.kill('SIGTERM');
  await api.ended;
  const database = openDatabase(world.database);
  assert.equal(database.pragma('integrity_check', { simple: true }), 'ok');
  assert.deepEqual(database.pragma('foreign_key_check'), []);
  assert.deepEqual(database.prepare('SELECT queued, leased FROM campaign_progress').all(), [{ queued: 0, leased: 0 }]);
  database.close();
  t.diagnostic(`${killed.api} kills of the api, ${killed.runner} of runners; ${visits.length} visits stored, ${counted.length} counted`);
});
