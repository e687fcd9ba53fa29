// What a load records of Chrome's network stack, with real Chrome and the demo origin.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { defaultLimits } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import { readAccessLog } from '@pronghorn/origin';
import { readEvents } from '../src/derive/netlog/events.ts';
import { deriveNetlog } from '../src/derive/netlog/findings.ts';
import { readQuic } from '../src/derive/netlog/quic.ts';
import { deriveResources } from '../src/derive/resources.ts';
import type { Load, Loaded } from '../src/engines/engine.ts';
import { type NetlogVisit, netlogVisits } from '../src/lease/netlog-visit.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';

let laboratory: Laboratory;
before(async () => {
  laboratory = await openLaboratory();
});
after(() => laboratory.close());

const load = (name: string, protocol: Protocol, more: Partial<Load> = {}): Promise<Loaded> => {
  const url = laboratory.origin.sites.find((site) => site.name === name)?.url ?? '';
  return laboratory.engine.load({
    ...{
      url,
      protocol,
      discovery: 'forced',
      view: 'cold',
      isolation: 'context',
      browser: 'chrome',
      limits: { ...defaultLimits, quietMs: 100 },
    },
    forced: protocol === 'h3' ? [new URL(url).host] : [],
    ...more,
  });
};

test('a load has its own netlog if requested, and all of it only if that is requested', async () => {
  const without = await load('article', 'h3');
  const slim = await load('article', 'h3', { netlog: 'slim' });
  const raw = await load('article', 'h3', { netlog: 'raw' });
  const traced = await load('article', 'h3', { netlog: 'traced' });
  assert.deepEqual([without.evidence.netlog, without.rawNetlog, slim.rawNetlog], [undefined, undefined, undefined]);
  assert.deepEqual([without.trace, slim.trace, raw.trace], [undefined, undefined, undefined]);
  const { traceEvents } = JSON.parse(traced.trace ?? '{}') as { traceEvents: { name: string; cat: string }[] };
  const names = new Set(traceEvents.map(({ name }) => name));
  for (const name of ['ParseHTML', 'EvaluateScript', 'Layout', 'Paint', 'firstContentfulPaint', 'thread_name'])
    assert.ok(names.has(name), `${name} is in the trace`);
  assert.ok(traced.rawNetlog && traceEvents.every(({ cat }) => cat !== 'netlog'));
  // All were in one Chrome, one after the other.
  for (const { evidence } of [slim, raw]) {
    assert.ok(evidence.netlog);
    const { connections } = deriveNetlog(evidence.netlog, deriveResources(evidence), { protocol: 'h3' });
    assert.deepEqual(
      connections.map(({ protocol }) => protocol),
      [{ found: 'h3' }],
    );
  }
  assert.ok(raw.rawNetlog && raw.evidence.netlog);
  assert.ok(raw.rawNetlog.length > raw.evidence.netlog.events.length);
  for (const secret of [/cookie/i, /user-agent/i, /accept-language/i]) {
    assert.match(JSON.stringify(raw.rawNetlog), secret);
    assert.doesNotMatch(JSON.stringify(raw.evidence.netlog), secret);
  }
});

test('over HTTP/3 the log has each response whole: the bytes of its frames are those that the server logged', async () => {
  const from = Date.now() / 1_000;
  const { evidence } = await load('article', 'h3', { netlog: 'slim' });
  const logged = (await readAccessLog(laboratory.origin.accessLog)).filter(({ time }) => time >= from);
  assert.ok(evidence.netlog);
  const events = readEvents(evidence.netlog);
  const session = events.find(({ type }) => type === 'QUIC_SESSION')?.source;
  const { frames, urls, unknownType } = readQuic(events.filter(({ source }) => source === session));
  assert.equal(unknownType, null);
  assert.ok(logged.length > 20);
  for (const { uri, bodyBytes } of logged) {
    const streams = [...urls].flatMap(([stream, url]) => (url.endsWith(uri) ? [stream] : []));
    const end = Math.max(...frames.flatMap(({ stream, offset, length }) => (streams.includes(stream) ? [offset + length] : [])));
    // Beside the body a stream has frames' headers and the response's.
    assert.ok(end > bodyBytes && end < bodyBytes + 700, `${uri}: ${end} bytes on its stream, a body of ${bodyBytes}`);
  }
});

test('a visit over each protocol has its findings and its log as a file', async () => {
  const visits: NetlogVisit[] = [];
  const [isolation, browser, discovery, view] = ['context', 'chrome', 'forced', 'cold'] as const;
  const url = laboratory.origin.sites.find(({ name }) => name === 'article')?.url ?? '';
  const asked = {
    url,
    condition: { name: 'native', up: {}, down: {} },
    protocols: ['h1', 'h2', 'h3'] as const,
    isolation,
    browser,
    discovery,
    view,
  };
  const limits = { ...defaultLimits, quietMs: 100, foreignCpuShare: 1 };
  await netlogVisits(laboratory, { ...asked, limits }, async (visit) => void visits.push(visit), new AbortController().signal);
  for (const { protocol, outcome, findings, file } of visits) {
    assert.equal(outcome.verdict, 'valid', JSON.stringify(outcome));
    assert.ok(findings && findings.connections.length >= 1);
    for (const connection of findings.connections) assert.deepEqual(connection.protocol, { found: protocol });
    const { constants, events } = JSON.parse(file ?? '');
    assert.ok(events.length > 1_000 && constants.logEventTypes.URL_REQUEST_START_JOB !== undefined);
    assert.ok(Math.abs(constants.timeTickOffset + Number(events[0].time) - Date.now()) < 60_000, 'its clock is the world’s');
  }
  assert.equal(visits.length, 3);
});
