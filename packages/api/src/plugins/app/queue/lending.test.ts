// Whose round is lent next.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type CampaignRequest, type Lease, problemType, type RunnerRegistration } from '@pronghorn/core/schemas';
import type { ApiOptions } from '../../../app.ts';
import { sampleRegistration, sampleVisit } from '../../../testing/samples.ts';
import { testApi } from '../../../testing/test-api.ts';

const minute = 60_000;

/** An api with runners that take and finish rounds; each round lasts a second. */
async function yard(t: TestContext, options: Partial<ApiOptions> = {}) {
  const api = await testApi(t, options);
  const instances = new Map<string, string>();
  const ask = (runner: string) => {
    const instance = instances.get(runner);
    return api.post('/leases', { runner, ...(instance === undefined ? {} : { instance }) });
  };
  return {
    ...api,
    ask,
    register: async (name: string, given: Partial<RunnerRegistration> = {}) => {
      const registration = sampleRegistration(name, given);
      instances.set(name, registration.instance);
      const { status, body } = await api.post('/runners', registration);
      assert.ok(status < 300, body.detail);
    },
    /** @returns the name of the campaign whose round it was, or null. */
    perform: async (runner: string): Promise<string | null> => {
      const { status, body } = await ask(runner);
      if (status === 204) return null;
      const lease = body as Lease;
      for (const slot of lease.round.order) await api.upload(lease, sampleVisit(lease, slot));
      api.clock.now += 1000;
      assert.equal((await api.complete(lease)).status, 204);
      return lease.spec.name;
    },
    submit: (name: string, request: Partial<CampaignRequest> = {}) => api.campaign({ name, protocols: ['h2'], rounds: 4, ...request }),
  };
}

async function times<T>(count: number, work: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let i = 0; i < count; i++) results.push(await work());
  return results;
}

test('what a person waits for goes before a pipeline’s, and that before a schedule’s', async (t) => {
  const { submit, perform } = await yard(t);
  await submit('nightly', { priority: 'schedule', rounds: 1 });
  await submit('pipeline', { priority: 'ci', rounds: 2 });
  await submit('person', { rounds: 2 });
  assert.deepEqual(await times(6, () => perform('runner')), ['person', 'person', 'pipeline', 'pipeline', 'nightly', null]);
});

test('a big campaign does not block a small one: campaigns of one priority take turns', async (t) => {
  const { submit, perform, clock } = await yard(t);
  await submit('big', { rounds: 100 });
  assert.equal(await perform('runner'), 'big');
  await submit('small', { rounds: 2 });
  clock.now += 1;
  assert.deepEqual(await times(5, () => perform('runner')), ['big', 'small', 'big', 'small', 'big']);
});

test('runners are shared: the campaign with the fewest leased rounds is served first', async (t) => {
  const { submit, ask } = await yard(t);
  await submit('first', { rounds: 10 });
  await submit('second', { rounds: 10 });
  const names = await times(6, async () => (await ask('one of many')).body.spec.name);
  assert.deepEqual(names, ['first', 'second', 'first', 'second', 'first', 'second']);
});

test('a registered runner stays with a campaign for its turn, and leaves it at once for something more urgent', async (t) => {
  const { submit, perform, register } = await yard(t, { queue: { turnMs: 3000 } });
  await register('runner');
  await submit('first', { priority: 'ci', rounds: 20 });
  await submit('second', { priority: 'ci', rounds: 20 });
  assert.deepEqual(await times(7, () => perform('runner')), ['first', 'first', 'first', 'second', 'second', 'second', 'first']);
  await submit('person', { rounds: 2 });
  assert.deepEqual(await times(4, () => perform('runner')), ['person', 'person', 'second', 'second']);
});

test('a schedule is never starved: with every half hour of waiting it is as urgent as the next priority', async (t) => {
  const { submit, perform, clock } = await yard(t, { queue: { agingMs: 30 * minute } });
  await submit('nightly', { priority: 'schedule', rounds: 3 });
  await submit('people', { rounds: 500 });
  const served = await times(250, async () => {
    clock.now += minute;
    return perform('runner');
  });
  const turns = served.flatMap((name, index) => (name === 'nightly' ? [index] : []));
  assert.equal(turns.length, 3);
  for (const [place, index] of turns.entries()) {
    const waited = index - (place === 0 ? 0 : (turns[place - 1] ?? 0));
    assert.ok(waited >= 55 && waited <= 65, `the ${place + 1}. round of the schedule waited for ${waited} others`);
  }
});

