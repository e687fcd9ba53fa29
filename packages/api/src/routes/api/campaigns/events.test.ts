import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { randomSource } from '@pronghorn/core/math';
import type { Visit } from '@pronghorn/core/schemas';
import { sampleVisit } from '../../../testing/samples.ts';
import { type TestApi, testApi, testFolder } from '../../../testing/test-api.ts';

type Event = { id: string; event: string; data: { id?: string; event?: string; state?: string; progress?: { visitsValid: number } } };

/** Reads events until told to stop. */
async function* follow(url: string, lastEventId?: string): AsyncGenerator<Event> {
  const reply = await fetch(url, lastEventId === undefined ? {} : { headers: { 'last-event-id': lastEventId } });
  assert.equal(reply.headers.get('content-type'), 'text/event-stream');
  let text = '';
  for await (const chunk of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks.filter((each) => !each.startsWith(':'))) {
      const { id = '', event = '', data = '' } = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s)));
      yield { id, event, data: JSON.parse(data) };
    }
  }
}

/** Takes events until one of this kind comes. */
async function next(events: AsyncGenerator<Event>, kind: string): Promise<Event> {
  for (;;) {
    const { value, done } = await events.next();
    assert.ok(!done, 'the stream ended');
    if (value.event === kind) return value;
  }
}

async function visitOneRound(api: TestApi): Promise<Visit[]> {
  const lease = await api.lease();
  const visits = [sampleVisit(lease, 0), sampleVisit(lease, 1)];
  const stored = [];
  for (const visit of visits) stored.push((await api.upload(lease, visit)).body);
  await api.complete(lease);
  return stored;
}

test('visits and progress are told as they come', async (t) => {
  const api = await testApi(t);
  const url = `${await api.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1/campaigns/1/events`;
  await api.campaign({ protocols: ['h2', 'h3'] });
  const events = follow(url);
  assert.deepEqual((await next(events, 'progress')).data, {
    state: 'queued',
    progress: { rounds: 1, roundsDone: 0, visitsValid: 0, visitsInvalid: 0 },
  });
  const [first, second] = await visitOneRound(api);
  assert.equal((await next(events, 'visit')).data.id, first?.id);
  assert.equal((await next(events, 'visit')).data.id, second?.id);
  for (;;) {
    const { data } = await next(events, 'progress');
    if (data.state === 'done') break;
  }
  await events.return(undefined);
});

test('a stream that broke off is taken up after the last event that was read', async (t) => {
  const api = await testApi(t);
  const url = `${await api.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1/campaigns/1/events`;
  await api.campaign({ protocols: ['h2', 'h3'], rounds: 2 });
  const [first, second] = await visitOneRound(api);
  const whole = follow(url, '0');
  const read = await next(whole, 'visit');
  assert.equal(read.data.id, first?.id);
  await whole.return(undefined);
  const missed = await visitOneRound(api);
  const rest = follow(url, read.id);
  for (const visit of [second, ...missed]) assert.equal((await next(rest, 'visit')).data.id, visit?.id);
  await rest.return(undefined);
});

/** What a stream tells of visits and log lines until the campaign is done and nothing is left to tell. */
async function tellings(url: string, lastEventId: string, count: number): Promise<Event[]> {
  const told: Event[] = [];
  const events = follow(url, lastEventId);
  while (told.length < count) {
    const { value, done } = await events.next();
    assert.ok(!done, `the stream ended after ${told.length} of ${count} events`);
    if (value.event !== 'progress') told.push(value);
  }
  await events.return(undefined);
  return told;
}

test('a stream that is cut after any event goes on with the next one: no visit and no line is lost, none is told twice', async (t) => {
  const api = await testApi(t);
  const url = `${await api.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1/campaigns/1/events`;
  await api.campaign({ protocols: ['h2', 'h3'], rounds: 3 });
  await visitOneRound(api);
  await api.post(`/leases/${(await api.lease()).id}/release`, { reason: 'Enough for today.' });
  await visitOneRound(api);
  await visitOneRound(api);

  const names = ({ event, data }: Event) => (event === 'visit' ? 'visit' : data.event);
  const leased = ['round-leased', 'visit', 'visit'];
  const expected = ['campaign-made', ...leased, 'round-leased', 'round-released', ...leased, ...leased, 'campaign-done'];
  const whole = await tellings(url, '0', expected.length);
  assert.deepEqual(whole.map(names), expected);
  assert.equal(new Set(whole.map(({ id }) => id)).size, whole.length);
  for (const [place, { id }] of whole.entries()) {
    assert.deepEqual(await tellings(url, id, whole.length - place - 1), whole.slice(place + 1), `cut after ${id}`);
  }
  const [first, second] = whole;
  const byQuery = follow(`${url}?lastEventId=${first?.id}`);
  assert.deepEqual((await byQuery.next()).value, second);
  await byQuery.return(undefined);
  const byBoth = follow(`${url}?lastEventId=${whole.at(-1)?.id}`, first?.id);
  assert.deepEqual((await byBoth.next()).value, second, 'a browser that comes back sends the header, which is newer');
  await byBoth.return(undefined);
});

