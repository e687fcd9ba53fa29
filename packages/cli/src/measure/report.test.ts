import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { campaignResults, type ResultLinkCheck } from '@pronghorn/core/campaign';
import { conditionNamed } from '@pronghorn/core/network';
import { type Campaign, defaultLimits, type Environment, type Metrics, type SiteDiscovery } from '@pronghorn/core/schemas';
import type { ResultVisit } from '@pronghorn/core/verdict';
import { metricNames, type Protocol } from '@pronghorn/core/vocabulary';
import { invalidVisit, madeCampaign, madeVisits, roundsOfChanges } from '../../../core/fixtures/made-campaign.ts';
import { report } from './report.ts';

const protocols: Protocol[] = ['h2', 'h3'];
const presetOf = (name: string) => conditionNamed(name) ?? assert.fail(name);
const campaign = {
  id: '1',
  sites: [{ id: 's', url: 'https://a.test/', name: 'A page', expectStatus: 200 }],
  spec: {
    sites: [{ url: 'https://a.test/', name: 'A page', expectStatus: 200 }],
    protocols,
    conditions: [presetOf('native')],
    views: ['cold'],
    primaryMetric: 'onLoad',
    margin: 0.05,
    adjustment: 'holm',
    maximumRounds: null,
    discovery: 'forced',
    limits: defaultLimits,
    seed: 1,
  },
} as unknown as Campaign;

const metrics = (value: number) => Object.fromEntries(metricNames.map((name) => [name, value])) as Metrics;
const place = { siteId: 's', condition: 'native', view: 'cold', roundNumber: 1 } as const;
const valid = (slot: number, value: number) =>
  ({ ...place, slot, verdict: 'valid', metrics: metrics(value), receiveDrops: 0 }) as ResultVisit;
const invalid = (slot: number, reason: string) => ({ ...place, slot, verdict: 'invalid', reason }) as ResultVisit;

const atLength = { verbose: true };
const told = (visits: ResultVisit[], options = atLength) =>
  stripVTControlCharacters(report(campaign, campaignResults(campaign, visits), [], options));

