// Whatever runners, users and the clock do, in whatever order, through two api processes on one database: no finished round is lost, no slot
// of a round counts twice, and every round goes to who can perform it, in the order of the rule.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { type RandomSource, randomSource } from '@pronghorn/core/math';
import { needsShaping } from '@pronghorn/core/network';
import { type Lease, priorities, type RunnerRegistration, type VisitUpload } from '@pronghorn/core/schemas';
import { samples } from '@pronghorn/core/testing';
import { isolations } from '@pronghorn/core/vocabulary';
import { ProblemError } from '../../../shared/problems.ts';
import { ownCaller } from '../../../store/caller.ts';
import { isAble } from '../../../tables/queue-entries-repository.ts';
import { invalidOutcome, sampleRegistration, sampleVisit } from '../../../testing/samples.ts';
import { stores } from '../../../testing/stores.ts';
import { type TestApi, testApi, testFolder } from '../../../testing/test-api.ts';
import { urgencyOf } from './place-in-queue.ts';

const protocols = ['h2', 'h3'] as const;
const agingMs = 60_000;

/** What must be so by what the queue has answered up to now. */
type Expectation = {
  leases: Lease[];
  /** By lease: every upload that was answered as stored. */
  stored: Map<string, VisitUpload[]>;
  /** By round: the lease that finished it. */
  finishedBy: Map<string, string>;
};

const able = { engines: ['puppeteer' as const], browsers: ['chrome' as const] };
/** They differ in what they can do; the last one can do nothing at all. */
const runners: RunnerRegistration[] = [
  sampleRegistration('shaping', { location: 'fra', capabilities: { ...able, backends: ['netem'], isolations: [...isolations] } }),
  sampleRegistration('plain', { location: 'fra', capabilities: { ...able, backends: ['direct'] } }),
  sampleRegistration('elsewhere', { capabilities: { ...able, backends: ['guest'], isolations: ['container'] } }),
  sampleRegistration('unable', { capabilities: { engines: [], browsers: [], backends: [] } }),
];

const bothStores = Object.entries(stores);
for (const seed of Array.from({ length: samples(3, 12) }, (_, index) => index)) {
  const [store, threads] = bothStores[seed % bothStores.length] ?? [];
  test(`${store}: random doings, seed ${seed}`, async (t) => {
    const database = join(testFolder(t), 'pronghorn.db');
    const queue = { agingMs, turnMs: seed % 2 ? 30_000 : 0 };
    const results = { ahead: false }; // nobody reads them here, and a thread would have to start for each
    const one = await testApi(t, { database, queue, results, ...threads });
    const other = await testApi(t, { database, queue, results, ...threads, now: () => one.clock.now });
    const apis = [one, { ...other, clock: one.clock }];
    const api = one;
    const random = randomSource(seed);
    const expected: Expectation = { leases: [], stored: new Map(), finishedBy: new Map() };
    for (const [index, rounds] of [3, 4].entries())
      await api.campaign({
        protocols: [...protocols],
        rounds,
        sites: [{ url: 'https://a.example/' }, { url: 'https://b.example/' }],
        priority: priorities[(index + seed) % 3] ?? 'ci',
        ...(index === 0 ? { conditions: ['latency-50'] } : {}),
        ...(index === 1 && seed % 3 === 0 ? { location: 'fra' } : {}),
        ...(index === 1 && seed % 3 === 1 ? { isolation: 'container' } : {}),
      });
    for (const runner of runners) await api.post('/runners', runner);

    for (let step = 0; step < 250; step++) {
      await doSomething(apis[Math.floor(random() * 2)] ?? api, expected, random, queue.turnMs);
      check(api, expected);
    }
    await finishAll(api, expected);
    check(api, expected);
    for (const id of ['1', '2']) assert.equal(api.app.tables.campaigns.find(id)?.state, 'done');
    const rounds = [...api.app.tables.rounds.page(1, null, everything).items, ...api.app.tables.rounds.page(2, null, everything).items];
    assert.ok(rounds.every(({ state, id }) => (state === 'done' ? expected.finishedBy.has(id) : state === 'cancelled')));
    assert.ok(expected.finishedBy.size >= 8, `only ${expected.finishedBy.size} rounds were finished`);
  });
}

const everything = { limit: 1000, cursor: null };
const pick = <T>(items: readonly T[], random: RandomSource): T | undefined => items[Math.floor(random() * items.length)];

/** A refusal is a fine answer; anything else thrown is a bug. @returns whether it was done. */
async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    assert.ok(error instanceof ProblemError, String(error));
    return false;
  }
}

async function doSomething(api: TestApi, expected: Expectation, random: RandomSource, turnMs: number): Promise<void> {
  const { queue, store } = api.app;
  const lease = pick(expected.leases, random);
  const dice = random();
  if (dice < 0.16 || !lease) {
    const granted =
      random() < 0.3
        ? await queue.lease({ runner: `runner ${Math.floor(random() * 3)}` })
        : await leaseByRule(api, pick(runners, random), turnMs);
    if (granted) expected.leases.push(granted);
  } else if (dice < 0.22) api.clock.now += Math.floor(random() * 50_000);
  else if (dice < 0.28) await attempt(() => store.queue.heartbeat(lease.id));
  else if (dice < 0.66) await upload(api, expected, random, lease);
  else if (dice < 0.86) {
    if (await attempt(() => queue.complete(lease.id))) expected.finishedBy.set(lease.round.id, lease.id);
  } else if (dice < 0.92) await attempt(() => queue.release(lease.id, { reason: 'told to' }));
  else if (dice < 0.94) await queue.reclaim({ runner: `runner ${Math.floor(random() * 3)}` });
  else await (dice < 0.95 ? store.campaigns.cancel(lease.round.campaignId, ownCaller) : queue.resume(lease.round.campaignId, ownCaller));
}

