import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startApi } from '@pronghorn/api';
import { remoteApi } from '../connection/remote-service.ts';
import { type CampaignNews, followCampaign } from './follow-campaign.ts';

/** A service with a campaign that waits, on a folder that outlives a restart. */
async function service(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-follow-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  // Nobody else takes a port of this address while the service is down.
  const options = { database: join(folder, 'pronghorn.db'), evidenceDirectory: join(folder, 'evidence'), host: '127.45.67.91' };
  let running = await startApi(options);
  t.after(() => running.close());
  const api = remoteApi({ url: running.url, token: null });
  const { id } = await api.ask('POST /campaigns', { body: { sites: [{ url: 'https://a.invalid/' }], rounds: 2 } });
  return {
    ...{ api, id, url: running.url },
    cancel: () => api.ask('POST /campaigns/{id}/cancel', { id }),
    /** Two lines in the campaign's log: a round was leased, and given back. */
    async giveBack(reason: string): Promise<void> {
      const lease = (await api.ask('POST /leases', { body: { runner: 'somebody' } })) ?? assert.fail('no lease');
      await api.ask('POST /leases/{id}/release', { id: lease.id, body: { reason } });
    },
    async restart(): Promise<void> {
      const port = Number(new URL(running.url).port);
      await running.close();
      running = await startApi({ ...options, port });
    },
  };
}

type Pass = (request: IncomingMessage, reply: ServerResponse, url: string) => void;

