import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiDenied, ApiRefusal, ApiUnavailable } from '@pronghorn/core/client';
import type { Condition, Lease, SiteDiscovery, VisitUpload } from '@pronghorn/core/schemas';
import { madeSpec } from '../../../core/fixtures/made-campaign.ts';
import type { Upload } from '../api/uploads.ts';
import type { DiscoveryRequest, Engine } from '../engines/engine.ts';
import { KnownSites } from './known-sites.ts';

const sites = ['a', 'b', 'c'].map((id) => ({ id, url: `https://${id}.example/`, name: id, expectStatus: 200 }));
const leaseOf = (siteId: string, up: Condition['up'] = {}): Lease => ({
  ...{ id: 'lease', expiresAt: '', heartbeatMs: 1_000, spec: madeSpec({ conditions: [{ name: 'native', up, down: {} }] }) },
  round: {
    ...{ id: 'round', campaignId: '1', siteId, condition: 'native', view: 'cold', number: 1, order: [0, 1] },
    ...{ state: 'leased', attempt: 1, reason: null, linkCheckId: null },
  },
  site: sites.find(({ id }) => id === siteId) ?? assert.fail(),
});

/** An api, and a network that runners discover; by host what a probe says there. */
function openWorld() {
  const stored: SiteDiscovery[] = [];
  const world = {
    stored,
    now: Date.parse('2026-03-01T12:00:00Z'),
    /** Sites discovered, by which runner. */
    made: [] as string[],
    /** How often all sites of the campaign were asked for. */
    asked: 0,
    isAway: false,
    answers: { 'ads.example:443': 'proven' } as Record<string, 'proven' | 'failed'>,
    failure: null as SiteDiscovery['failure'],
    hints: [] as string[],
    /** What the api says to a discovery without a failure. */
    refusal: null as ((path: string) => Error) | null,
    /** Called while a runner discovers. */
    meanwhile: async () => {},
    runner(name: string) {
      const warned: string[] = [];
      const known = new KnownSites({
        runner: name,
        events: { warned: (message) => warned.push(message) },
        api: {
          sites: async () => {
            world.asked += 1;
            if (world.isAway) throw new ApiUnavailable('It is away.', null);
            return sites;
          },
          discoveries: async function* (_lease, after) {
            yield* stored.slice(stored.findIndex(({ id }) => id === after) + 1);
          },
        },
        now: () => world.now,
      });
      const engine: Engine = {
        load: () => assert.fail('it discovers in one'),
        close: async () => {},
        async discover(site, { verdicts, replaces }: DiscoveryRequest, runner) {
          world.made.push(`${runner} ${site.id}`);
          await world.meanwhile();
          const hosts = [`${site.id}.example:443`, 'ads.example:443'].map((host) => {
            const said = verdicts[host] ?? { h3: world.answers[host] ?? ('proven' as const), probeError: null };
            return { ...{ host, requests: 1, transferBytes: 1, protocol: 'h2', server: null, altSvc: null, offersH3: true }, ...said };
          });
          return {
            ...{
              id: `${runner}-${world.made.length}`,
              campaignId: '1',
              siteId: site.id,
              runner,
              replaces,
              finalUrl: site.url,
              redirects: [],
            },
            ...{
              discoveredAt: new Date(world.now).toISOString(),
              hosts,
              objectCoverage: 1,
              byteCoverage: 1,
              failure: world.failure,
              hints: world.hints,
            },
            forced: hosts.filter(({ h3 }) => h3 === 'proven').map(({ host }) => host),
          };
        },
      };
      const link = { prepare: async () => null, clear: async () => {}, watch: () => async () => null };
      const deliver = async ({ body, path }: Upload) => {
        const sent: SiteDiscovery = JSON.parse(String(body));
        if (sent.failure === null && world.refusal !== null) throw world.refusal(path);
        stored.push(sent);
      };
      return {
        ...{ known, warned },
        get: async (siteId: string) => {
          const lease = leaseOf(siteId);
          return known.get(lease, await known.sitesOf(lease), { engine, link }, deliver, new AbortController().signal);
        },
      };
    },
  };
  return world;
}