test('long histories are told in the order in which they happened', async (t) => {
  const api = await testApi(t);
  const url = `${await api.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1/campaigns/1/events`;
  await api.campaign({ protocols: ['h2', 'h3'], rounds: 120 });
  for (let round = 0; round < 120; round += 1) await visitOneRound(api);
  const rounds = Array.from({ length: 120 }, () => ['round-leased', 'visit', 'visit']).flat();
  const expected = ['campaign-made', ...rounds, 'campaign-done'];
  const told = await tellings(url, '0', expected.length);
  assert.deepEqual(
    told.map(({ event, data }) => (event === 'visit' ? 'visit' : data.event)),
    expected,
  );
});

test('what another process stores is told here too', async (t) => {
  const database = join(testFolder(t), 'pronghorn.db');
  const [here, there] = [await testApi(t, { database }), await testApi(t, { database })];
  const url = `${await here.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1/campaigns/1/events`;
  await there.campaign({ protocols: ['h2', 'h3'] });
  const events = follow(url);
  await next(events, 'progress');
  const [first] = await visitOneRound(there);
  assert.equal((await next(events, 'visit')).data.id, first?.id);
  await events.return(undefined);
});

test('a reader that is cut again and again while visits come, and goes on at another process, misses nothing and hears nothing twice', async (t) => {
  const database = join(testFolder(t), 'pronghorn.db');
  const apis = [await testApi(t, { database }), await testApi(t, { database })];
  const urls = await Promise.all(
    apis.map(async ({ app }) => `${await app.listen({ host: '127.0.0.1', port: 0 })}/api/v1/campaigns/1/events`),
  );
  const [api] = apis as [TestApi, TestApi];
  await api.campaign({ protocols: ['h2', 'h3'], rounds: 25 });
  const writing = (async () => {
    for (let round = 0; round < 25; round += 1) await visitOneRound(api);
  })();

  const random = randomSource(5);
  const told: Event[] = [];
  for (let reader = 0; told.at(-1)?.data.event !== 'campaign-done'; reader += 1) {
    const events = follow(urls[reader % 2] ?? '', told.at(-1)?.id ?? '0');
    for (let left = 1 + Math.floor(random() * 9); left > 0; left -= 1) {
      const { value, done } = await events.next();
      assert.ok(!done);
      if (value.event !== 'progress') told.push(value);
      if (value.data.event === 'campaign-done') break;
    }
    await events.return(undefined);
  }
  await writing;
  const ids = (kind: string) => told.filter(({ event }) => event === kind).map(({ data }) => data.id);
  const stored = async (path: string) => (await api.get(`/campaigns/1/${path}?limit=1000`)).body.items.map(({ id }: { id: string }) => id);
  assert.deepEqual(ids('visit'), await stored('visits'));
  assert.deepEqual(ids('log'), await stored('log'));
});

test('looks of a stream never overlap, however long one takes: nothing is told twice', async (t) => {
  const api = await testApi(t);
  const url = `${await api.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1/campaigns/1/events`;
  await api.campaign({ protocols: ['h2', 'h3'], rounds: 6 });
  const { news } = api.app.store.campaigns;
  let [looks, atOnce, most] = [0, 0, 0];
  t.mock.method(api.app.store.campaigns, 'news', async (...given: Parameters<typeof news>) => {
    [looks, atOnce] = [looks + 1, atOnce + 1];
    most = Math.max(most, atOnce);
    await delay(150); // changes are gathered for 100 ms
    return news(...given).finally(() => {
      atOnce -= 1;
    });
  });
  const following = tellings(url, '0', 20);
  for (let round = 0; round < 6; round += 1) {
    const before = looks;
    await visitOneRound(api);
    // The next round is while this look goes on.
    while (looks === before) await delay(5);
  }
  const ids = (await following).map(({ id }) => id);
  assert.equal(new Set(ids).size, 20);
  assert.ok(looks > 2, `${looks} looks`);
  assert.equal(most, 1);
});

test('a look that fails ends the stream, and nothing else; before the reply it is an error', async (t) => {
  const api = await testApi(t);
  const url = `${await api.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1/campaigns/1/events`;
  await api.campaign({ protocols: ['h2', 'h3'] });
  const events = follow(url);
  await next(events, 'progress');
  const { mock } = t.mock.method(api.app.store.campaigns, 'news', () => Promise.reject(new Error('no room')));
  await visitOneRound(api);
  await assert.rejects(async () => {
    while (!(await events.next()).done);
  });
  assert.equal((await fetch(url)).status, 500);
  mock.restore();
  const again = follow(url, '0');
  await next(again, 'visit');
  await again.return(undefined);
});

test('streams end when the api is closed, and do not hold it up', async (t) => {
  const api = await testApi(t);
  const url = `${await api.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1/campaigns/1/events`;
  await api.campaign();
  const events = follow(url);
  await next(events, 'progress');
  await api.app.close();
  for (let more = await events.next(); !more.done; more = await events.next());
});

test('the stream of a campaign that is deleted ends at once', async (t) => {
  const api = await testApi(t);
  const url = `${await api.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1/campaigns/1/events`;
  await api.campaign();
  const events = follow(url);
  await next(events, 'progress');
  await api.post('/campaigns/1/cancel');
  assert.equal((await next(events, 'progress')).data.state, 'cancelled');
  assert.equal((await api.delete('/campaigns/1')).status, 204);
  assert.equal((await events.next()).done, true);
});