/** Stands in front of a service. @returns its URL, and what was asked. */
async function proxy(t: TestContext, url: string, pass: Pass) {
  const asked: string[] = [];
  const server = createServer((request, reply) => {
    asked.push(`${request.url?.replace('/api/v1/campaigns/1', '')} ${request.headers['last-event-id'] ?? '-'}`);
    pass(request, reply, url);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { api: remoteApi({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: null }), asked };
}

/** As it comes. */
const through: Pass = (request, reply, url) => {
  const { method, headers } = request;
  const onward = ask(`${url}${request.url}`, { method, headers: { ...headers, host: new URL(url).host } }, (answer) => {
    reply.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(reply);
  });
  reply.on('close', () => onward.destroy());
  onward.on('error', () => reply.destroy());
  request.pipe(onward);
};

const timings = { firstMs: 30_000, silentMs: 30_000, pauseMs: 20, awayMs: 60_000 };
const until = { signal: new AbortController().signal, report: () => {}, timings, lastEventId: '0' };

/** Takes news until the log has such a line. @returns the lines before it, and it. */
async function linesUntil(news: AsyncGenerator<CampaignNews>, wanted: RegExp): Promise<string[]> {
  const lines: string[] = [];
  while (!wanted.test(lines.at(-1) ?? '')) {
    const { value, done } = await news.next();
    assert.ok(!done, `no line like ${wanted}: ${lines.join('; ')}`);
    if ('line' in value) lines.push(value.line.event === 'round-released' ? value.line.text : value.line.event);
  }
  return lines;
}

async function last(news: AsyncGenerator<CampaignNews>): Promise<string | undefined> {
  let state: string | undefined;
  for await (const one of news) if ('campaign' in one) state = one.campaign.state;
  return state;
}

test('a campaign is followed by its events: it is asked for once, however long it takes', { timeout: 60_000 }, async (t) => {
  const { url, id, cancel, giveBack } = await service(t);
  const { api, asked } = await proxy(t, url, through);
  const news = followCampaign(api, id, until);
  for (const reason of ['first', 'second', 'third']) {
    await giveBack(reason);
    await linesUntil(news, new RegExp(reason));
  }
  await cancel();
  assert.equal(await last(news), 'cancelled');
  assert.deepEqual(asked, [' -', '/events 0']);
});

test('where a proxy holds the events back, the campaign is asked for again and again, and that is said once', {
  timeout: 60_000,
}, async (t) => {
  const { url, id, cancel } = await service(t);
  const { api, asked } = await proxy(t, url, (request, reply, to) => {
    if (!request.url?.endsWith('/events')) through(request, reply, to);
    else reply.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(); // and what comes is kept until the end
  });
  const said: string[] = [];
  const news = followCampaign(api, id, { ...until, timings: { ...timings, firstMs: 200 }, report: (words) => void said.push(words) });
  while (said.length === 0) await news.next();
  assert.match(said[0] ?? '', /no events arrive from http:.* \(a proxy may hold them back\); asking every 0\.02 s instead/);
  for (let more = 0; more < 5; more += 1) await news.next();
  assert.equal(asked.filter((path) => path.startsWith('/events')).length, 2);
  await cancel();
  assert.equal(await last(news), 'cancelled');
  assert.equal(said.length, 1);
});

test('a stream that begins and then falls silent is given up too', { timeout: 60_000 }, async (t) => {
  const { url, id, cancel } = await service(t);
  const { api } = await proxy(t, url, (request, reply, to) => {
    if (!request.url?.endsWith('/events')) through(request, reply, to);
    else reply.writeHead(200, { 'content-type': 'text/event-stream' }).write('id: 0.1\nevent: progress\ndata: {"state":"queued"}\n\n');
  });
  const news = followCampaign(api, id, { ...until, timings: { ...timings, silentMs: 200 } });
  await news.next();
  await news.next();
  await cancel();
  assert.equal(await last(news), 'cancelled');
});

test('an answer that is no event stream is none: the campaign is asked for instead', { timeout: 60_000 }, async (t) => {
  const { url, id, cancel } = await service(t);
  const { api } = await proxy(t, url, (request, reply, to) => {
    if (request.url?.endsWith('/events')) reply.writeHead(200, { 'content-type': 'text/html' }).end('<p>Welcome');
    else through(request, reply, to);
  });
  const news = followCampaign(api, id, until);
  await news.next();
  await cancel();
  assert.equal(await last(news), 'cancelled');
});

test('a service that has no time for a while is followed on by its events', { timeout: 60_000 }, async (t) => {
  const { url, id, cancel, giveBack } = await service(t);
  let busy = 0;
  const { api } = await proxy(t, url, (request, reply, to) => {
    const isStream = request.url?.endsWith('/events') === true;
    if (!isStream || busy++ >= 3) return through(request, reply, to);
    const problem = { type: 'urn:pronghorn:problem:rate-limited', title: 'Too many', status: 429, detail: 'Wait.' };
    reply.writeHead(429, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
  });
  const said: string[] = [];
  const news = followCampaign(api, id, { ...until, report: (words) => void said.push(words) });
  await giveBack('first');
  assert.equal((await linesUntil(news, /first/)).length, 3);
  assert.deepEqual([busy, said], [4, []]);
  await cancel();
  assert.equal(await last(news), 'cancelled');
});

test('a stream that is cut is taken up after the last event that came: no line is lost, none is told twice', {
  timeout: 60_000,
}, async (t) => {
  const { url, id, giveBack } = await service(t);
  const open = new Set<ServerResponse>();
  const { api, asked } = await proxy(t, url, (request, reply, to) => {
    if (request.url?.endsWith('/events')) open.add(reply);
    through(request, reply, to);
  });
  const news = followCampaign(api, id, until);
  await giveBack('first');
  assert.equal((await linesUntil(news, /first/)).length, 3);
  for (const reply of open) reply.destroy();
  await giveBack('second');
  const [leased, released, ...others] = await linesUntil(news, /second/);
  assert.deepEqual([leased, others], ['round-leased', []]);
  assert.match(released ?? '', /second/);
  assert.deepEqual(
    asked.filter((path) => path.startsWith('/events')),
    ['/events 0', '/events 3'],
  );
  await news.return(undefined);
});

test('a service that is restarted is followed on, from where it stopped', { timeout: 60_000 }, async (t) => {
  const { api, id, cancel, giveBack, restart } = await service(t);
  const news = followCampaign(api, id, until);
  await giveBack('first');
  await linesUntil(news, /first/);
  const restarted = restart();
  const second = linesUntil(news, /second/);
  await restarted;
  await giveBack('second');
  assert.equal((await second).length, 2);
  await cancel();
  assert.equal(await last(news), 'cancelled');
});

test('who is told to stop stops at once, and a campaign that is gone is an error', { timeout: 60_000 }, async (t) => {
  const { api, id, cancel } = await service(t);
  const stop = new AbortController();
  const news = followCampaign(api, id, { ...until, signal: stop.signal });
  await linesUntil(news, /campaign-made/);
  const rest = last(news);
  stop.abort();
  await rest;
  await cancel();
  await api.ask('DELETE /campaigns/{id}', { id });
  await assert.rejects(last(followCampaign(api, id, until)), /campaign 1/);
});