/** What is lent is what the rule says, told here in another way than the queue's. */
async function leaseByRule({ app, clock }: TestApi, runner: RunnerRegistration | undefined, turnMs: number): Promise<Lease | null> {
  assert.ok(runner);
  const { name, instance } = runner;
  // Whoever asks makes lost what has run out, and the runner gives back what it has: then nothing moves any more.
  const unable = runners.at(-1);
  assert.equal(await app.queue.lease({ runner: unable?.name ?? '', instance: unable?.instance ?? '' }), null);
  for (const { id } of app.tables.leases.heldBy(app.tables.runners.named(name)?.id ?? 0))
    await app.queue.release(id, { reason: 'before it asks' });
  const waiting = app.tables.queueEntries.waiting().filter((entry) => isAble(runner, entry));
  const firstQueued = new Map(waiting.map(({ campaignId }) => [campaignId, app.tables.rounds.nextQueued(campaignId)?.id]));
  const granted = await app.queue.lease({ runner: name, instance });
  if (granted === null) {
    assert.deepEqual(waiting, [], `runner ${name} got nothing`);
    return null;
  }
  const { round, spec } = granted;
  const entry = waiting.find(({ campaignId }) => String(campaignId) === round.campaignId);
  assert.ok(entry, `runner ${name} got a round of campaign ${round.campaignId}, which it cannot perform`);
  assert.equal(round.id, String(firstQueued.get(entry.campaignId)), 'a campaign’s rounds are lent in its own order');
  assert.ok(
    !spec.conditions.some(needsShaping) || runner.capabilities.backends.some((backend) => backend === 'netem' || backend === 'guest'),
  );
  const urgency = (one: typeof entry) => urgencyOf(one, clock.now, agingMs);
  const rivals = waiting.filter((one) => urgency(one) <= urgency(entry));
  assert.ok(
    rivals.every((one) => urgency(one) === urgency(entry)),
    'something more urgent waited',
  );
  if (turnMs === 0) assert.ok(entry.leased <= Math.min(...rivals.map(({ leased }) => leased)), 'another campaign had fewer leased rounds');
  return granted;
}

/** Sends a new visit, or, now and then, one that was sent before. */
async function upload(api: TestApi, expected: Expectation, random: RandomSource, lease: Lease): Promise<void> {
  const before = expected.stored.get(lease.id) ?? [];
  const again = random() < 0.3 ? pick(before, random) : undefined;
  const slot = Math.floor(random() * protocols.length);
  const visit =
    again ??
    sampleVisit(lease, slot, {
      id: randomUUID(),
      position: before.length,
      ...(random() < 0.2 ? invalidOutcome(random() < 0.5 ? 'busy-machine' : 'load-timeout') : {}),
    });
  const done = await attempt(async () => assert.equal(await api.app.store.queue.upload(lease.id, visit), again ? 'same' : 'new'));
  assert.ok(done || !again, 'a visit that is stored was refused when it was sent again');
  if (done && !again) expected.stored.set(lease.id, [...before, visit]);
}

/** Runners that do as they should finish what is left. */
async function finishAll(api: TestApi, expected: Expectation): Promise<void> {
  const { queue, store } = api.app;
  for (const id of ['1', '2']) await queue.resume(id, ownCaller);
  api.clock.now += 60_000;
  const last = { runner: 'shaping', instance: runners[0]?.instance ?? '' };
  for (let lease = await queue.lease(last); lease; lease = await queue.lease(last)) {
    const visits = protocols.map((_, slot) => sampleVisit(lease as Lease, slot));
    for (const visit of visits) await store.queue.upload(lease.id, visit);
    expected.stored.set(lease.id, visits);
    await queue.complete(lease.id);
    expected.finishedBy.set(lease.round.id, lease.id);
  }
}

/** The visits that are stored, and those that count, are exactly the ones that the answers promised. */
function check(api: TestApi, { stored, finishedBy }: Expectation): void {
  for (const campaignId of [1, 2]) {
    const rounds = api.app.tables.rounds.page(campaignId, null, everything).items;
    const { queued, leased } = api.app.tables.queueEntries.find(campaignId) ?? {};
    const count = (state: string) => rounds.filter((round) => round.state === state).length;
    assert.deepEqual({ queued, leased }, { queued: count('queued'), leased: count('leased') });
  }
  const visits = ['1', '2'].flatMap(
    (id) =>
      api.app.tables.visits.page(Number(id), { siteId: null, condition: null, protocol: null, view: null, verdict: null }, everything)
        .items,
  );
  assert.deepEqual(
    visits.map(({ id }) => id).sort(),
    [...stored.values()]
      .flat()
      .map(({ id }) => id)
      .sort(),
  );

  const counting = [...finishedBy.values()].flatMap((lease) =>
    [...Map.groupBy(stored.get(lease) ?? [], ({ slot }) => slot).values()].flatMap(
      (ofSlot) => ofSlot.filter(isTelling).sort((a, b) => a.position - b.position)[0]?.id ?? [],
    ),
  );
  assert.deepEqual(
    visits
      .filter(({ counted }) => counted)
      .map(({ id }) => id)
      .sort(),
    counting.sort(),
  );
  for (const [round] of finishedBy) assert.equal(api.app.tables.rounds.find(Number(round))?.state, 'done');
}

/** No failure of the measurement itself: it counts, as values or as a failure. */
const isTelling = ({ outcome }: VisitUpload): boolean => outcome.verdict === 'valid' || outcome.reason === 'load-timeout';
