// What a campaign that goes on until it is settled needs next is decided beside the queue's transactions: whatever happens meanwhile.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sampleMetrics, sampleVisit } from '../../../testing/samples.ts';
import { type TestApi, testApi, testFolder } from '../../../testing/test-api.ts';

/** Two api processes on one file, with a campaign whose rounds show no difference: it gets 5 rounds more at its first look. */
async function two(t: TestContext): Promise<[TestApi, TestApi]> {
  const database = join(testFolder(t), 'pronghorn.db');
  const one = await testApi(t, { database });
  const other = await testApi(t, { database, now: () => one.clock.now });
  await one.campaign({ protocols: ['h2', 'h3'], rounds: 10, maximumRounds: 60 });
  return [one, other];
}

/** ln of the ratio of a round: 5 to 10 % to either side. */
const unlike = (round: number) => (round % 2 === 0 ? 1 : -1) * (0.05 + round / 200);

/** @returns the status of the answer to the last round's completion. */
async function perform(api: TestApi, rounds: number, logRatio = unlike): Promise<number> {
  let status = 0;
  for (let done = 0; done < rounds; done++) {
    const lease = await api.lease();
    for (const slot of lease.spec.protocols.keys()) {
      const onLoad = slot === 0 ? 200 : 200 * Math.exp(logRatio(lease.round.number));
      await api.upload(
        lease,
        sampleVisit(lease, slot, {
          outcome: { verdict: 'valid', metrics: sampleMetrics({ onLoad }) },
          link: { refused: [], receiveDrops: 0 },
        }),
      );
    }
    status = (await api.complete(lease)).status;
  }
  return status;
}

const progressOf = async (api: TestApi) => (await api.get('/campaigns/1')).body.progress.rounds;
/** As a process that is killed between its two transactions. */
const die = (api: TestApi) => {
  api.app.results.roundsToAdd = () => Promise.reject(new Error('The process was killed.'));
};

test('whoever completes the last round has its answer when others are there', async (t) => {
  const [one] = await two(t);
  assert.equal(await perform(one, 10), 204);
  assert.equal(await progressOf(one), 15);
  assert.equal((await one.lease()).round.number, 11);
});

test('a campaign whose last look would hardly settle it is done at an earlier one', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2', 'h3'], rounds: 10, maximumRounds: 15 });
  const noise = [-0.3, 0.31, -0.1, 0.12, -0.5, 0.49, -0.21, 0.2, -0.4, 0.42];
  await perform(api, 10, (round) => noise[round - 1] ?? 0);
  const { state, progress } = (await api.get('/campaigns/1')).body;
  assert.deepEqual([state, progress.rounds], ['done', 10]);
});

test('what a process that died left undecided is decided by whoever asks for a round next', async (t) => {
  const [one, other] = await two(t);
  die(one);
  assert.equal(await perform(one, 10), 204, 'the round is stored');
  assert.deepEqual([await progressOf(other), (await other.get('/campaigns/1')).body.state], [10, 'running']);
  assert.equal((await other.lease()).round.number, 11);
  assert.equal(await progressOf(other), 15);
});

test('a campaign that cannot be decided holds up neither whoever asks for a round nor the campaigns after it', async (t) => {
  const [one, other] = await two(t);
  die(one);
  await perform(one, 10);
  await one.campaign({ protocols: ['h2', 'h3'], rounds: 10, maximumRounds: 60 });
  await perform(one, 10);
  const { roundsToAdd } = other.app.results;
  other.app.results.roundsToAdd = (id) => (id === 1 ? Promise.reject(new Error('A visit fits no slot.')) : roundsToAdd(id));
  const { round } = await other.lease();
  assert.deepEqual([round.campaignId, round.number], ['2', 11]);
  assert.equal(await progressOf(one), 10);
});

test('no round is lent to who asked for one and did not wait until it was decided', async (t) => {
  const [one, other] = await two(t);
  die(one);
  await perform(one, 10);
  const { app } = other;
  const { roundsToAdd } = app.results;
  const deciding = Promise.withResolvers<void>();
  const gone = new Promise<void>((resolve) => app.server.on('connection', (socket) => socket.once('close', () => resolve())));
  app.results.roundsToAdd = async (id) => {
    deciding.resolve();
    await gone;
    return roundsToAdd(id);
  };
  const asking = t.mock.method(app.queue, 'lease');
  const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/api/v1/leases`;
  const leaving = new AbortController();
  const headers = { 'content-type': 'application/json' };
  const asked = fetch(url, { method: 'POST', body: JSON.stringify({ runner: 'runner' }), headers, signal: leaving.signal });
  await deciding.promise;
  leaving.abort();
  await assert.rejects(asked, { name: 'AbortError' });
  assert.equal(await asking.mock.calls[0]?.result, null);
  assert.equal(await progressOf(other), 15);
  assert.equal((await other.lease()).round.attempt, 1);
});

test('a service that starts decides what was left undecided', async (t) => {
  const [one, other] = await two(t);
  die(one);
  await perform(one, 10);
  await other.app.queue.decideLeft();
  assert.equal(await progressOf(other), 15);
  await other.app.queue.decideLeft();
  assert.equal(await progressOf(other), 15);
});

test('what two processes decide at the same time is done once, and what was decided too late not at all', async (t) => {
  const [one, other] = await two(t);
  die(one);
  await perform(one, 10);
  const decidedEarly = await other.app.results.roundsToAdd(1);
  assert.equal(decidedEarly?.rounds.length, 5);
  let asked = 0;
  // Until this one is ready the other process has added the rounds, and runners have performed them.
  one.app.results.roundsToAdd = async () => {
    if (asked++ === 0) await other.app.queue.decideLeft();
    return decidedEarly;
  };
  await one.app.queue.decide([1]);
  assert.deepEqual([asked, await progressOf(one)], [1, 15]);
  die(other);
  await perform(other, 5);
  assert.equal(await one.app.store.queue.goOn(1, decidedEarly), false, 'it is of other results');
  assert.equal(await progressOf(one), 15);
});

test('a campaign that is cancelled while it is looked at stays as it is, and is decided when it is resumed', async (t) => {
  const [one, other] = await two(t);
  const { roundsToAdd } = one.app.results;
  one.app.results.roundsToAdd = async (campaignId) => {
    const next = await roundsToAdd(campaignId);
    await other.post('/campaigns/1/cancel');
    return next;
  };
  assert.equal(await perform(one, 10), 204);
  assert.deepEqual([await progressOf(one), (await one.get('/campaigns/1')).body.state], [10, 'cancelled']);
  assert.equal((await other.post('/campaigns/1/resume')).body.state, 'running');
  assert.equal(await progressOf(one), 15);
});
