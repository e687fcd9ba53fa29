import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { testApi } from '../../testing/test-api.ts';

type Line = { event?: string; request?: string; trace?: string; status?: number };

async function loggingApi(t: TestContext) {
  const lines: Line[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      for (const line of String(chunk).trim().split('\n')) lines.push(JSON.parse(line));
      done();
    },
  });
  const api = await testApi(t, { logger: { level: 'debug', pretty: false, stream } });
  const ask = (url: string, headers: Record<string, string> = {}) => api.app.inject({ method: 'GET', url, headers });
  const last = () => lines.findLast(({ event }) => event === 'request');
  return { api, ask, last, lines };
}

test('every answer has the id of its line in the log: data, problems, streams, pages', async (t) => {
  const { api, ask, last } = await loggingApi(t);
  const { id } = await api.campaign();
  for (const [url, status, host] of [
    ['/api/v1/health', 200, 'localhost'],
    [`/api/v1/campaigns/${id}/visits.csv`, 200, 'localhost'],
    ['/api/v1/campaigns/99', 404, 'localhost'],
    ['/api/v1/campaigns?limit=none', 400, 'localhost'],
    ['/nowhere', 404, 'localhost'],
    ['/api/v1/health', 421, 'rebound.example'],
  ] as const) {
    const reply = await ask(url, { host });
    assert.equal(reply.statusCode, status, url);
    assert.match(String(reply.headers['x-request-id']), /^[\w-]{8}$/, url);
    assert.deepEqual([last()?.request, last()?.status], [reply.headers['x-request-id'], status], url);
  }
  for (const url of ['/healthz', '/docs/']) assert.match(String((await ask(url)).headers['x-request-id']), /^[\w-]{8}$/, url);
  assert.match(String((await ask('/%zz')).headers['x-request-id']), /^[\w-]{8}$/, 'of what never came to a route');
});

test('an id that a client or a gateway sends is taken over; what could be mistaken in a log is not', async (t) => {
  const { ask, last } = await loggingApi(t);
  for (const given of ['a', 'Build-7_step.3', 'x'.repeat(64)]) {
    assert.equal((await ask('/api/v1/health', { 'x-request-id': given })).headers['x-request-id'], given);
    assert.equal(last()?.request, given);
  }
  for (const given of ['', 'x'.repeat(65), 'a b', 'a","status":200,"x":"', 'é', 'a,b']) {
    const id = (await ask('/api/v1/health', { 'x-request-id': given })).headers['x-request-id'];
    assert.match(String(id), /^[\w-]{8}$/, given);
    assert.equal(last()?.request, id);
  }
});

test('the trace of a valid traceparent stands in each line of its request, and nothing of another one', async (t) => {
  const { ask, last } = await loggingApi(t);
  const [trace, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  for (const given of [`00-${trace}-${parent}-01`, `01-${trace}-${parent}-00-what-comes-later`, `cc-${trace}-${parent}-00`]) {
    await ask('/api/v1/health', { traceparent: given });
    assert.equal(last()?.trace, trace, given);
  }
  for (const given of [
    '',
    trace,
    `ff-${trace}-${parent}-01`,
    `00-${trace}-${parent}-01-more`,
    `00-${'0'.repeat(32)}-${parent}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace.toUpperCase()}-${parent}-01`,
    `00-${trace}","x":"-${parent}-01`,
  ]) {
    await ask('/api/v1/health', { traceparent: given });
    assert.equal(last()?.trace, undefined, given);
  }
});
