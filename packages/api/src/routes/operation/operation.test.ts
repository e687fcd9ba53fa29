import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import Sqlite from 'better-sqlite3';
import { problemsOf, seriesOf } from '../../testing/exposition.ts';
import { invalidOutcome, sampleLinkCheck, sampleVisit } from '../../testing/samples.ts';
import { type TestApi, testApi, testFolder, tokenApi } from '../../testing/test-api.ts';

const read = (api: TestApi, url: string) => api.app.inject({ method: 'GET', url });
const scrape = async (api: TestApi) => (await read(api, '/metrics')).body;

test('a process that runs is alive, and ready while everything that it needs works', async (t) => {
  const api = await testApi(t, { readiness: { minFreeBytes: 1 } });
  assert.deepEqual((await read(api, '/healthz')).json(), { status: 'ok' });
  const ready = await read(api, '/readyz');
  assert.equal(ready.statusCode, 200, ready.body);
  assert.deepEqual(
    ready.json().checks.map(({ name, ok }: { name: string; ok: boolean }) => [name, ok]),
    [
      ['database', true],
      ['schema', true],
      ['disk', true],
      ['clock', true],
      ['evidence', true],
    ],
  );
});

test('what keeps a process from working is named', async (t) => {
  const database = join(testFolder(t), 'pronghorn.db');
  const api = await testApi(t, { database, readiness: { minFreeBytes: 1e18 } });
  const problems = async () => {
    api.clock.now += 60_000;
    const reply = await read(api, '/readyz');
    assert.equal(reply.statusCode, 503);
    return Object.fromEntries(reply.json().checks.map(({ name, detail }: { name: string; detail: string }) => [name, detail]));
  };
  assert.match((await problems()).disk, /^\d+(\.\d)? [MG]B are free; at least 1000000000 GB are expected\. Free some space/);
  const incoming = join(api.folder, 'evidence', 'incoming');
  rmSync(incoming, { recursive: true });
  writeFileSync(incoming, '');
  assert.match((await problems()).evidence, /ENOTDIR/);
  await api.app.commit(() => api.app.database.pragma('user_version = 9999'));
  assert.match((await problems()).schema, /version 9999, and this process knows \d+: a newer Pronghorn uses the database/);
  const other = new Sqlite(database);
  t.after(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  assert.match((await problems()).database, /another process has held it for 1 s/);
});

test('who watches over a process is never held up: not by rate limits, and not for a token that can’t be used', async (t) => {
  const api = await tokenApi(t, { rateLimits: { withoutToken: 1, failedSignIns: 1 } }, { readiness: { minFreeBytes: 1 } });
  for (const path of ['/healthz', '/readyz']) {
    for (const headers of [{}, { authorization: 'Bearer expired' }]) {
      for (let asked = 0; asked < 5; asked += 1) {
        const reply = await api.app.inject({ method: 'GET', url: path, headers });
        assert.equal(reply.statusCode, 200, `${path}, asked ${asked} times before: ${reply.body}`);
      }
    }
  }
  const rest = async () => (await api.ask(null, 'GET', '/health')).status;
  assert.deepEqual([await rest(), await rest()], [200, 429], 'they took nothing of the count of their address');
});

test('metrics say what is queued, what was visited, checked and lost, and how long it took', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2', 'h3'], rounds: 3, priority: 'ci' });
  const first = await api.lease();
  api.clock.now += 20_000;
  await api.upload(first, sampleVisit(first, 0, { wallMs: 800 }));
  await api.upload(first, sampleVisit(first, 1, { ...invalidOutcome('quic-error'), wallMs: 45_000 }));
  for (const faults of [[], ['loss of 3 %']]) {
    const check = sampleLinkCheck(first, { faults });
    await api.put(`/leases/${first.id}/link-checks/${check.id}`, check);
  }
  await api.complete(first);
  await api.lease();
  api.clock.now += 61_000;
  await api.lease();

  const series = seriesOf(await scrape(api));
  const expected = {
    'pronghorn_campaigns_total{priority="ci",state="made"}': 1,
    'pronghorn_queue_rounds{priority="ci",state="queued"}': 1,
    'pronghorn_queue_rounds{priority="ci",state="leased"}': 1,
    'pronghorn_queue_rounds{priority="schedule",state="queued"}': 0,
    'pronghorn_queue_oldest_age_seconds{priority="ci"}': 81,
    'pronghorn_visits_total{protocol="h2",verdict="valid",reason=""}': 1,
    'pronghorn_visits_total{protocol="h3",verdict="invalid",reason="quic-error"}': 1,
    'pronghorn_visit_duration_seconds_bucket{protocol="h2",le="0.5"}': 0,
    'pronghorn_visit_duration_seconds_bucket{protocol="h2",le="1"}': 1,
    'pronghorn_visit_duration_seconds_bucket{protocol="h2",le="+Inf"}': 1,
    'pronghorn_visit_duration_seconds_sum{protocol="h3"}': 45,
    'pronghorn_round_duration_seconds_bucket{le="10"}': 0,
    'pronghorn_round_duration_seconds_bucket{le="30"}': 1,
    pronghorn_round_duration_seconds_count: 1,
    'pronghorn_leases_total{outcome="completed"}': 1,
    'pronghorn_leases_total{outcome="released"}': 0,
    'pronghorn_leases_total{outcome="lost"}': 1,
    'pronghorn_link_checks_total{outcome="ok"}': 1,
    'pronghorn_link_checks_total{outcome="faulty"}': 1,
    'pronghorn_runners{state="busy"}': 0,
  };
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, series.get(name)])), expected);
});

