import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeSpec } from '../../fixtures/made-campaign.ts';
import type { CampaignSpec } from '../schemas/campaign.ts';
import type { Metrics } from '../schemas/metrics.ts';
import type { EarlyData } from '../schemas/visit.ts';
import type { ResultVisit } from '../verdict/counted-visits.ts';
import { caveatKinds } from '../vocabulary/caveat.ts';
import type { Protocol } from '../vocabulary/protocol.ts';
import { caveatLines, caveatsAt, warningTitles } from './answer/caveat-lines.ts';
import { campaignCaveats } from './caveats.ts';
import { type DiscoveryFacts, measure } from './measured/measured.ts';

const lossy = { name: 'lossy', up: {}, down: { loss: { model: 'independent', share: 0.01 } } } as const;
const campaign = (given: Partial<CampaignSpec> = {}, urls: readonly string[] = ['https://a.example/', 'https://b.example/']) => ({
  id: '1',
  spec: { ...madeSpec({ protocols: ['h2', 'h3'], rounds: 4 }), ...given },
  sites: urls.map((url, n) => ({ id: 'abcdefgh'[n] as string, url, name: new URL(url).hostname, expectStatus: 200 })),
});
const facts = {
  ...{ requests: 3, finishedBytes: 900, failedRequests: 0, ipv6Share: 0, h3Share: 1, h3ByteShare: 1 },
  ...{ documentAddress: null, ownShare: 0.3, foreignShare: 0.05, refused: 0, cutShort: 0 },
};
type Given = Partial<Omit<Extract<ResultVisit, { verdict: 'valid' }>, 'page'>> & { page?: object };
const visit = ({ page = {}, ...given }: Given): ResultVisit => ({
  ...{ siteId: 'a', condition: 'native', view: 'cold', roundNumber: 1, slot: 1, verdict: 'valid', receiveDrops: null },
  metrics: { onLoad: 100 } as Metrics,
  ...given,
  page: { ...facts, ...page },
});
const caveats = (visits: ResultVisit[], discoveries: DiscoveryFacts[] = [], of = campaign()) =>
  campaignCaveats(measure(of, visits, [], discoveries));
const codes = (...given: Parameters<typeof caveats>) => caveats(...given).map(({ code }) => code);
const discovery = (given: Partial<DiscoveryFacts>): DiscoveryFacts => ({
  id: 'x',
  siteId: 'a',
  finalUrl: 'https://a.example/',
  failure: null,
  ...given,
});

test('a page that its address only leads to is told, as a login where it looks like one', () => {
  assert.deepEqual(codes([visit({})], [discovery({})]), ['native']);
  assert.deepEqual(codes([visit({})], [discovery({ finalUrl: 'https://a.example/#top' })]), ['native']);
  const [led] = caveats([visit({})], [discovery({ finalUrl: 'https://a.example/de/' })]);
  assert.deepEqual([led?.code, led?.siteId, led?.names], ['redirected', 'a', ['/de/']]);
  assert.match(led?.words ?? '', /leads to \/de\/: visits measured that page.* If it is a login/);
  for (const finalUrl of [
    'https://a.example/login?next=%2F',
    'https://accounts.a.example/',
    'https://a.example/users/sign_in',
    'https://sso.example/x',
  ])
    assert.match(caveats([visit({})], [discovery({ finalUrl })])[0]?.words ?? '', /It looks like a login/, finalUrl);
  for (const finalUrl of ['https://a.example/blog/logins-of-2026/', 'https://author.example/', 'https://a.example/assorted'])
    assert.doesNotMatch(caveats([visit({})], [discovery({ finalUrl })])[0]?.words ?? '', /It looks like a login/, finalUrl);
  assert.deepEqual(codes([visit({})], [discovery({ finalUrl: 'no address' })]), ['native'], 'what is no address leads nowhere');
  const renewed = [discovery({ finalUrl: 'https://a.example/login' }), discovery({ id: 'y', replaces: 'x' })];
  assert.deepEqual(codes([visit({})], renewed), ['native'], 'the newest discovery counts');
  assert.deepEqual(codes([], [discovery({ finalUrl: 'https://a.example/login' })]), ['redirected'], 'before the first round');
});

