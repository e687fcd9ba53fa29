import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currentDiscoveries, type DiscoveredHost, forceListChanges, forceListOf, type SiteDiscovery } from './discovery.ts';

const discovery = (id: string, hosts: Record<string, DiscoveredHost['h3']>, given: Partial<SiteDiscovery> = {}): SiteDiscovery => ({
  ...{ id, campaignId: '1', siteId: 'a', runner: 'here', discoveredAt: `at ${id}`, finalUrl: 'https://a.example/', redirects: [] },
  hosts: Object.entries(hosts).map(([host, h3]) => ({
    ...{
      host,
      requests: 1,
      transferBytes: 1,
      protocol: 'h2',
      server: null,
      altSvc: null,
      offersH3: h3 !== 'not-offered',
      h3,
      probeError: null,
    },
  })),
  forced: Object.keys(hosts).filter((host) => hosts[host] === 'proven'),
  ...{ objectCoverage: 1, byteCoverage: 1, failure: null },
  ...given,
});

test('of two runners that discover a site at once, the discovery that was stored first counts', () => {
  const [first, second] = [discovery('1', { x: 'proven' }, { replaces: null }), discovery('2', { y: 'proven' }, { replaces: null })];
  const other = discovery('3', {}, { siteId: 'b', replaces: null });
  assert.deepEqual(
    [...currentDiscoveries([first, second, other]).values()].map(({ id }) => id),
    ['1', '3'],
  );
});

test('a discovery is renewed by the first that names it', () => {
  const first = discovery('1', {}, { replaces: null });
  const [renewed, late] = [discovery('2', {}, { replaces: '1' }), discovery('3', {}, { replaces: '1' })];
  const again = discovery('4', {}, { replaces: '2' });
  assert.equal(currentDiscoveries([first, renewed, late]).get('a')?.id, '2');
  assert.equal(currentDiscoveries([first, renewed, late, again]).get('a')?.id, '4');
});

test('a host that failed for one site is forced for none', () => {
  const one = discovery('1', { 'x:443': 'proven', 'y:443': 'proven', 'z:443': 'not-offered' });
  const other = discovery('2', { 'y:443': 'failed', 'z:443': 'proven', 'w:443': 'unreliable' }, { siteId: 'b' });
  assert.deepEqual(forceListOf([one, other]), ['x:443', 'z:443'], 'not offered on some responses is no failure');
});

test('what a renewal forces besides, and what it leaves to HTTP/2, is told; what did not count is not', () => {
  const first = discovery('1', { x: 'proven', y: 'proven' }, { replaces: null });
  const lost = discovery('2', { q: 'proven' }, { replaces: null });
  const failed = discovery('3', {}, { replaces: '1', failure: { reason: 'dns-error', detail: '' } });
  const renewed = discovery('4', { x: 'unreliable', y: 'proven', z: 'proven' }, { replaces: '3' });
  assert.deepEqual(forceListChanges([first, lost]), []);
  assert.deepEqual(forceListChanges([first, lost, failed, renewed]), [{ discoveredAt: 'at 4', added: ['z'], removed: ['x'] }]);
});