test('what is counted is not lost when campaigns are deleted', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'] });
  const lease = await api.lease();
  await api.upload(lease, sampleVisit(lease, 0));
  await api.complete(lease);
  await api.app.commit(() => api.app.database.exec('DELETE FROM visits; DELETE FROM rounds; DELETE FROM campaigns'));
  const series = seriesOf(await scrape(api));
  assert.equal(series.get('pronghorn_visits_total{protocol="h2",verdict="valid",reason=""}'), 1);
  assert.equal(series.get('pronghorn_campaigns_total{priority="interactive",state="made"}'), 1);
});

test('requests are timed by route, whatever stands in their paths', async (t) => {
  const api = await testApi(t);
  for (const id of ['1', '2', 'x']) await api.get(`/campaigns/${id}`);
  await read(api, '/nowhere/at/all');
  const series = seriesOf(await scrape(api));
  assert.equal(series.get('pronghorn_http_request_duration_seconds_count{method="GET",route="/api/v1/campaigns/:id",code="404"}'), 3);
  assert.equal(series.get('pronghorn_http_request_duration_seconds_count{method="GET",route="none",code="404"}'), 1);
});

test('metrics are written as Prometheus reads them, and named as its conventions have it', async (t) => {
  const api = await testApi(t, { metrics: { process: true } });
  await api.campaign();
  const reply = await read(api, '/metrics');
  assert.equal(reply.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  assert.deepEqual(problemsOf(reply.body), []);
  assert.deepEqual(problemsOf('# HELP x y\n# TYPE x counter\nx{a="b} 1\n'), [
    'x is a counter, and does not end in _total',
    'line 3 is no sample: x{a="b} 1',
  ]);
});

test('on a port of its own, metrics are not beside the API', async (t) => {
  const api = await testApi(t, { metrics: { access: 'elsewhere' } });
  assert.equal((await read(api, '/metrics')).statusCode, 404);
  assert.match(await api.app.metrics.text(), /pronghorn_queue_rounds/);
});

test('each request is one line of JSON with its id, its route, and nothing secret; reads are told only where they are asked for', async (t) => {
  const lines: { level: string; event?: string; status?: number; path?: string }[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      for (const line of String(chunk).trim().split('\n')) lines.push(JSON.parse(line));
      done();
    },
  });
  const api = await testApi(t, { logger: { level: 'info', pretty: false, stream } });
  await api.get('/campaigns?limit=1');
  await api.campaign();
  await api.app.inject({ method: 'POST', url: '/api/v1/campaigns?token=abc', headers: { authorization: 'Bearer secret' }, payload: {} });
  api.app.log.warn(
    { req: { headers: { authorization: 'Bearer secret', cookie: 'session=secret' } }, token: 'secret' },
    'logged by mistake',
  );
  const told = lines.filter(({ event }) => event !== undefined).map(({ level, event, status, path }) => ({ level, event, status, path }));
  assert.deepEqual(told, [
    { level: 'info', event: 'campaign-made', status: undefined, path: undefined },
    { level: 'info', event: 'request', status: 201, path: '/api/v1/campaigns' },
    { level: 'info', event: 'request', status: 400, path: '/api/v1/campaigns' },
  ]);
  assert.ok(lines.some((line) => JSON.stringify(line).includes('logged by mistake')));
  assert.doesNotMatch(JSON.stringify(lines), /secret|abc/);
});
