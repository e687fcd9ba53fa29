import assert from 'node:assert/strict';
import { test } from 'node:test';
import Schema from 'typebox/schema';
import { madeSpec } from '../../../fixtures/made-campaign.ts';
import { CampaignAcross } from '../../schemas/across.ts';
import type { SiteDiscovery } from '../../schemas/discovery.ts';
import type { Metrics } from '../../schemas/metrics.ts';
import type { ResultVisit } from '../../verdict/counted-visits.ts';
import { metricNames } from '../../vocabulary/metric.ts';
import { measure } from '../measured/measured.ts';
import { campaignResults } from '../results.ts';
import { campaignAcross } from './campaign-across.ts';

const spec = madeSpec({
  conditions: ['native', 'loss-1'].map((name) => ({ name, up: {}, down: {} })),
  protocols: ['h2', 'h3', 'h2'],
  rounds: 3,
});
const campaign = {
  id: '7',
  spec,
  sites: ['a', 'b', 'c'].map((id) => ({ id, url: `https://${id}.example/`, name: id, expectStatus: 200 })),
};
const zero = Object.fromEntries(metricNames.map((name) => [name, 0])) as Metrics;

const visit = (siteId: string, condition: string, slot: number, roundNumber: number, metrics: Partial<Metrics>): ResultVisit => ({
  siteId,
  condition,
  view: 'cold',
  roundNumber,
  slot,
  verdict: 'valid',
  metrics: { ...zero, ...metrics },
  receiveDrops: null,
});
/** Three rounds of one site: medians 100 over h2, both slots together, and `h3` over h3. */
const rounds = (siteId: string, condition: string, h3: number, page: Partial<Metrics> = {}): ResultVisit[] =>
  [1, 2, 3].flatMap((round) => [
    visit(siteId, condition, 0, round, { onLoad: 90 + round, connections: 99 }),
    visit(siteId, condition, 1, round, { onLoad: h3 + round - 2, speedIndex: round === 2 ? null : 1000, ...page, connections: 3 * round }),
    visit(siteId, condition, 2, round, { onLoad: 106 + round, speedIndex: 2000 }),
  ]);

const discovery = (siteId: string, discoveredAt: string, server: string | null, hosts = 1): SiteDiscovery => ({
  id: '0193f0b4-8c1e-7d3a-9a53-2f6f0c4f5a01',
  campaignId: '7',
  siteId,
  runner: 'here',
  discoveredAt,
  finalUrl: `https://${siteId}.example/`,
  redirects: [],
  hosts: Array.from({ length: hosts }, () => ({
    host: `${siteId}.example:443`,
    requests: 1,
    transferBytes: 10,
    protocol: 'h2',
    server,
    altSvc: null,
    offersH3: true,
    h3: 'proven' as const,
    probeError: null,
  })),
  forced: [],
  objectCoverage: 1,
  byteCoverage: 1,
  failure: null,
});

const visits = [
  ...rounds('a', 'native', 50, { h3Share: 1, h3ByteShare: 0.5 }),
  ...rounds('b', 'native', 100, { h3Share: 0.25, h3ByteShare: 0.5 }),
  ...rounds('c', 'native', 125),
  ...rounds('a', 'loss-1', 100),
];

test('of each condition and view: H3-Delta over sites, classes, providers and shares', () => {
  const across = campaignAcross(measure(campaign, visits), [
    discovery('a', '2026-01-01T00:00:00Z', 'cloudflare'),
    discovery('b', '2026-01-01T00:00:00Z', 'gws'),
  ]);
  assert.ok(Schema.Compile(CampaignAcross).Check(across));
  assert.deepEqual([across.campaignId, across.metric], ['7', 'onLoad']);
  assert.deepEqual(
    across.providers.map(({ siteId, provider }) => [siteId, provider]),
    [
      ['a', 'Cloudflare'],
      ['b', 'Google'],
    ],
  );
  const [native, loss] = across.groups;
  assert.deepEqual([native?.condition, loss?.condition], ['native', 'loss-1']);
  assert.deepEqual(native?.delta.steps, { values: [-0.5, 0, 0.2], shares: [1 / 3, 2 / 3, 1] });
  assert.deepEqual(
    native?.deltaByProvider.map(({ provider, delta }) => [provider, delta.steps.values]),
    [
      ['Cloudflare', [-0.5]],
      ['Google', [0]],
      ['unknown', [0.2]],
    ],
  );
  assert.deepEqual(native?.h3Objects, { sites: 3, steps: { values: [0, 0.25, 1], shares: [1 / 3, 2 / 3, 1] } });
  assert.deepEqual(native?.h3Bytes, { sites: 3, steps: { values: [0, 0.5], shares: [1 / 3, 1] } });
  // Connections of visits over h3 are 3, 6, 9; those over h2 do not count.
  assert.deepEqual(
    native?.byClass.map(({ sites, characteristics }) => [sites, characteristics.connections?.box.median]),
    [
      [1, 6],
      [1, 6],
      [1, 6],
    ],
  );
  assert.deepEqual([loss?.delta.sites, loss?.delta.withoutDelta, loss?.h3Objects.sites], [1, 2, 1]);
});

test('H3-Deltas are those of the campaign’s results, for any metric', () => {
  const results = campaignResults(campaign, visits);
  for (const metric of ['onLoad', 'speedIndex', 'firstPaint'] as const) {
    const across = campaignAcross(measure(campaign, visits), [], metric);
    const expected = results.cells.filter(({ condition }) => condition === 'native').map(({ h3Delta }) => h3Delta[metric] ?? null);
    const known = expected.filter((delta) => delta !== null).toSorted((a, b) => a - b);
    assert.deepEqual(across.groups[0]?.delta.steps.values, [...new Set(known)], metric);
    assert.equal(across.groups[0]?.delta.withoutDelta, expected.length - known.length);
  }
});

test('of several discoveries of one site the latest that found a host counts', () => {
  const found = [
    discovery('a', '2026-01-02T00:00:00Z', 'gws'),
    discovery('a', '2026-01-01T00:00:00Z', 'cloudflare'),
    discovery('a', '2026-01-03T00:00:00Z', null, 0),
  ];
  assert.equal(campaignAcross(measure(campaign, []), found).providers[0]?.provider, 'Google');
});

test('a campaign without visits and discoveries has its groups, and they are empty', () => {
  const across = campaignAcross(measure(campaign, []), []);
  assert.ok(Schema.Compile(CampaignAcross).Check(across));
  assert.equal(across.groups.length, 2);
  assert.deepEqual([across.groups[0]?.delta.withoutDelta, across.groups[0]?.deltaByProvider, across.factors], [3, [], []]);
});

test('invalid visits count for nothing, and a visit that fits nowhere is an error', () => {
  const {
    verdict: _,
    metrics: __,
    receiveDrops: ___,
    ...place
  } = visit('a', 'native', 0, 1, {}) as Extract<ResultVisit, { verdict: 'valid' }>;
  const invalid: ResultVisit = { ...place, verdict: 'invalid', reason: 'busy-machine', counted: false };
  assert.equal(campaignAcross(measure(campaign, [invalid]), []).groups[0]?.delta.withoutDelta, 3);
  assert.throws(() => campaignAcross(measure(campaign, [visit('a', 'native', 3, 1, {})]), []), /campaign 7 has no slot 3 of a native cold/);
  assert.throws(() => campaignAcross(measure(campaign, [visit('d', 'native', 0, 1, {})]), []), RangeError);
});
