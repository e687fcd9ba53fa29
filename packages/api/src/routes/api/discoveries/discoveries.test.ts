import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemType } from '@pronghorn/core';
import { sampleDiscovery } from '../../../testing/samples.ts';
import { testApi } from '../../../testing/test-api.ts';

test('a discovery is stored once, and never changes', async (t) => {
  const api = await testApi(t);
  await api.campaign();
  const discovery = sampleDiscovery(await api.lease());
  const path = `/discoveries/${discovery.id}`;
  assert.equal((await api.put(path, discovery)).status, 201);
  assert.equal((await api.put(path, discovery)).status, 200);
  assert.deepEqual((await api.get(path)).body, discovery);
  const other = await api.put(path, { ...discovery, forced: [] });
  assert.deepEqual([other.status, other.body.type], [409, problemType('already-different')]);
});

test('a discovery of a site that its campaign does not have is refused', async (t) => {
  const api = await testApi(t);
  await api.campaign();
  const lease = await api.lease();
  for (const given of [{ siteId: '99' }, { campaignId: '99' }, { campaignId: 'none' }]) {
    const discovery = sampleDiscovery(lease, given);
    const { status, body } = await api.put(`/discoveries/${discovery.id}`, discovery);
    assert.deepEqual([status, body.type], [422, problemType('unknown-reference')]);
  }
});