test('a campaign of a location is lent to registered runners there alone', async (t) => {
  const { submit, perform, register } = await yard(t);
  await register('in Frankfurt', { location: 'fra' });
  await register('elsewhere', { location: 'nyc' });
  await register('nowhere');
  await submit('from Frankfurt', { location: 'fra' });
  for (const runner of ['elsewhere', 'nowhere', 'not registered']) assert.equal(await perform(runner), null);
  assert.equal(await perform('in Frankfurt'), 'from Frankfurt');
  await submit('from anywhere');
  assert.equal(await perform('elsewhere'), 'from anywhere');
});

test('a campaign is lent only to who can do all of it, so that no two links mix in its random order', async (t) => {
  const { submit, perform, register } = await yard(t);
  await register('plain', { capabilities: { engines: ['puppeteer'], browsers: ['chrome'], backends: ['direct', 'veth'] } });
  await register('shaping', { capabilities: { engines: ['puppeteer'], browsers: ['chrome'], backends: ['veth', 'guest'] } });
  await register('shell', { capabilities: { engines: ['puppeteer'], browsers: ['headless-shell'], backends: ['direct'] } });
  await submit('emulated', { conditions: ['native', 'latency-50'], rounds: 1 });
  assert.equal(await perform('plain'), null);
  assert.equal(await perform('shaping'), 'emulated');
  await submit('of the shell', { browser: 'headless-shell', rounds: 1 });
  for (const runner of ['plain', 'shaping']) assert.equal(await perform(runner), runner === 'shaping' ? 'emulated' : null);
  assert.equal(await perform('shell'), 'of the shell');
});

test('only a runner that says so is lent a campaign whose visits have a container each, and the others know why nobody takes it', async (t) => {
  const { submit, perform, register, get } = await yard(t);
  const able = { engines: ['puppeteer' as const], browsers: ['chrome' as const], backends: ['direct' as const] };
  await register('of before', { capabilities: able });
  const { id } = await submit('contained', { isolation: 'container', rounds: 1 });
  const why = async (campaign: string) => (await get(`/campaigns/${campaign}/queue`)).body.why;
  assert.match(await why(id), /^No runner that could perform it can give each visit a container: .*--visit-command/);
  for (const runner of ['of before', 'not registered']) assert.equal(await perform(runner), null);
  await register('both', { capabilities: { ...able, isolations: ['context', 'process', 'container'] } });
  assert.equal(await perform('both'), 'contained');
  await submit('process', { isolation: 'process', rounds: 1 });
  assert.equal(await perform('both'), 'process');
});

test('a runner that has containers alone is lent nothing else', async (t) => {
  const { submit, perform, register, get } = await yard(t);
  const sampled = sampleRegistration('').capabilities;
  await register('contained', { capabilities: { ...sampled, isolations: ['container'] } });
  const { id } = await submit('usual', { rounds: 1 });
  assert.equal(await perform('contained'), null);
  assert.match((await get(`/campaigns/${id}/queue`)).body.why, /gives each visit a container: ask for the isolation container/);
});

test('a runner that asks again gives back what it had: an answer that got lost does no harm', async (t) => {
  const { submit, ask, register } = await yard(t);
  await register('runner');
  await submit('campaign', { rounds: 1 });
  const lost = (await ask('runner')).body as Lease;
  const again = (await ask('runner')).body as Lease;
  assert.deepEqual([again.round.id, again.round.attempt], [lost.round.id, 2]);
  assert.equal(again.round.reason, 'Attempt 1 was released: its runner asked for another round');
});

test('who finds nothing is told when to ask again', async (t) => {
  const { ask } = await yard(t, { queue: { idleSeconds: 7 } });
  const { status, headers } = await ask('runner');
  assert.deepEqual([status, headers['retry-after']], [204, '7']);
});

test('a queue takes so many rounds and no more, and says so', async (t) => {
  const { post, perform, submit } = await yard(t, { queue: { maxOpenRounds: 10 } });
  await submit('first', { rounds: 7 });
  const sites = [{ url: 'https://site.example/' }];
  const refused = await post('/campaigns', { sites, rounds: 4 });
  assert.deepEqual([refused.status, refused.body.type, refused.headers['retry-after']], [429, problemType('queue-full'), '60']);
  assert.match(refused.body.detail, /has 4 rounds, 7 rounds of others are queued or leased, and at most 10/);
  await perform('runner');
  assert.equal((await post('/campaigns', { sites, rounds: 4 })).status, 201);
});

