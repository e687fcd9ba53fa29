import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Har } from '@pronghorn/core/campaign';
import { sampleResource, sampleVisit } from '../../../testing/samples.ts';
import { testApi } from '../../../testing/test-api.ts';

test('a visit’s archive has the safe headers of its responses, or none, and the sums that are stored', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h3'], rounds: 1 });
  const lease = await api.lease();
  const resources = [0, 1, 2].map((seq) => sampleResource(seq));
  const visit = sampleVisit(lease, 0, { resources });
  await api.upload(lease, visit);
  const harOf = async (query = '') => (await api.get(`/visits/${visit.id}/har${query}`)).body as Har;
  const { entries } = (await harOf()).log;
  assert.deepEqual(
    entries[1]?.response.headers.map(({ name }) => name),
    ['alt-svc', 'cache-control', 'content-type', 'server'],
  );
  for (const [i, { response }] of entries.entries()) {
    const { headersSize, bodySize, _transferSize } = response;
    assert.deepEqual([headersSize, bodySize, _transferSize], [200, 19_800 + i, resources[i]?.transferBytes]);
  }
  assert.deepEqual(await harOf('?headers=safe'), await harOf());
  assert.deepEqual(
    (await harOf('?headers=none')).log.entries.flatMap(({ response }) => response.headers),
    [],
  );
  assert.equal((await api.get(`/visits/${visit.id}/har?headers=all`)).status, 400);
});

test('a record with a header that is not safe to keep is refused', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h3'], rounds: 1 });
  const lease = await api.lease();
  const headers = { 'content-type': 'text/html', 'set-cookie': 'sid=1' };
  const { status } = await api.upload(lease, sampleVisit(lease, 0, { resources: [sampleResource(0, { headers })] }));
  assert.equal(status, 400);
});

test('a record of a runner of before, which noted neither sizes nor headers, is taken, and its archive says that they are not known', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h3'], rounds: 1 });
  const lease = await api.lease();
  const { headerBytes: _, encodedBodyBytes: __, headers: ___, ...before } = sampleResource(0);
  const visit = sampleVisit(lease, 0, { resources: [before] });
  assert.equal((await api.upload(lease, visit)).status, 201);
  const [entry] = ((await api.get(`/visits/${visit.id}/har`)).body as Har).log.entries;
  assert.deepEqual([entry?.response.headersSize, entry?.response.bodySize], [-1, -1]);
  assert.deepEqual(
    entry?.response.headers.map(({ name }) => name),
    ['alt-svc', 'server'],
  );
});
