import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Visit } from '@pronghorn/core';
import { sampleVisit } from '../../../testing/samples.ts';
import { type TestApi, testApi } from '../../../testing/test-api.ts';

type Event = { id: string; event: string; data: { id?: string; state?: string; progress?: { visitsValid: number } } };

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

test('streams end when the api is closed, and do not hold it up', async (t) => {
  const api = await testApi(t);
  const url = `${await api.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1/campaigns/1/events`;
  await api.campaign();
  const events = follow(url);
  await next(events, 'progress');
  await api.app.close();
  for (let more = await events.next(); !more.done; more = await events.next());
});
