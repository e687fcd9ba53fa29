import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { test } from 'node:test';
import { visitColumns } from '@pronghorn/core/campaign';
import { invalidOutcome, sampleDiscovery, sampleLinkCheck, sampleResource, sampleVisit } from '../../../testing/samples.ts';
import { type TestApi, testApi } from '../../../testing/test-api.ts';

const raw = async ({ app }: TestApi, path: string) => {
  const { statusCode, headers, body } = await app.inject(`/api/v1${path}`);
  return { status: statusCode, type: headers['content-type'], file: headers['content-disposition'], body };
};

/** A campaign of `rounds` rounds over h2 and h3, all visited; the first h3 visit is invalid. */
async function visited(api: TestApi, rounds: number) {
  const campaign = await api.campaign({ rounds, protocols: ['h2', 'h3'] });
  const ids: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const lease = await api.lease();
    for (const slot of lease.round.order) {
      const visit = sampleVisit(lease, slot, round === 0 && slot === 1 ? invalidOutcome('quic-error', 'no "UDP", it seems') : {});
      await api.upload(lease, visit);
      ids.push(visit.id);
    }
    if (round === 0) {
      await api.put(`/leases/${lease.id}/link-checks/${'c'.repeat(8)}`, sampleLinkCheck(lease, { id: 'c'.repeat(8) }));
      const discovery = sampleDiscovery(lease);
      await api.put(`/leases/${lease.id}/discoveries/${discovery.id}`, discovery);
    }
    await api.complete(lease);
  }
  return { campaign, ids };
}

test('the CSV has a line for each visit, in the order of their arrival, over many pages of the database', async (t) => {
  const api = await testApi(t);
  const { ids } = await visited(api, 140);
  const { status, type, file, body } = await raw(api, '/campaigns/1/visits.csv');
  assert.deepEqual([status, type, file], [200, 'text/csv; charset=utf-8; header=present', 'attachment; filename="campaign-1.csv"']);
  const lines = body.split('\r\n');
  assert.equal(lines[0], visitColumns.join(','));
  assert.equal(lines.at(-1), '');
  assert.deepEqual(
    lines.slice(1, -1).map((line) => line.slice(0, 36)),
    ids,
  );
  assert.equal((await raw(api, '/campaigns/1/visits.csv?protocol=h3&verdict=invalid')).body.split('\r\n').length, 3);
});

test('each line of the NDJSON is the visit as it is read alone, with its requests where they are asked for', async (t) => {
  const api = await testApi(t);
  const { ids } = await visited(api, 3);
  const { type, body } = await raw(api, '/campaigns/1/visits.ndjson');
  assert.equal(type, 'application/x-ndjson');
  const visits = body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    visits.map(({ id }) => id),
    ids,
  );
  for (const visit of visits) {
    const { resourcesRemoved, ...alone } = (await api.get(`/visits/${visit.id}`)).body;
    assert.equal(resourcesRemoved, false);
    assert.deepEqual(visit, alone);
  }
  const full = (await raw(api, '/campaigns/1/visits.ndjson?resources=true')).body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const visit of full) assert.deepEqual(visit.resources, (await api.get(`/visits/${visit.id}/resources`)).body);
});

test('the JSON export holds the campaign, its visits, discoveries and link checks', async (t) => {
  const api = await testApi(t);
  await visited(api, 2);
  const content = JSON.parse((await raw(api, '/campaigns/1/export.json')).body);
  assert.deepEqual(content.campaign, (await api.get('/campaigns/1')).body);
  for (const [part, path] of [
    ['visits', 'visits'],
    ['discoveries', 'discoveries'],
    ['linkChecks', 'link-checks'],
  ] as const) {
    assert.deepEqual(content[part], (await api.get(`/campaigns/1/${path}`)).body.items, part);
  }
  assert.equal(content.discoveries.length, 1);
});

test('an empty campaign has empty exports, and an unknown one none', async (t) => {
  const api = await testApi(t);
  await api.campaign();
  assert.equal((await raw(api, '/campaigns/1/visits.csv')).body, `${visitColumns.join(',')}\r\n`);
  assert.equal((await raw(api, '/campaigns/1/visits.ndjson')).body, '');
  assert.deepEqual(JSON.parse((await raw(api, '/campaigns/1/export.json')).body).visits, []);
  for (const name of ['visits.csv', 'visits.ndjson', 'export.json']) assert.equal((await api.get(`/campaigns/9/${name}`)).status, 404);
});

for (const acceptEncoding of ['identity', 'gzip']) {
  test(`a reader that stands still makes the reading wait and nobody else; one that goes away ends it (${acceptEncoding})`, async (t) => {
    const api = await testApi(t);
    const [visits, each] = [120, 600];
    await api.campaign({ rounds: visits + 1, protocols: ['h2'] });
    // Random texts, so that compression has something to carry.
    const resources = Array.from({ length: each }, (_, seq) =>
      sampleResource(seq, { url: `https://site.example/${crypto.randomUUID()}${crypto.randomUUID()}${crypto.randomUUID()}` }),
    );
    for (let visit = 0; visit < visits; visit++) {
      const lease = await api.lease();
      await api.upload(lease, sampleVisit(lease, 0, { resources }));
    }
    let read = 0;
    const { of } = api.app.tables.resources;
    api.app.tables.resources.of = (seq) => {
      read++;
      return of(seq);
    };
    const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
    const request = get(`${url}/api/v1/campaigns/1/visits.ndjson?resources=true`, { headers: { 'accept-encoding': acceptEncoding } });
    const [response] = await once(request, 'response');
    await once(response, 'readable'); // and not read any further

    const lease = await api.lease();
    assert.equal((await api.upload(lease, sampleVisit(lease, 0))).status, 201);
    // What is under way fills the buffers between here and there, and then stands still: many turns of the event loop, no more reading.
    let before = -1;
    while (before !== read) {
      before = read;
      for (let turn = 0; turn < 200; turn++) await api.get('/campaigns/1');
    }
    assert.ok(read < visits, `${read} of ${visits} visits were read for a reader that stands still`);

    response.destroy();
    for (let turn = 0; turn < 200; turn++) await api.get('/campaigns/1');
    assert.ok(read < visits, `${read} of ${visits} visits were read for a reader that has gone`);
  });
}

test('a download that stands still does not keep the service from ending', { timeout: 60_000 }, async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'], rounds: 8 });
  const resources = Array.from({ length: 600 }, (_, seq) => sampleResource(seq, { url: `https://site.example/${'x'.repeat(5_000)}` }));
  for (let visit = 0; visit < 8; visit++) {
    const lease = await api.lease();
    await api.upload(lease, sampleVisit(lease, 0, { resources }));
  }
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
  const request = get(`${url}/api/v1/campaigns/1/visits.ndjson?resources=true`);
  const [response] = await once(request, 'response');
  await once(response, 'readable');
  await api.app.close();
  const broken = assert.rejects(async () => {
    for await (const _ of response);
  }); // cut off, and not ended as if that were all
  await broken;
});