test('each protocol has a row of numbers, and the H3-Delta names which is lower', () => {
  const text = told([valid(0, 200), valid(1, 150)]);
  assert.match(text, /^A page {2}https:\/\/a\.test\/ {2}native, cold$/m);
  assert.match(text, /^onLoad +h2 +1 +– +200 +200 +200 +200 +200 +200$/m);
  assert.match(text, /^ +h3 +1 +– +150 /m);
  assert.match(text, /^H3-Delta: onLoad −0\.250; SpeedIndex −0\.250$/m);
  const filmed = { ...campaign, spec: { ...campaign.spec, engine: 'browsertime' as const } };
  const ofVideo = report(filmed, campaignResults(filmed, [valid(0, 200), valid(1, 150)]), [], atLength);
  assert.match(stripVTControlCharacters(ofVideo), /^H3-Delta: onLoad −0\.250; SpeedIndex from video −0\.250$/m);
  assert.match(
    text.replaceAll('\n', ' '),
    /No clear difference in onLoad between HTTP\/3 and HTTP\/2 \(.*1 round.*Needs at least 6 rounds; has 1\./,
  );
  assert.match(
    text.replaceAll('\n', ' '),
    /forced from the first request: what a visitor gets whose browser already knows that the host speaks it\. A first visitor of a host without an HTTPS record begins over HTTP\/2/,
  );
});

test('who visited is told where it is no usual visitor, without what is secret', () => {
  const visitor = { device: 'phone' as const, basicAuth: { user: 'ann', password: 'env:STAGING_PASSWORD' } };
  const asPhone = { ...campaign, spec: { ...campaign.spec, visitor } };
  const text = stripVTControlCharacters(report(asPhone, campaignResults(asPhone, [valid(0, 100)]), [], atLength));
  assert.match(text, /native, cold\nVisited with: phone; login as ann with env:STAGING_PASSWORD\.\n/);
  assert.doesNotMatch(told([valid(0, 100)]), /Visited with/);
});

test('a warm view says what it is after, where that is not the page itself', () => {
  const said = (view: 'cold' | 'warm', after?: string[]) => {
    const [site] = campaign.sites;
    const visitor = after === undefined ? {} : { visitor: { after } };
    const journey = { ...campaign, spec: { ...campaign.spec, views: [view] }, sites: [{ ...(site ?? assert.fail()), ...visitor }] };
    const visits = [valid(0, 100), valid(1, 90)].map((visit) => ({ ...visit, view }));
    const text = report(journey, campaignResults(journey, visits), [], atLength);
    return /native, (?:cold|warm)\n(.*)/.exec(stripVTControlCharacters(text))?.[1];
  };
  assert.equal(said('warm', ['/', '/list']), 'Its warm view: after /, /list.');
  assert.equal(said('warm', []), 'Its warm view: opened first, with nothing kept.');
  for (const other of [said('warm'), said('cold', ['/list'])]) assert.doesNotMatch(other ?? '', /Its warm view/);
});

test('what a full receive buffer lost is told under its cell', () => {
  const lossy = { ...valid(1, 150), receiveDrops: 7 } as ResultVisit;
  const text = told([valid(0, 200), lossy]).replaceAll('\n', ' ');
  assert.match(text, /In 1 of 1 visit over h3, 7 datagrams crossed the link and were lost in the browser’s full receive buffer/);
  assert.match(text, /doctor shows what Chrome requests/);
});

test('a verdict stands under the numbers, and H3-Delta has its interval', () => {
  const visits = Array.from({ length: 12 }, (_, round) => [
    { ...valid(0, 200 + round), roundNumber: round + 1 },
    { ...valid(1, 150 + round), roundNumber: round + 1 },
  ]).flat() as ResultVisit[];
  const text = told(visits).replaceAll(/\s+/g, ' ');
  assert.match(text, /HTTP\/3 is faster: the page finishes loading 50 ms \(24 %\) sooner over HTTP\/3 than over HTTP\/2; 95 % sure it is /);
  assert.match(text, /H3-Delta: onLoad −0\.243 \(−0\.\d+ to −0\.\d+\)/);
});

test('where the verdict is of fewer rounds than the medians, that is said, and H3-Delta has no interval', () => {
  const goingOn = { ...campaign, spec: { ...campaign.spec, rounds: 10, maximumRounds: 60 } } as Campaign;
  const visits = Array.from({ length: 12 }, (_, round) => [
    { ...valid(0, 200 + round), roundNumber: round + 1 },
    { ...valid(1, 150 + round), roundNumber: round + 1 },
  ]).flat() as ResultVisit[];
  const text = stripVTControlCharacters(report(goingOn, campaignResults(goingOn, visits, [], false), [], atLength)).replaceAll(/\s+/g, ' ');
  assert.match(text, /of the 10 rounds until the last planned look; the medians are of all 12 so far\. H3-Delta: onLoad −0\.243; /);
});

test('browser, link and server are named', () => {
  const environment = {
    browser: { product: 'Chrome/156' },
    link: { backend: 'guest', kernel: '7.2', congestionControl: 'cubic' },
    origin: { server: 'nginx', version: '1.30.6' },
  } as unknown as Environment;
  const visits = [valid(0, 200)];
  const text = stripVTControlCharacters(report(campaign, campaignResults(campaign, visits), [], { environment }));
  assert.match(text, /^Chrome\/156 behind the link guest \(kernel 7\.2\), TCP cubic at both ends, served by nginx 1\.30\.6\.$/m);
  const elsewhere = report(campaign, campaignResults(campaign, visits), [], { environment: { ...environment, origin: null } });
  assert.match(stripVTControlCharacters(elsewhere).replaceAll(/\s+/g, ' '), /TCP cubic at the browser’s end \(servers use their own\)\.$/);
  const wordsOf = (cpuSlowdown: Environment['cpuSlowdown']) =>
    stripVTControlCharacters(
      report(campaign, campaignResults(campaign, visits), [], { environment: { ...environment, cpuSlowdown } as Environment }),
    ).replaceAll(/\s+/g, ' ');
  assert.match(
    wordsOf({ factor: 3.5, machineIndex: 3_500 }),
    /The CPU was slowed down 3\.5 times, from this machine’s benchmark index 3,500, in steps of a half\.$/,
  );
  assert.match(wordsOf({ factor: 6, machineIndex: null }), /The CPU was slowed down 6 times, as the campaign says\.$/);
  assert.match(wordsOf({ factor: 1, machineIndex: 800 }), /The CPU was not slowed down, from/);
});

test('invalid visits are counted by reason and protocol beside the numbers', () => {
  const text = told([valid(0, 200), invalid(0, 'busy-machine'), invalid(1, 'busy-machine'), invalid(1, 'quic-error')]);
  assert.match(text, /^2 invalid visits \(h2 1, h3 1\): busy-machine \(other work/m);
  assert.match(text, /^1 invalid visit \(h3 1\): quic-error \(HTTP/m);
  assert.match(text, /more than 20 % of the CPU: end it, or allow more with --busy/);
  assert.match(text, /^ +h3 +0 +– /m);
});

test('a site without a valid visit has no table', () => {
  const text = told([invalid(0, 'dns-error'), invalid(1, 'dns-error')]);
  assert.match(text, /Nothing valid was measured\.\n2 invalid visits \(h2 1, h3 1\): dns-error/);
  assert.doesNotMatch(text, /median|H3-Delta|forced/);
});

const under = (names: string[]): Campaign => ({ ...campaign, spec: { ...campaign.spec, conditions: names.map(presetOf) } });
const checked = (condition: string, p50Ms: number): ResultLinkCheck => ({
  id: '0193f0b4-8c1e-7d3a-9a53-2f6f0c4f5a01',
  checkedAt: '2026-01-02T03:04:05.000Z',
  condition,
  backend: 'guest',
  kernel: '7.2.1',
  tcLines: [],
  rtt: { requestedMs: 50, meanMs: p50Ms, p50Ms, p99Ms: p50Ms + 1, toleranceMs: 2.5, packets: 20, within: true },
  up: null,
  down: null,
  faults: [],
  counted: true,
});

test('under a heading stands what the link was asked to do and what it was measured to do', () => {
  const poor = under(['poor']);
  const visits = [valid(0, 200), valid(1, 150)].map((visit) => ({ ...visit, condition: 'poor' }));
  const text = stripVTControlCharacters(
    report(poor, campaignResults(poor, visits, [checked('poor', 50.4), checked('poor', 50.6)]), [], atLength),
  );
  assert.match(
    text,
    /poor, cold\nLink: \+50 ms RTT, 10 Mbit\/s both ways, 2 % loss each way\.\nMeasured: RTT 50\.5 ms; 2 checks; guest \(7\.2\.1\)\.\n/,
  );
  assert.doesNotMatch(told([valid(0, 200)]), /Link:|Measured:/);
});

/** Rounds in which h2 and h3 take so long, with some noise. */
const rounds = (h2: number, h3: number, count: number, where: Partial<ResultVisit> = {}) =>
  Array.from({ length: count }, (_, round) => [
    { ...valid(0, h2 + round), ...where, roundNumber: round + 1 },
    { ...valid(1, h3 + ((3 * round) % 7)), ...where, roundNumber: round + 1 },
  ]).flat() as ResultVisit[];

test('a report begins with the answer, and one place has a line for each metric', () => {
  const lines = told(rounds(1050, 950, 8), { verbose: false }).split('\n');
  const text = lines.join(' ');
  assert.match(
    text,
    /^HTTP\/3 is faster: the page finishes loading 1\d\d ms \([\d.]+ %\) sooner over HTTP\/3 than over HTTP\/2; 95 % sure it is/,
  );
  assert.ok(
    lines.some((line) => /^A page, native +HTTP\/2 +HTTP\/3 +differs +95 % interval$/.test(line)),
    text,
  );
  assert.ok(
    lines.some((line) => /^onLoad +1,054 ms +953 ms +−1\d\d ms +−9\.\d % +−9\.\d to −\d\.\d % +◆ HTTP\/3 faster$/.test(line)),
    text,
  );
  assert.ok(
    lines.some((line) => /^SpeedIndex .*exploratory$/.test(line)),
    text,
  );
  assert.match(text, /16 loads count, over HTTP\/2 and HTTP\/3\./);
  assert.doesNotMatch(text, /p90|H3-Delta|--until-settled/);
});

test('many cells have a line each, where HTTP/3 loses most first, and are counted in a sentence', () => {
  const names = ['native', 'latency-50', 'loss-2', 'poor'];
  const several = under(names);
  const visits = [
    ...rounds(200, 150, 9, { condition: 'native' }),
    ...rounds(400, 150, 9, { condition: 'latency-50' }),
    ...rounds(600, 900, 9, { condition: 'loss-2' }),
    ...rounds(500, 500, 2, { condition: 'poor' }),
  ];
  const text = stripVTControlCharacters(report(several, campaignResults(several, visits), []));
  const sentence = text.split('\n\n')[0]?.replaceAll('\n', ' ');
  assert.equal(
    sentence,
    'HTTP/3 is faster in 2 of 4 cells, by 51 to 251 ms (25 to 62 %); HTTP/2 in 1, by 299 ms (49 %). Open in 1: too few rounds (1).',
  );
  const places = text.split('\n').flatMap((line) => /^(native|latency-50|loss-2|poor) .*(faster|inconclusive|yet)$/.exec(line)?.[1] ?? []);
  assert.deepEqual(places, ['loss-2', 'poor', 'native', 'latency-50']);
  assert.match(text, /^condition +onLoad, HTTP\/2 +HTTP\/3 +differs +([\d.]+ % )?interval$/m);
  assert.match(text.replaceAll(/\s+/g, ' '), /To settle open cells, repeat the command with --until-settled/);
});

test('what came over HTTP/3 stands beside what was forced, and a force list that changed is told', () => {
  const share = (value: number) => ({ ...valid(1, 900), metrics: { ...metrics(900), h3Share: value, h3ByteShare: 0.88 } }) as ResultVisit;
  const visits = [valid(0, 1000), share(0.91)];
  const discovery = (id: string, replaces: string | null, forced: string[]): SiteDiscovery => ({
    ...{
      id,
      campaignId: '1',
      siteId: 's',
      runner: 'here',
      discoveredAt: '2026-03-02T12:00:00.000Z',
      replaces,
      finalUrl: 'https://a.test/',
    },
    ...{ redirects: [], hosts: [], forced, objectCoverage: 0.93, byteCoverage: 0.9, failure: null },
  });
  const found = [discovery('1', null, ['a.test:443', 'ads.test:443']), discovery('2', '1', ['a.test:443'])];
  const text = stripVTControlCharacters(report(campaign, campaignResults(campaign, visits), found, atLength)).replaceAll(/\s+/g, ' ');
  assert.match(
    text,
    /93 % of objects, 90 % of bytes at discovery\. Over HTTP\/3 in the visits: 91 % of objects, 88 % of bytes \(medians\)/,
  );
  assert.match(text, /changed within this campaign: from 2026-03-02T12:00:00\.000Z on left to HTTP\/2 ads\.test:443/);
});

test('a protocol that discovery ruled out is reported with the proof, once, short and in full', () => {
  const host = {
    ...{ host: 'a.test:443', requests: 1, transferBytes: 1, protocol: 'h2', server: null, altSvc: 'h3=":443"', httpsRecord: null },
    ...{ offersH3: true, h3: 'failed' as const, probeError: 'net::ERR_QUIC_HANDSHAKE_FAILED' },
  };
  const discovery: SiteDiscovery = {
    ...{ id: '1', campaignId: '1', siteId: 's', runner: 'here', discoveredAt: '2026-03-02T12:00:00.000Z', finalUrl: 'https://a.test/' },
    ...{ redirects: [], hosts: [host], forced: [], objectCoverage: 0, byteCoverage: 0, failure: null },
  };
  const visits = [valid(0, 1000), { ...valid(1, 0), verdict: 'invalid', reason: 'protocol-unavailable', counted: true } as ResultVisit];
  for (const length of [{}, atLength]) {
    const text = stripVTControlCharacters(report(campaign, campaignResults(campaign, visits), [discovery], length)).replaceAll(/\s+/g, ' ');
    const proofs = text.match(/a\.test:443 advertises HTTP\/3 \(Alt-Svc h3=":443", no HTTPS record\), but it failed in each of 3 tries/g);
    assert.equal(proofs?.length, 1, text);
  }
});

test('of ten and more sites the report begins with how many differ at least, of all, those among them that never loaded', () => {
  const many = madeCampaign({ sites: 12, rounds: 8 });
  const slower = roundsOfChanges(8, 9, 10, 11, 12, 13, 14, 15);
  const [dead, ...alive] = many.sites.map(({ id }) => id);
  const visits = [...alive.flatMap((siteId) => madeVisits(slower, { siteId })), { ...invalidVisit(1, 0, 'dns-error'), siteId: dead ?? '' }];
  const [first = '', second = ''] = stripVTControlCharacters(report(many as Campaign, campaignResults(many, visits), [])).split('\n\n');
  assert.match(first, /could not be loaded/);
  assert.match(second, /^onLoad differs between HTTP\/3 and HTTP\/2 on at least 11 of 12 sites, with\s95 % confidence\./);
});

test('of winners whose difference has no bound, since visits failed, no size is told', () => {
  const many = madeCampaign({ sites: 4, rounds: 8 });
  const slower = roundsOfChanges(8, 9, 10, 11, 12, 13, 14, 15);
  const failing = slower.map(([h2 = null], i) => [h2, i === 0 ? 1500 : Number.POSITIVE_INFINITY]);
  const visits = many.sites.flatMap(({ id }) => madeVisits(id === '1' ? failing : slower, { siteId: id }));
  const said = stripVTControlCharacters(report(many as Campaign, campaignResults(many, visits), [])).replaceAll('\n', ' ');
  assert.match(said, /^HTTP\/2 is faster in 4 of 4 cells, in 3 of them by 115 ms \(11 %\)\. /);
});

test('where the share of false winners is kept, the sentence over many says so', () => {
  const said = (adjustment: 'benjamini-hochberg' | 'hommel') => {
    const many = madeCampaign({ sites: 4, rounds: 8, adjustment });
    const visits = many.sites.flatMap(({ id }) => madeVisits(roundsOfChanges(8, 9, 10, 11, 12, 13, 14, 15), { siteId: id }));
    return stripVTControlCharacters(report(many as Campaign, campaignResults(many, visits), [])).replaceAll('\n', ' ');
  };
  assert.match(
    said('benjamini-hochberg'),
    /HTTP\/2 is faster in 4 of 4 cells, by .*\. Of these winners at most 5 % are false, on average\. /,
  );
  assert.doesNotMatch(said('hommel'), /on average/);
});

test('the size that is told of winners is of those that have one', () => {
  const many = madeCampaign({ sites: 4, rounds: 12 });
  const faster = roundsOfChanges(-8, -9, -10, -11, -12, -13, -14, -15, -16, -17, -18, -19);
  const failing = Array.from({ length: 12 }, (_, round) => [round < 9 ? Number.POSITIVE_INFINITY : 1000, 500 + round]);
  const visits = [...madeVisits(failing, { siteId: '1' }), ...many.sites.slice(1).flatMap(({ id }) => madeVisits(faster, { siteId: id }))];
  const text = stripVTControlCharacters(report(many as Campaign, campaignResults(many, visits), [])).replaceAll(/\s+/g, ' ');
  assert.match(text, /^HTTP\/3 is faster in 4 of 4 cells, in 3 of them by 136 ms \(14 %\)\./);
  assert.match(text, /site-1\.example\/ ≥ 60,000 ms 506 ms no bound ◆ HTTP\/3 faster/);
});

test('what a place differs from itself by is told with the place, and of many only where to read it', () => {
  const noise = (sites: number) => {
    const many = madeCampaign({ sites, protocols: ['h3', 'h3'], rounds: 3 });
    const visits = many.sites.flatMap(({ id }) => madeVisits(roundsOfChanges(8, 9, 10), { siteId: id }));
    const text = stripVTControlCharacters(report(many as Campaign, campaignResults(many, visits), [])).replaceAll(/\s+/g, ' ');
    return text.match(/(\S+ )?A\/A\b/g);
  };
  assert.equal(noise(1)?.length, 1);
  assert.deepEqual(noise(3), ['https://site-1.example/: A/A', 'https://site-2.example/: A/A', 'https://site-3.example/: A/A']);
  assert.equal(noise(4)?.length, 1);
});

test('how many rounds --until-settled adds at most is told as it does', () => {
  for (const [rounds, most] of [
    [9, 60],
    [25, 75],
  ] as const) {
    const open = madeCampaign({ rounds });
    const text = report(open as Campaign, campaignResults(open, madeVisits(roundsOfChanges(1, -20, 30))), []);
    assert.match(stripVTControlCharacters(text).replaceAll(/\s+/g, ' '), new RegExp(`--until-settled: .* up to ${most}\\.`));
  }
});

test('beside a page that never loaded the answer says which page it is of', () => {
  const two = madeCampaign({ sites: 2, rounds: 9 });
  const visits = [
    ...madeVisits(roundsOfChanges(-8, -9, -10, -11, -12, -13, -14, -15, -16), { siteId: '1' }),
    { ...invalidVisit(1, 0, 'dns-error'), siteId: '2' },
  ];
  const parts = stripVTControlCharacters(report(two as Campaign, campaignResults(two, visits), [])).split('\n\n');
  assert.match(parts[0] ?? '', /^https:\/\/site-2\.example\/ could not be loaded: /);
  assert.match(parts[1] ?? '', /^https:\/\/site-1\.example\/: HTTP\/3 is faster/);
});

test('a long URL leaves its numbers room on the line', () => {
  const long = { ...campaign, sites: campaign.sites.map((site) => ({ ...site, name: `a.test/${'path/'.repeat(30)}` })) };
  const text = stripVTControlCharacters(report(long, campaignResults(long, rounds(1050, 950, 8)), []));
  assert.match(text, /^a\.test\/path\/path\/path\/path\/path\/path\/pa…, native +HTTP\/2/m);
});

test('of REST calls it is told what each run did, at each site where they differ, and nothing of pages', () => {
  const calls = (own: object) => {
    const { spec, sites } = campaign;
    const [site] = sites;
    assert.ok(site);
    const others = [
      { ...site, url: 'https://a.test/items', name: 'items', workload: { users: 50, requests: 10 } },
      { ...site, url: 'https://a.test/upload', name: 'upload', ...own },
    ];
    const of = {
      ...campaign,
      sites: others.map((other, i) => ({ ...other, id: i === 0 ? 's' : 't' })),
      spec: { ...spec, engine: 'transaction', primaryMetric: 'responseTime' },
    } as Campaign;
    const visits = [valid(0, 200), valid(1, 150)];
    return stripVTControlCharacters(report(of, campaignResults(of, visits), [])).replaceAll('\n', ' ');
  };
  const same = calls({ workload: { users: 50, requests: 10 } });
  assert.match(same, /Each run: 50 users send 10 GET requests each, over one connection each; 500 requests\./);
  assert.doesNotMatch(same, /onLoad|SpeedIndex|forced from the first request|\bpage\b/);
  const differing = calls({ workload: { method: 'POST', bodyBytes: 2_000_000 } });
  assert.match(differing, /Each run of items: 50 users send/);
  assert.match(differing, /Each run of upload: 1 user sends 100 POST requests of 2 MB, over one connection\./);
});
