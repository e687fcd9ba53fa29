// Extra visits that record Chrome's network log: told, exported, and never counted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Lease, NetlogFindings, Problem, Visit, VisitUpload } from '@pronghorn/core/schemas';
import { invalidOutcome, sampleMetrics, sampleVisit } from '../../../testing/samples.ts';
import { type TestApi, testApi } from '../../../testing/test-api.ts';

const findings: NetlogFindings = {
  connections: [
    {
      ...{ host: 'site.example:443', protocol: { found: 'h3' }, rttMs: { found: 100.3 }, handshake: { found: { ms: 101, roundTrips: 1 } } },
      bytesByRoundTrip: { unknown: 'The round trip is too short to count by.' },
      quic: {
        urls: { 0: 'https://site.example/' },
        holes: { found: { count: 1, longest: [{ stream: 0, offset: 0, length: 1, ms: 2.5, foreignBytes: 3 }] } },
        priorities: {
          found: {
            ...{ signals: 2, notFollowed: 1, passedBefore: 0, followed: 0, undecided: 1 },
            worst: [{ stream: 0, value: 'u=0', passedBytes: 20_000, passedBeforeBytes: 0, rule: 'urgency' }],
          },
        },
        capped: { found: [{ stream: 0, windowBytes: 65_536, roundTrips: 4 }] },
      },
    },
  ],
  notOverH3: [{ url: 'https://site.example/a', protocol: 'h2', why: { found: 'race-lost' } }],
};
const extraVisit = (lease: Lease, slot: number, given: Partial<VisitUpload> = {}): VisitUpload =>
  sampleVisit(lease, slot, { outcome: { verdict: 'valid', metrics: sampleMetrics({ onLoad: 9_999 }) }, netlog: { findings }, ...given });
const usual = (lease: Lease, slot: number) =>
  sampleVisit(lease, slot, { outcome: { verdict: 'valid', metrics: sampleMetrics({ onLoad: 100 + 10 * slot + lease.round.number }) } });
const read = async (api: TestApi, query: string): Promise<Visit[]> => (await api.get(`/campaigns/1/visits?${query}`)).body.items;

/** Two rounds over two protocols. @param extras of each round's lease, sent before what counts */
async function performed(api: TestApi, extras: (lease: Lease) => VisitUpload[]): Promise<void> {
  await api.campaign({ protocols: ['h2', 'h3'], rounds: 2, netlogs: true });
  for (let round = 0; round < 2; round++) {
    const lease = await api.lease();
    for (const visit of extras(lease)) assert.equal((await api.upload(lease, visit)).status, 201);
    for (const slot of [0, 1]) await api.upload(lease, usual(lease, slot));
    await api.complete(lease);
  }
}

test('an extra visit never counts, whatever it is and whenever it comes: results, progress and summaries are those without it', async (t) => {
  const [plain, api] = [await testApi(t), await testApi(t)];
  await performed(plain, () => []);
  await performed(api, (lease) => [extraVisit(lease, 0), extraVisit(lease, 1, invalidOutcome('load-timeout'))]);
  for (const path of ['results', 'comparisons', 'distributions?metric=onLoad'])
    assert.deepEqual((await api.get(`/campaigns/1/${path}`)).body, (await plain.get(`/campaigns/1/${path}`)).body, path);
  const [summary, expected] = [(await api.get('/campaigns/1/summary')).body, (await plain.get('/campaigns/1/summary')).body];
  assert.deepEqual([summary.visits, summary.progress], [expected.visits, expected.progress]);
  const { progress } = (await api.get('/campaigns/1')).body;
  assert.deepEqual([progress.visitsValid, progress.visitsInvalid], [4, 0]);
  assert.deepEqual([...api.app.tables.visits.ofResults(1)].length, 4);
  assert.deepEqual(
    (await read(api, 'netlog=true')).map(({ counted, netlog }) => [counted, netlog]),
    Array.from({ length: 4 }, () => [false, { findings }]),
  );
  const counted = await read(api, 'counted=true');
  assert.deepEqual([counted.length, counted.some((visit) => 'netlog' in visit)], [4, false]);
  assert.deepEqual(await read(api, 'netlog=false'), counted);
});

test('the database itself refuses to count one', async (t) => {
  const api = await testApi(t);
  await performed(api, (lease) => [extraVisit(lease, 0), extraVisit(lease, 1, invalidOutcome('load-timeout'))]);
  await assert.rejects(
    () => api.app.commit(() => api.app.database.exec(`UPDATE visits SET counted = 1 WHERE netlog IS NOT NULL AND verdict = 'valid'`)),
    /CHECK constraint/,
  );
  await assert.rejects(
    () => api.app.commit(() => api.app.database.exec(`UPDATE visits SET failed = 1 WHERE netlog IS NOT NULL AND verdict = 'invalid'`)),
    /CHECK constraint/,
  );
});

