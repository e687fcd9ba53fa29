// kill -9 of the api and of runners at moments of a campaign: what was acknowledged is there, once, and every round is whole.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { randomSource } from '@pronghorn/core/math';
import { proves, samples } from '@pronghorn/core/testing';
import { openDatabase } from '../../../api/src/storage/database.ts';
import { openWorld, type Speaking, untilTrue } from './world.ts';

const rounds = samples(20, 180);
const kills = samples(3, 30);
const names = ['first', 'second'];

test('nothing acknowledged is lost and nothing counts twice, however often api and runners are killed', {
  ...proves('crashes'),
  timeout: samples(900_000, 3_600_000),
}, async (t) => {
  const acknowledged = new Set<string>();
  let stored = 0;
  const world = await openWorld(t, (line) => {
    const [word, what, id = ''] = line.split(' ');
    if (word !== 'stored' || what !== 'visit') return;
    acknowledged.add(id);
    stored += 1;
  });
  let api = await world.startApiProcess();
  const campaigns = [await world.submit(rounds)];
  const isDone = async () => (await world.campaign(campaigns.at(-1)?.id)).state === 'done';
  const runners = new Map<string, Speaking>(names.map((name) => [name, world.startRunner(name)]));

  // The seed says after how many visits, how many milliseconds later, and who.
  const random = randomSource(1);
  let killed = { api: 0, runner: 0 };
  for (let kill = 0; kill < kills; kill++) {
    const enough = stored + Math.floor(random() * 14);
    await untilTrue(async () => {
      // Runners that got on while this process did not have work again.
      if (await isDone()) campaigns.push(await world.submit(rounds));
      return stored >= enough;
    }, 'visits to be stored');
    await delay(random() * 60);
    if (random() < 0.5) {
      await api.kill();
      api = await world.startApiProcess();
      killed = { ...killed, api: killed.api + 1 };
    } else {
      const name = names[Math.floor(random() * names.length)] ?? '';
      await runners.get(name)?.kill();
      runners.set(name, world.startRunner(name));
      killed = { ...killed, runner: killed.runner + 1 };
    }
  }
  await untilTrue(isDone, 'the campaign to be done');
  for (const runner of runners.values()) runner.child.kill('SIGTERM');
  await Promise.all([...runners.values()].map(({ ended }) => ended));

  const least = samples(1, 10);
  assert.ok(killed.api >= least && killed.runner >= least, JSON.stringify(killed));
  const found = new Set<string>();
  for (const { id: campaign } of campaigns) {
    const all = await world.rounds(campaign);
    assert.equal(all.length, rounds);
    assert.deepEqual(
      all.filter(({ state }) => state !== 'done'),
      [],
    );
    const visits = await world.visits(campaign);
    assert.equal(new Set(visits.map(({ id }) => id)).size, visits.length);
    for (const { id } of visits) found.add(id);
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
    const { cells } = await world.ask('GET /campaigns/{id}/results', { id: campaign });
    assert.deepEqual(
      cells.flatMap(({ slots }) => slots.map(({ valid }) => valid)),
      [rounds, rounds],
    );
  }
  assert.deepEqual(
    [...acknowledged].filter((id) => !found.has(id)),
    [],
    'visits that were acknowledged are not there',
  );
  api.child.kill('SIGTERM');
  await api.ended;
  const database = openDatabase(world.database);
  assert.equal(database.pragma('integrity_check', { simple: true }), 'ok');
  assert.deepEqual(database.pragma('foreign_key_check'), []);
  assert.deepEqual(
    database.prepare('SELECT queued, leased FROM campaign_progress').all(),
    campaigns.map(() => ({ queued: 0, leased: 0 })),
  );
  database.close();
  t.diagnostic(`${killed.api} kills of the api, ${killed.runner} of runners; ${found.size} visits stored by ${campaigns.length} campaigns`);
});