test('the depth of the queue is told by priority and location', async (t) => {
  const { submit, ask, get, clock } = await yard(t);
  const first = new Date(clock.now).toISOString();
  await submit('one', { rounds: 3 });
  clock.now += minute;
  await submit('two', { rounds: 2, priority: 'schedule', location: 'fra' });
  await ask('runner');
  assert.deepEqual((await get('/queue')).body.items, [
    {
      priority: 'interactive',
      location: null,
      campaigns: 1,
      queued: 2,
      leased: 1,
      oldestQueuedAt: first,
      longestWaitSince: new Date(clock.now).toISOString(),
    },
    {
      priority: 'schedule',
      location: 'fra',
      campaigns: 1,
      queued: 2,
      leased: 0,
      oldestQueuedAt: new Date(clock.now).toISOString(),
      longestWaitSince: new Date(clock.now).toISOString(),
    },
  ]);
});

test('a campaign is told its place and when it will be done, or why nobody knows', async (t) => {
  const { submit, perform, register, get, post, clock } = await yard(t, { queue: { turnMs: 0 } });
  const placeOf = async ({ id }: { id: string }) => (await get(`/campaigns/${id}/queue`)).body;
  const first = await submit('first', { location: 'fra', rounds: 4, conditions: ['latency-50'] });
  assert.equal((await placeOf(first)).why, 'No runner is alive.');
  await register('elsewhere');
  assert.equal((await placeOf(first)).why, 'No runner at location fra is alive.');
  await register('plain', { location: 'fra', capabilities: { engines: ['puppeteer'], browsers: ['chrome'], backends: ['direct'] } });
  assert.match((await placeOf(first)).why, /^No runner at location fra can put the campaign’s conditions on its link/);
  await register('able', { location: 'fra' });
  assert.equal((await placeOf(first)).why, 'No round was completed yet, so nobody knows how long one takes.');

  assert.equal(await perform('able'), 'first');
  const urgent = await submit('urgent', { rounds: 2 });
  const later = await submit('later', { rounds: 9 });
  const now = clock.now;
  assert.deepEqual(await placeOf(first), {
    roundsLeft: 3,
    position: 0, // it waits since the very moment in which the others came, and none waits longer
    roundsAhead: 5, // both of urgent, and as many of later as it has itself
    roundMs: 1000,
    runnersAble: 1,
    eta: new Date(now + 8000).toISOString(),
    why: null,
  });
  assert.equal((await placeOf(urgent)).runnersAble, 3);
  await post(`/campaigns/${later.id}/cancel`);
  assert.equal((await placeOf(later)).why, 'No round of it is left.');
  assert.equal((await get('/campaigns/77/queue')).status, 404);
});

test('a server gets REST calls from one runner at a time, whatever campaigns ask for it', async (t) => {
  const { register, submit, ask, complete, upload } = await yard(t);
  const capabilities: RunnerRegistration['capabilities'] = {
    ...{ engines: ['puppeteer', 'transaction'], browsers: ['chrome', 'none'], backends: ['netem'] },
  };
  for (const name of ['a', 'b', 'c']) await register(name, { capabilities });
  const calls = (name: string, url: string) => submit(name, { engine: 'transaction', sites: [{ url }], rounds: 1 });
  await calls('first', 'https://api.example/ping');
  await calls('other port', 'https://api.example.:8443/ping');
  await calls('other host', 'https://other.example/');
  const lent = async (runner: string) => {
    const { status, body } = await ask(runner);
    return status === 204 ? null : (body as Lease);
  };
  const [first, second] = [await lent('a'), await lent('b')];
  assert.deepEqual([first?.spec.name, second?.spec.name, await lent('c')], ['first', 'other host', null]);
  // A page of the same host loads nothing, and is lent as ever.
  await submit('page', { sites: [{ url: 'https://api.example/' }], rounds: 1 });
  assert.equal((await lent('c'))?.spec.name, 'page');
  assert.ok(first);
  for (const slot of first.round.order) await upload(first, sampleVisit(first, slot));
  await complete(first);
  assert.equal((await lent('a'))?.spec.name, 'other port');
});