test('parts that failed already at discovery are told with their hosts, and in how many loads something failed', () => {
  const broken = ['https://tag.example/a', 'https://tag.example/b', 'https://a.example/gone.png'];
  const visits = [visit({ page: { failedRequests: 3 } }), visit({ slot: 0 })];
  const [found] = caveats(visits, [discovery({ broken })]);
  assert.deepEqual(
    [found?.code, found?.names, found?.numbers],
    ['broken', ['tag.example', 'a.example'], { objects: 3, hosts: 2, visits: 1, of: 2, local: 0 }],
  );
  assert.match(
    found?.words ?? '',
    /^3 objects of the page, from tag\.example and a\.example, failed already .* in 1 of 2 loads: the numbers are those of the page without them\.$/,
  );
  const many = caveats(visits, [discovery({ broken: Array.from({ length: 20 }, (_, n) => `https://h${n}.example/`) })])[0];
  assert.equal(many?.names.length, 5);
  assert.match(many?.words ?? '', /h4\.example and 15 more hosts/);
  const here = campaign({}, ['https://dist.folder.pronghorn.test/']);
  const local = caveats(visits, [discovery({ broken, finalUrl: 'https://dist.folder.pronghorn.test/' })], here);
  assert.deepEqual(
    local.map(({ code }) => code),
    ['broken', 'native', 'own-server'],
  );
  assert.match(local[0]?.words ?? '', /--outside lets them load/);
});

test('a machine that others used is told, above what campaigns allow by themselves', () => {
  const at = (foreignShare: number | null) => [1, 2, 3].map((roundNumber) => visit({ roundNumber, page: { foreignShare } }));
  assert.deepEqual(codes(at(0.2)), ['native']);
  assert.deepEqual(codes(at(null)), ['native']);
  const of = campaign();
  const [busy] = caveats(at(0.69), [], { ...of, spec: { ...of.spec, limits: { ...of.spec.limits, foreignCpuShare: 1 } } });
  assert.deepEqual([busy?.code, busy?.siteId, busy?.condition], ['busy', null, null]);
  assert.match(busy?.words ?? '', /^Other programs took 69 % .*at most 69 %; 100 % were allowed.* itself 30 %/);
});

test('a link that nobody checked is told where it was shaped; else that nothing was', () => {
  const both = campaign({ conditions: [...madeSpec({}).conditions, lossy] });
  assert.deepEqual(codes([visit({})], [], both), ['native'], 'of a condition without a round nothing is said');
  const found = caveats([visit({}), visit({ condition: 'lossy' })], [], both);
  assert.deepEqual(
    found.map(({ code, condition }) => [code, condition]),
    [
      ['unchecked', 'lossy'],
      ['native', 'native'],
      ['own-stacks', 'lossy'],
    ],
  );
  assert.match(found[2]?.words ?? '', /packets are lost.*congestion control, initial window and pacing/);
  const overTcp = campaign({ conditions: [lossy], protocols: ['h1', 'h2'] });
  assert.deepEqual(codes([visit({ condition: 'lossy' })], [], overTcp), ['unchecked'], 'both are TCP');
});