test('no other runner repeats a discovery, nor does the same one after a restart', async () => {
  const world = openWorld();
  const first = await world.runner('one').get('b');
  assert.deepEqual(world.made, ['one b', 'one c', 'one a'], 'its own site first');
  const [again, other] = [await world.runner('one').get('b'), await world.runner('two').get('b')];
  assert.equal(world.made.length, 3);
  assert.deepEqual([again, other], [first, first]);
  assert.deepEqual(first.forced, ['a.example:443', 'ads.example:443', 'b.example:443', 'c.example:443']);
});

test('a runner asks for the sites of a campaign once, and while the api is away it discovers the one of its round', async () => {
  const world = openWorld();
  world.isAway = true;
  const runner = world.runner('one');
  await runner.get('b');
  assert.deepEqual(world.made, ['one b']);
  world.isAway = false;
  await runner.get('b');
  await runner.get('c');
  assert.deepEqual([world.made, world.asked], [['one b', 'one c', 'one a'], 2]);
});

test('two runners that begin at once divide the sites, and go on with the discovery stored first', async () => {
  const world = openWorld();
  // Both are at their first site when the first of them has it.
  let arrived = 0;
  let go = () => {};
  const both = new Promise<void>((resolve) => (go = resolve));
  world.meanwhile = async () => {
    arrived += 1;
    if (arrived === 2) go();
    await both;
  };
  const [one, two] = [world.runner('one'), world.runner('two')];
  const [found, same] = await Promise.all([one.get('a'), two.get('a')]);
  assert.equal(found.discovery.id, same.discovery.id);
  assert.deepEqual(found.forced, same.forced);
  const first = world.stored.find(({ siteId }) => siteId === 'a');
  assert.equal(found.discovery.id, first?.id);
});

test('a discovery is renewed after a day, and only that of the site which is about to be measured', async () => {
  const world = openWorld();
  const runner = world.runner('one');
  const before = await runner.get('a');
  world.now += 23 * 3_600_000;
  assert.equal((await runner.get('a')).discovery, before.discovery);
  world.now += 2 * 3_600_000;
  const after = await runner.get('a');
  assert.equal(after.discovery.replaces, before.discovery.id);
  assert.deepEqual(world.made.slice(3), ['one a']);
  assert.equal((await world.runner('two').get('a')).discovery.id, after.discovery.id);
});

test('a renewal that fails leaves what was known, and is not tried before each round', async () => {
  const world = openWorld();
  const runner = world.runner('one');
  const before = await runner.get('a');
  world.now += 25 * 3_600_000;
  world.failure = { reason: 'dns-error', detail: 'It has no address.' };
  assert.equal((await runner.get('a')).discovery.id, before.discovery.id);
  assert.match(runner.warned[0] ?? '', /^a: could not be discovered again, .* It has no address\.$/);
  await runner.get('a');
  assert.equal(world.made.length, 4);
});

test('a page that hung twice holds no further round until an hour later; another failure is looked at before each', async () => {
  const world = openWorld();
  const runner = world.runner('one');
  world.failure = { reason: 'load-timeout', detail: 'No load event after 60 s.' };
  for (let round = 1; round <= 4; round++) await runner.get('a');
  const looks = () => world.made.filter((made) => made === 'one a').length;
  assert.equal(looks(), 2);
  assert.equal((await world.runner('two').get('a')).discovery.failure?.reason, 'load-timeout');
  world.now += 61 * 60_000;
  world.failure = { reason: 'connection-error', detail: 'It is down.' };
  for (let round = 1; round <= 3; round++) await runner.get('a');
  assert.equal(looks(), 5);
  world.failure = null;
  assert.equal((await runner.get('a')).discovery.failure, null);
});

test('a page’s own host that did not answer over HTTP/3 is asked again after an hour', async () => {
  const world = openWorld();
  const runner = world.runner('one');
  world.answers['a.example:443'] = 'failed';
  assert.ok(!(await runner.get('a')).forced.includes('a.example:443'));
  world.answers['a.example:443'] = 'proven';
  world.now += 61 * 60_000;
  assert.ok((await runner.get('a')).forced.includes('a.example:443'));
});

