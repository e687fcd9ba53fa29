import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Resource } from '@pronghorn/core/schemas';
import { sampleResource, sampleVisit } from '../testing/samples.ts';
import { testApi } from '../testing/test-api.ts';

for (const count of [0, 2_000, 10_000]) {
  test(`a visit of ${count} requests is stored and read as it was sent`, async (t) => {
    const api = await testApi(t);
    await api.campaign({ protocols: ['h2'] });
    const lease = await api.lease();
    const url = (seq: number) => `https://site.example/${'long-folder/'.repeat(20)}${seq}`;
    const visit = sampleVisit(lease, 0, { resources: Array.from({ length: count }, (_, seq) => sampleResource(seq, { url: url(seq) })) });
    assert.equal((await api.upload(lease, visit)).status, 201);
    assert.deepEqual((await api.get(`/visits/${visit.id}/resources`)).body, visit.resources);
    const har = await api.get(`/visits/${visit.id}/har`);
    assert.equal(har.body.log.entries.length, count);
    assert.equal(har.headers['content-disposition'], `attachment; filename="${visit.id}.har"`);
  });
}

test('every field may be null that may, and comes back as null, false as false and 0 as 0', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'] });
  const lease = await api.lease();
  const full = sampleResource(0, {
    alternateProtocolUsage: 'alternativeJobWonRace',
    failure: 'net::ERR_ABORTED',
    connectionReused: false,
    linked: false,
  });
  const nullable = {
    initiatorUrl: null,
    protocol: null,
    connectionId: null,
    connectionReused: null,
    remoteAddress: null,
    alternateProtocolUsage: null,
    queueingMs: null,
    dnsMs: null,
    connectMs: null,
    tlsMs: null,
    sendMs: null,
    waitMs: null,
    receiveMs: null,
    endMs: null,
    status: null,
    mimeType: null,
    priority: null,
    server: null,
    altSvc: null,
    failure: null,
  } satisfies Partial<Resource>;
  const zero = sampleResource(2, {
    connectionId: 0,
    startMs: 0,
    queueingMs: 0,
    endMs: 0,
    transferBytes: 0,
    bodyBytes: 0,
    url: '',
    server: '',
  });
  const resources = [full, sampleResource(1, nullable), zero];
  const visit = sampleVisit(lease, 0, { resources });
  await api.upload(lease, visit);
  assert.deepEqual((await api.get(`/visits/${visit.id}/resources`)).body, resources);
});

test('texts that many resources share are stored once', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'], rounds: 5 });
  const strings = () => api.app.database.prepare<[], { count: number }>('SELECT count(*) AS count FROM strings').get()?.count;
  for (let round = 0; round < 5; round++) {
    const lease = await api.lease();
    await api.upload(lease, sampleVisit(lease, 0, { resources: Array.from({ length: 50 }, (_, seq) => sampleResource(seq)) }));
    await api.complete(lease);
    assert.equal(strings(), 50 + 18); // 50 URLs, and what host, method, type, … have in common
  }
});
