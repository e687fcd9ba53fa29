import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeSpec } from '../../fixtures/made-campaign.ts';
import type { Metrics } from '../schemas/metrics.ts';
import type { ResultVisit } from '../verdict/counted-visits.ts';
import { pageMetricNames } from '../vocabulary/metric.ts';
import type { Protocol } from '../vocabulary/protocol.ts';
import { campaignResults } from './results.ts';

const spec = (protocols: Protocol[]) => madeSpec({ protocols, views: ['cold', 'warm'], rounds: 4 });
const campaign = (protocols: Protocol[]) => ({
  id: '1',
  spec: spec(protocols),
  sites: ['a', 'b'].map((id) => ({ id, url: `https://${id}.example/`, name: id, expectStatus: 200 })),
});

const metrics = (given: Partial<Metrics>): Metrics => ({
  ...(Object.fromEntries(pageMetricNames.map((name) => [name, 0])) as Metrics),
  ...given,
});
const place = { siteId: 'a', condition: 'native', view: 'cold', roundNumber: 1 } as const;
const valid = (slot: number, onLoad: number, more: Partial<Metrics> = {}): ResultVisit => ({
  ...place,
  slot,
  verdict: 'valid',
  metrics: metrics({ onLoad, ...more }),
  receiveDrops: null,
});

test('datagrams lost in full receive buffers are counted for each slot, and told', () => {
  const drops = (counts: (number | null)[]) => {
    const visits = counts.map(
      (receiveDrops): ResultVisit => ({ ...(valid(1, 100) as Extract<ResultVisit, { verdict: 'valid' }>), receiveDrops }),
    );
    return campaignResults(campaign(['h2', 'h3']), [valid(0, 100), ...visits]).cells[0]?.slots.map(({ receiveDrops }) => receiveDrops);
  };
  assert.deepEqual(drops([0, null]), [null, null]);
  const [h2, h3] = drops([0, 1200, 4, null]) ?? [];
  assert.equal(h2, null);
  assert.equal(h3?.visits, 2);
  assert.equal(h3?.datagrams, 1204);
  assert.match(h3?.words ?? '', /^In 2 of 4 visits over h3, 1,204 datagrams crossed the link and were lost/);
});

test('every metric of every slot is summarised, and the H3-Delta compares medians of h3 and h2', () => {
  const results = campaignResults(campaign(['h2', 'h3']), [
    valid(0, 100),
    valid(0, 300),
    valid(0, 200),
    valid(0, 400),
    valid(1, 150),
    valid(1, 250),
  ]);
  const [group] = results.cells;
  // Sorted 100 200 300 400: definition 7 puts p75 at position 2.25 and p90 at 2.7. Squared deviations from 250 sum to 50,000.
  assert.deepEqual(group?.slots[0]?.metrics.onLoad, {
    n: 4,
    min: 100,
    max: 400,
    mean: 250,
    median: 250,
    p5: 115,
    p10: 130,
    p25: 175,
    p75: 325,
    p90: 370,
    p95: 385,
    p99: 397,
    iqr: 150,
    stdev: Math.sqrt(50_000 / 3),
    cv: Math.sqrt(50_000 / 3) / 250,
    cvClass: 'inconsistent',
    censored: null,
  });
  assert.equal(group?.slots[1]?.metrics.onLoad?.median, 200);
  assert.equal(group?.h3Delta.onLoad, (200 - 250) / 250);
  assert.deepEqual(Object.keys(group?.h3Delta ?? {}), pageMetricNames);
});

test('a metric that pages lack is left out: of the sample, and altogether where no visit has it', () => {
  const results = campaignResults(campaign(['h3', 'h2']), [
    valid(0, 1, { speedIndex: 500, firstPaint: null }),
    valid(0, 1, { speedIndex: null, firstPaint: null }),
    valid(1, 1, { speedIndex: 1000, firstPaint: 3 }),
  ]);
  const [group] = results.cells;
  assert.equal(group?.slots[0]?.valid, 2);
  assert.equal(group?.slots[0]?.metrics.speedIndex?.n, 1);
  assert.equal(group?.h3Delta.speedIndex, -0.5);
  assert.equal(group?.slots[0]?.metrics.firstPaint, undefined);
  assert.equal(group?.h3Delta.firstPaint, null);
});

test('invalid visits are counted by reason, the most frequent first, and are in no sample', () => {
  const invalid = (reason: 'busy-machine' | 'dns-error'): ResultVisit => ({
    ...place,
    slot: 0,
    verdict: 'invalid',
    reason,
    counted: false,
  });
  const results = campaignResults(campaign(['h1']), [invalid('busy-machine'), invalid('dns-error'), valid(0, 5), invalid('dns-error')]);
  const slot = results.cells[0]?.slots[0];
  assert.deepEqual(slot?.invalid, [
    { reason: 'dns-error', count: 2 },
    { reason: 'busy-machine', count: 1 },
  ]);
  assert.equal(slot?.valid, 1);
  assert.equal(slot?.metrics.onLoad?.n, 1);
});

test('there is a group for each site, condition and view in the order of the campaign, without visits too', () => {
  const results = campaignResults(campaign(['h1', 'h2', 'h3']), []);
  assert.deepEqual(
    results.cells.map((group) => [group.siteId, group.view]),
    [
      ['a', 'cold'],
      ['a', 'warm'],
      ['b', 'cold'],
      ['b', 'warm'],
    ],
  );
  assert.deepEqual(
    results.cells[3]?.slots.map((slot) => [slot.slot, slot.protocol, slot.valid, slot.metrics]),
    [
      [0, 'h1', 0, {}],
      [1, 'h2', 0, {}],
      [2, 'h3', 0, {}],
    ],
  );
  assert.equal(results.cells[0]?.h3Delta.onLoad, null);
});

test('slots of the same protocol stay apart in summaries and stand together in the H3-Delta', () => {
  const results = campaignResults(campaign(['h2', 'h2', 'h3']), [valid(0, 100), valid(1, 300), valid(2, 100)]);
  const [group] = results.cells;
  assert.deepEqual(
    group?.slots.map((slot) => slot.metrics.onLoad?.median),
    [100, 300, 100],
  );
  assert.equal(group?.h3Delta.onLoad, -0.5); // the median of h2 is 200
});

test('a visit of no group of the campaign is an error, not a silent loss', () => {
  assert.throws(() => campaignResults(campaign(['h2']), [valid(1, 5)]), /campaign 1 has no slot 1 of a native cold/);
  assert.throws(() => campaignResults(campaign(['h2']), [{ ...valid(0, 5), siteId: 'c' }]), RangeError);
});

test('slots of one protocol are compared with each other, round by round', () => {
  const inRound = (roundNumber: number, slot: number, onLoad: number): ResultVisit => ({ ...valid(slot, onLoad), roundNumber });
  // Round 4 has no second number and is left out.
  const visits = [inRound(1, 0, 100), inRound(1, 1, 110), inRound(2, 0, 100), inRound(2, 1, 120), inRound(3, 1, 130), inRound(3, 0, 100)];
  const [group] = campaignResults(campaign(['h2', 'h2']), [...visits, inRound(4, 0, 900)]).cells;
  const comparison = group?.selfComparisons.find(({ metric }) => metric === 'onLoad');
  // All three differences have one sign: 2 of the 8 sign patterns are as extreme.
  assert.deepEqual(comparison, { protocol: 'h2', slots: [0, 1], metric: 'onLoad', rounds: 3, delta: 20 / 120, p: 0.25 });
  assert.deepEqual(campaignResults(campaign(['h2', 'h3']), visits).cells[0]?.selfComparisons, []);
});