test('rounds that were not watched equally, pages that move, and early data in repeat views are told of each cell', () => {
  const likeness = {
    requestShare: null,
    bodyShare: null,
    bodyBytes: 9,
    otherAnswers: 0,
    otherEncodings: 0,
    edgeHits: 0,
    edgeMisses: 0,
    picture: null,
  };
  const withEarly = (kinds: (EarlyData | undefined)[], view: 'cold' | 'warm' = 'warm', over: Protocol = 'h3') => {
    const visits = kinds.map((earlyData, n) =>
      visit({ view, roundNumber: n + 1, page: { likeness: { ...likeness, ...(earlyData && { earlyData }) } } }),
    );
    return caveats(visits, [], campaign({ protocols: ['h2', over], views: ['cold', 'warm'] })).find(({ code }) => code === 'early-data')
      ?.words;
  };
  assert.equal(withEarly([undefined, undefined]), undefined);
  assert.equal(withEarly(['answered'], 'cold'), undefined, 'a first visit has no ticket');
  assert.equal(withEarly(['none'], 'warm', 'h2'), undefined, 'no browser sends any over TCP');
  assert.match(withEarly(['none', 'none', undefined]) ?? '', /^In none of 2 repeat views over HTTP\/3, .* may not offer that\.$/);
  assert.match(withEarly(['answered', 'answered']) ?? '', /^In 2 of 2 repeat views over HTTP\/3, .* saves a round trip .* over TCP\.$/);
  assert.match(withEarly(['answered', 'sent', 'none']) ?? '', /^In 1 of 3 .*; in 1 more it was sent so, but answered later\.$/);
  assert.match(withEarly(['sent', 'sent']) ?? '', /^In 2 of 2 .* the server refused that, or took longer/);

  const leftOut = (page: object) =>
    caveats([visit({ roundNumber: 1 }), visit({ roundNumber: 2, page })]).filter(({ siteId }) => siteId !== null);
  assert.deepEqual(leftOut({}), []);
  const [unequal] = leftOut({ unequal: 1 });
  assert.match(unequal?.words ?? '', /^In 1 of 2 rounds the visits were not watched equally long/);
  assert.deepEqual([unequal?.siteId, unequal?.condition, unequal?.view], ['a', 'native', 'cold']);
  assert.match(leftOut({ moves: 1 })[0]?.words ?? '', /^In 1 of 2 rounds the picture of a visit kept changing/);
});

test('a list says each limit once, with its places; many of a kind are one line', () => {
  const urls = Array.from({ length: 6 }, (_, n) => `https://h${n}.example/`);
  const of = campaign({}, urls);
  const visits = of.sites.map(({ id }) => visit({ siteId: id }));
  const led = (count: number, same = 9) =>
    of.sites.slice(0, count).map(({ id, url }, n) => discovery({ id, siteId: id, finalUrl: `${url}login${n % same}` }));
  const lines = (count: number) => caveatLines(caveats(visits, led(count), of), of).map(({ words }) => words);
  assert.equal(lines(0).length, 1, 'native');
  assert.match(lines(1)[0] ?? '', /^h0\.example: The address leads to \/login0/);
  assert.equal(lines(3).length, 4);
  const [one] = caveatLines(caveats(visits, led(3, 1), of), of);
  assert.match(one?.words ?? '', /^h0\.example, h1\.example and h2\.example: The address leads to \/login0: /);
  assert.equal(lines(6)[0], 'Measured at another address: 6 of 6 pages (h0.example, h1.example, h2.example and 3 more).');
  const all = caveats(visits, led(1), of);
  assert.deepEqual(warningTitles(all), ['measured at another address']);
  assert.deepEqual(
    caveatsAt(all, { siteId: 'b', condition: 'native', view: 'cold' }).map(({ code }) => code),
    ['native'],
  );
  const [same] = caveatLines(
    caveats(
      visits,
      of.sites.map(({ id, url }) => discovery({ id, siteId: id, finalUrl: url, broken: ['https://x.example/y'] })),
      of,
    ),
    of,
  );
  assert.match(same?.words ?? '', /^1 object of the page, from x\.example/, 'of all pages: no place');
});

test('warnings come first', () => {
  const found = caveats([visit({ page: { foreignShare: 0.5 } })], [discovery({ finalUrl: 'https://a.example/x' })]);
  assert.deepEqual(
    found.map(({ code }) => [code, caveatKinds[code].isWarning]),
    [
      ['redirected', true],
      ['busy', true],
      ['native', false],
    ],
  );
});
