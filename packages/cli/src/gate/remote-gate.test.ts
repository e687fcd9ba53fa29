import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { GateCampaign, GateQuestion } from '@pronghorn/core/schemas';
import { remoteApi } from '../connection/remote-service.ts';
import { askRemote } from './remote-gate.ts';

/** Text is a stream of events. */
type Answer = [status: number, body: object | string];

/** A service that answers each request by a list of its own, the last of it again and again. */
async function service(t: TestContext, answers: Record<string, Answer[]>) {
  const asked: string[] = [];
  const server = createServer((request, reply) => {
    const what = `${request.method} ${request.url?.replace('/api/v1', '')}`;
    asked.push(what);
    const list = answers[what] ?? [];
    const [status, body] = (list.length > 1 ? list.shift() : list[0]) ?? [404, {}];
    const [type, text] = typeof body === 'string' ? ['text/event-stream', body] : ['application/json', JSON.stringify(body)];
    request.resume().on('end', () => reply.writeHead(status, { 'content-type': type }).end(text));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { api: remoteApi({ url, token: null, wait: async () => {}, report: () => {} }), asked };
}

const away: Answer[] = Array.from({ length: 6 }, () => [502, {}]); // as often as one request is tried
const campaign = { id: '1', state: 'done', progress: { rounds: 1, roundsDone: 1 } };
const question = { campaign: { sites: [{ url: 'https://a.example/' }] }, assertions: ['onLoad p75 <= 1 s'] } as GateQuestion;
const options = () => ({
  waitSeconds: 60,
  signal: new AbortController().signal,
  timings: { firstMs: 30_000, silentMs: 30_000, pauseMs: 1, awayMs: 30_000 },
});

test('a service may be away when its campaign is first looked at, and when its answer is asked for', async (t) => {
  const { api, asked } = await service(t, {
    'POST /gates/check': [[202, { campaignId: '1', result: null }], ...away, [200, { campaignId: '1', result: { outcome: 'pass' } }]],
    'GET /campaigns/1': [...away, [200, campaign]],
  });
  const found = await askRemote(api, question, options());
  assert.equal(found?.answer.result?.outcome, 'pass');
  assert.equal(asked.filter((what) => what === 'POST /gates/check').length, 1 + 6 + 1);
});

test('an outcome that this command does not know is an error: it has no exit code', async (t) => {
  for (const outcome of ['excellent', 'error', 'constructor', null]) {
    const { api } = await service(t, {
      'POST /gates/check': [[200, { campaignId: '1', result: { outcome } }]],
      'GET /campaigns/1': [[200, campaign]],
    });
    await assert.rejects(askRemote(api, question, options()), ({ message }: Error) =>
      message.endsWith(`answered with the outcome "${outcome}"; expected pass, fail, inconclusive, or unmeasured. Update this command.`),
    );
  }
});

test('a question that makes a campaign is asked again where nobody knows what became of it, and then given up', async (t) => {
  const { api, asked } = await service(t, { 'POST /gates/check': [[502, {}]] });
  await assert.rejects(askRemote(api, question, options()), /answered 502/);
  assert.deepEqual(asked, Array(6).fill('POST /gates/check'));
});

test('when the gate is deleted meanwhile it says so, and which campaign was measured', async (t) => {
  const gone = { type: 'urn:pronghorn:problem:not-found', title: 'Not found', status: 404, detail: 'There is no gate 3.' };
  const { api } = await service(t, {
    'POST /gates/check': [
      [202, { campaignId: '1', result: null }],
      [404, gone],
    ],
    'GET /campaigns/1': [[200, campaign]],
    'GET /campaigns/1/events': [[200, '']],
  });
  const of = (more: GateQuestion) => askRemote(api, { ...more, campaign: question.campaign as GateCampaign }, options());
  await assert.rejects(of({ gateId: '3' }), /The gate was deleted while campaign 1 was measured.*with --campaign 1\./);
});

/** A service that makes a campaign and then answers requests for `silent` never; `heard` is called when one comes. */
async function mute(t: TestContext, silent: string, heard: () => void) {
  const asked: string[] = [];
  const server = createServer((request, reply) => {
    const what = `${request.method} ${request.url?.replace('/api/v1', '')}`;
    asked.push(what);
    if (what.startsWith(silent)) return heard();
    const body = what.endsWith('/check') ? { campaignId: '1', result: null } : { ...campaign, state: 'running' };
    request.resume().on('end', () => reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { api: remoteApi({ url, token: null, report: () => {} }), asked };
}
const said = (t: TestContext) => {
  const { mock } = t.mock.method(console, 'error', () => {});
  return () => mock.calls.map(({ arguments: [text] }) => String(text)).join('\n');
};

test('who is told to stop while a request is under way waits no longer, and has the campaign cancelled', { timeout: 60_000 }, async (t) => {
  const stop = new AbortController();
  const { api, asked } = await mute(t, 'GET /campaigns/1', () => stop.abort());
  assert.equal(await askRemote(api, question, { ...options(), signal: stop.signal }), null);
  assert.deepEqual(asked, ['POST /gates/check', 'GET /campaigns/1', 'POST /campaigns/1/cancel']);
});

test('who is told to stop between two tries waits for no other', async (t) => {
  const stop = new AbortController();
  const { api: answering, asked } = await service(t, {
    'POST /gates/check': [[202, { campaignId: '1', result: null }]],
    'GET /campaigns/1': [[502, {}]],
    'POST /campaigns/1/cancel': [[204, {}]],
  });
  const hold = async (_: number, signal?: AbortSignal) => {
    stop.abort();
    if (!signal?.aborted) await new Promise(() => {});
  };
  const api = remoteApi({ url: answering.url, token: null, wait: hold, report: () => {} });
  assert.equal(await askRemote(api, question, { ...options(), signal: stop.signal }), null);
  assert.deepEqual(asked, ['POST /gates/check', 'GET /campaigns/1', 'POST /campaigns/1/cancel']);
});

test('a campaign that cannot be cancelled is named, and nobody waits for it', { timeout: 60_000 }, async (t) => {
  const stop = new AbortController();
  const { api } = await mute(t, 'POST /campaigns/1/cancel', () => {});
  const words = said(t);
  const ask: typeof api.ask = (route, given) => {
    if (route.startsWith('GET ')) stop.abort();
    return api.ask(route, given);
  };
  assert.equal(await askRemote({ ...api, ask }, question, { ...options(), signal: stop.signal, cancelMs: 1 }), null);
  assert.match(words(), /campaign 1 could not be cancelled .* Cancel it at http/);
});

test('who is told to stop before there is a campaign is told that one may have been made', { timeout: 60_000 }, async (t) => {
  const stop = new AbortController();
  const { api, asked } = await mute(t, 'POST /gates/check', () => stop.abort());
  const words = said(t);
  assert.equal(await askRemote(api, question, { ...options(), signal: stop.signal }), null);
  assert.deepEqual(asked, ['POST /gates/check']);
  assert.match(words(), /may have created the campaign/);
});

test('nobody waits longer than they said, also for a service that does not answer', { timeout: 60_000 }, async (t) => {
  const { api } = await mute(t, 'GET /campaigns/1', () => {});
  await assert.rejects(askRemote(api, question, { ...options(), waitSeconds: 0.01 }), /did not answer for campaign 1 within/);
});

test('a warning is told once, also when the campaign was resumed and is followed anew', async (t) => {
  const event = (kind: string, content: object) => `id: 0.1\nevent: ${kind}\ndata: ${JSON.stringify(content)}\n\n`;
  const line = event('log', { id: '1', level: 'warn', text: 'The link is off.' });
  const running = { ...campaign, state: 'running' };
  const { api } = await service(t, {
    'POST /gates/check': [
      [202, { campaignId: '1', result: null }],
      [202, { campaignId: '1', result: null }],
      [200, { campaignId: '1', result: { outcome: 'pass' } }],
    ],
    'GET /campaigns/1': [[200, running]],
    'GET /campaigns/1/events': [
      [200, line + event('progress', { ...campaign, state: 'cancelled' })],
      [200, line + event('progress', campaign)],
    ],
  });
  const written = t.mock.method(process.stderr, 'write', () => true);
  assert.equal((await askRemote(api, question, options()))?.answer.result?.outcome, 'pass');
  const told = written.mock.calls.filter(({ arguments: [text] }) => String(text).includes('The link is off.'));
  assert.equal(told.length, 1);
});