test('extra visits alone finish no round, and those of one that is given back are no progress either', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'], netlogs: true });
  const lease = await api.lease();
  await api.upload(lease, extraVisit(lease, 0));
  assert.equal((await api.complete(lease)).status, 409);
  await api.post(`/leases/${lease.id}/release`, { reason: 'interrupted' });
  const { progress } = (await api.get('/campaigns/1')).body;
  assert.deepEqual([progress.visitsValid, progress.visitsInvalid], [0, 0]);
});

test('findings are in each export, and the CSV marks extra visits', async (t) => {
  const api = await testApi(t);
  await performed(api, ({ round, ...lease }) => (round.number === 1 ? [extraVisit({ round, ...lease }, 1)] : []));
  const lines = (await api.app.inject('/api/v1/campaigns/1/visits.ndjson')).body.trim().split('\n');
  const [extra] = lines.map((line): Visit => JSON.parse(line)).filter(({ netlog }) => netlog !== undefined);
  assert.deepEqual(extra?.netlog, { findings });
  assert.deepEqual((await api.get(`/visits/${extra?.id}`)).body.netlog, { findings });
  const whole: { visits: Visit[] } = (await api.get('/campaigns/1/export.json')).body;
  assert.equal(whole.visits.filter(({ netlog }) => netlog !== undefined).length, 1);
  const [names, ...rows] = (await api.app.inject('/api/v1/campaigns/1/visits.csv')).body
    .trim()
    .split('\r\n')
    .map((line) => line.split(','));
  const marks = rows.map((row) => `${row[names?.indexOf('netlog') ?? -1]}${row[names?.indexOf('counted') ?? -1]}`);
  assert.deepEqual(marks.sort(), ['01', '01', '01', '01', '10']);
});

test('the whole log is a plain JSON file to whoever downloads it, unpacked here for a client that takes no gzip', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'], netlogs: true });
  const lease = await api.lease();
  const { id, ...rest } = extraVisit(lease, 0);
  await api.upload(lease, { id, ...rest });
  const download = (acceptEncoding?: string) =>
    api.app.inject({
      url: `/api/v1/visits/${id}/netlog`,
      headers: acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding },
    });
  const none = await download();
  assert.deepEqual([none.statusCode, none.json<Problem>().detail], [404, `There is no netlog of visit ${id}.`]);

  const log = `{"constants": {}, "events": [${'{"time":"1"},'.repeat(5_000)}{}]}`;
  await api.app.inject({
    ...{ method: 'PUT', url: `/api/v1/visits/${id}/evidence/netlog`, payload: gzipSync(log) },
    headers: { 'content-type': 'application/gzip' },
  });
  for (const encoding of ['gzip, deflate, br, zstd', 'br;q=1.0, gzip;q=0.8']) {
    const packed = await download(encoding);
    assert.deepEqual(
      [packed.headers['content-encoding'], packed.headers['content-type'], packed.headers['content-disposition']],
      ['gzip', 'application/octet-stream', `attachment; filename="${id}.netlog.json"`],
    );
    assert.match(String(packed.headers.vary), /accept-encoding/i);
    assert.deepEqual(packed.rawPayload, gzipSync(log));
  }
  for (const encoding of [undefined, 'identity', 'gzip;q=0', 'identity, gzip; q=0.0']) {
    const plain = await download(encoding);
    assert.deepEqual([plain.headers['content-encoding'], plain.body], [undefined, log], encoding);
  }
});

test('its evidence is kept where that of usual visits is not, since it was asked for', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'], rounds: 5, netlogs: true, evidence: 'outliers' });
  const ids: string[] = [];
  for (let round = 0; round < 5; round++) {
    const lease = await api.lease();
    const visits = [usual(lease, 0), ...(lease.round.number === 1 ? [extraVisit(lease, 0)] : [])];
    for (const visit of visits) {
      await api.upload(lease, visit);
      const url = `/api/v1/visits/${visit.id}/evidence/netlog`;
      await api.app.inject({ method: 'PUT', url, payload: gzipSync(visit.id), headers: { 'content-type': 'application/gzip' } });
      ids.push(visit.id);
    }
    await api.complete(lease);
  }
  await api.app.evidenceSettled();
  const statuses = await Promise.all(ids.map(async (id) => (await api.app.inject(`/api/v1/visits/${id}/netlog`)).statusCode));
  assert.deepEqual(statuses.toSorted(), [200, 410, 410, 410, 410, 410]);
});
