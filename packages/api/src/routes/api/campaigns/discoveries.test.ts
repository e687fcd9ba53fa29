import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DiscoveredHost, problemType, type SiteDiscovery } from '@pronghorn/core/schemas';
import { sampleDiscovery, sampleVisit } from '../../../testing/samples.ts';
import { testApi } from '../../../testing/test-api.ts';

test('a discovery is stored once, and never changes', async (t) => {
  const api = await testApi(t);
  await api.campaign();
  const lease = await api.lease();
  const discovery = sampleDiscovery(lease);
  const path = `/leases/${lease.id}/discoveries/${discovery.id}`;
  assert.equal((await api.put(path, discovery)).status, 201);
  assert.equal((await api.put(path, discovery)).status, 200);
  assert.deepEqual((await api.get(`/discoveries/${discovery.id}`)).body, discovery);
  const other = await api.put(path, { ...discovery, forced: [] });
  assert.deepEqual([other.status, other.body.type], [409, problemType('already-different')]);
});

test('a discovery of a page with a thousand hosts and broken URLs is taken', async (t) => {
  const api = await testApi(t);
  await api.campaign();
  const lease = await api.lease();
  const discovery = sampleDiscovery(lease);
  const hosts = Array.from(
    { length: 1_000 },
    (_, n): DiscoveredHost => ({
      ...{ host: `h${n}.example:443`, requests: 1, transferBytes: 1, protocol: 'h2', server: null, probeError: null },
      ...{ altSvc: 'h3=":443", '.repeat(150), offersH3: true, h3: 'proven' },
    }),
  );
  const broken = hosts.map((one) => `https://${one.host}/${'x'.repeat(2_000)}`);
  assert.equal((await api.put(`/leases/${lease.id}/discoveries/${discovery.id}`, { ...discovery, hosts, broken })).status, 201);
});

test('a discovery of another campaign than its lease, or of a site that the campaign does not have, is refused', async (t) => {
  const api = await testApi(t);
  await api.campaign();
  await api.campaign();
  const lease = await api.lease();
  for (const given of [
    { siteId: '99' },
    { campaignId: '2' },
    { campaignId: '2', siteId: '2' },
    { campaignId: '99' },
    { campaignId: 'none' },
  ]) {
    const discovery = sampleDiscovery(lease, given);
    const { status, body } = await api.put(`/leases/${lease.id}/discoveries/${discovery.id}`, discovery);
    assert.deepEqual([status, body.type], [422, problemType('unknown-reference')], JSON.stringify(given));
  }
  const discovery = sampleDiscovery(lease);
  assert.equal((await api.put(`/leases/none/discoveries/${discovery.id}`, discovery)).status, 404);
  assert.equal((await api.put(`/discoveries/${discovery.id}`, discovery)).status, 405, 'nothing is taken without a lease');
});

test('a discovery that was kept while the service was away is taken when its lease is over, and not when its campaign is gone', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'] });
  const lease = await api.lease();
  const put = (discovery: SiteDiscovery) => api.put(`/leases/${lease.id}/discoveries/${discovery.id}`, discovery);
  await api.upload(lease, sampleVisit(lease, 0));
  assert.equal((await api.complete(lease)).status, 204);
  assert.equal((await put(sampleDiscovery(lease))).status, 201);
  assert.equal((await api.delete('/campaigns/1')).status, 204);
  assert.equal((await put(sampleDiscovery(lease))).status, 404);
});

test('a runner reads what is known of its lease’s campaign, and later what came since', async (t) => {
  const api = await testApi(t);
  await api.campaign({ sites: [{ url: 'https://a.example/' }, { url: 'https://b.example/' }] });
  await api.campaign({ sites: [{ url: 'https://c.example/' }] });
  const [lease, other] = [await api.lease(), await api.lease()];
  const read = async (after = '') => (await api.get(`/leases/${lease.id}/discoveries${after}`)).body.items;
  assert.deepEqual(await read(), []);
  const put = async (discovery: SiteDiscovery, { id } = lease) =>
    assert.equal((await api.put(`/leases/${id}/discoveries/${discovery.id}`, discovery)).status, 201);
  const first = sampleDiscovery(lease, { replaces: null });
  await put(first);
  await put(sampleDiscovery(other), other);
  assert.deepEqual(await read(), [first]);
  assert.deepEqual(await read(`?after=${first.id}`), []);
  const others = Array.from({ length: 101 }, () => sampleDiscovery(lease, { replaces: first.id }));
  for (const discovery of others) await put(discovery);
  assert.deepEqual(await read(`?after=${first.id}`), others.slice(0, 100), 'a page at a time');
  assert.deepEqual(await read(`?after=${others[99]?.id}`), others.slice(100));
  assert.deepEqual((await read('?after=gone')).length, 100, 'an id that this database does not have: from the first');
  assert.equal((await api.get('/leases/none/discoveries')).status, 404);

  const answers = Array.from({ length: 6_000 }, (_, n) => ({
    ...{ url: `https://a.example/${n}/${'x'.repeat(200)}`, answer: 'ok' as const, bodyBytes: n, encoding: null },
  }));
  const long = Array.from({ length: 8 }, () => sampleDiscovery(lease, { replaces: first.id, answers }));
  for (const discovery of long) await put(discovery);
  const last = others.at(-1)?.id;
  const page = await read(`?after=${last}`);
  assert.ok(page.length > 0 && page.length < 8, `${page.length} long ones at once`);
  assert.deepEqual([...page, ...(await read(`?after=${page.at(-1).id}`))].slice(0, page.length + 1), long.slice(0, page.length + 1));
});