test('a campaign goes on with the page hints that it began with, by which visits get a context or a Chrome', async () => {
  const world = openWorld();
  const runner = world.runner('one');
  await runner.get('a');
  world.hints = ['https://ads.example'];
  world.now += 25 * 3_600_000;
  const { discovery } = await runner.get('a');
  assert.equal(world.made.length, 4, 'it was renewed');
  assert.deepEqual(discovery.hints, []);
});

test('a host has one verdict: what failed for one site is not forced for another', async () => {
  const world = openWorld();
  world.answers['ads.example:443'] = 'failed';
  const runner = world.runner('one');
  await runner.get('a');
  // It would answer now; it was asked once for all sites.
  world.answers['ads.example:443'] = 'proven';
  world.now += 25 * 3_600_000;
  assert.ok(!(await runner.get('b')).forced.includes('ads.example:443'), 'for a and c it is still known to have failed');
});

test('a third-party host that fails in two of ten visits is left to HTTP/2 everywhere, and probed again after a day', async () => {
  const world = openWorld();
  const runner = world.runner('one');
  const { forced } = await runner.get('a');
  const visit = (host: string | null, protocol = 'h3') =>
    ({
      ...{ protocol, finalUrl: 'https://a.example/' },
      resources: [{ url: `https://${host ?? 'a.example'}/x.js`, failure: host === null ? null : 'net::ERR_QUIC_PROTOCOL_ERROR' }],
    }) as VisitUpload;
  const noted = (host: string | null) => runner.known.note(visit(host), leaseOf('a'), forced);
  noted('ads.example');
  for (let i = 0; i < 9; i++) noted(null);
  noted('ads.example');
  await runner.get('a');
  assert.equal(world.made.length, 3, 'the first failure is more than ten visits ago');
  for (const _ of [1, 2]) noted('a.example');
  await runner.get('a');
  assert.equal(world.made.length, 3, 'the page’s own host is not left to HTTP/2: that it fails is what was found');
  for (const _ of [1, 2]) runner.known.note({ ...visit('ads.example'), netlog: { findings: null } as never }, leaseOf('a'), forced);
  await runner.get('a');
  assert.equal(world.made.length, 3, 'an extra visit decides nothing');
  const lossy = leaseOf('a', { loss: { model: 'independent', share: 0.1 } });
  for (const _ of [1, 2]) runner.known.note(visit('ads.example'), lossy, forced);
  await runner.get('a');
  assert.equal(world.made.length, 3, 'what the condition loses is what the campaign is there to see');
  for (const _ of [1, 2]) runner.known.note(visit('ads.example', 'h2'), leaseOf('a'), forced);
  noted('ads.example');
  await runner.get('a');
  assert.equal(world.made.length, 3, 'over HTTP/2 it fails as often');
  noted('ads.example');
  const found = await runner.get('a');
  assert.equal(found.discovery.hosts.find(({ host }) => host === 'ads.example:443')?.h3, 'unreliable');
  assert.match(runner.warned[0] ?? '', /^a: ads\.example:443 failed over HTTP\/3 repeatedly, and is left to HTTP\/2/);
  for (const name of ['one', 'two']) assert.ok(!(await world.runner(name).get('b')).forced.includes('ads.example:443'), name);
  assert.equal(world.made.length, 4);
});

test('a discovery that the api refuses is a site that fails, no runner that does', async () => {
  const world = openWorld();
  world.refusal = (path) => new ApiRefusal(413, `PUT ${path}: 413 The body has more than 8388608 bytes`);
  const { discovery } = await world.runner('one').get('a');
  assert.equal(discovery.failure?.reason, 'page-too-big');
  assert.match(discovery.failure?.detail ?? '', /413 The body has more than/);
  assert.deepEqual(
    world.stored.map(({ siteId, hosts }) => [siteId, hosts.length]),
    [
      ['a', 0],
      ['b', 0],
      ['c', 0],
    ],
  );
  for (const refusal of [
    (path: string) => new ApiDenied(403, path),
    (path: string) => new ApiRefusal(409, path, 'urn:pronghorn:problem:lease-lost'),
    () => new ApiRefusal(413, 'PUT /leases/1/visits/2, which was kept: 413'),
  ]) {
    const other = openWorld();
    other.refusal = refusal;
    await assert.rejects(other.runner('one').get('a'), ApiRefusal);
  }
});
