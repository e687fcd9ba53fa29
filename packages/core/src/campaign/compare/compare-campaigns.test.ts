import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Compile } from 'typebox/compile';
import { type MadeUp, type MadeVisit, madeUp, spread } from '../../../fixtures/made-campaign.ts';
import { mannWhitneyTest, smallestMannWhitneyP } from '../../math/mann-whitney.ts';
import { randomSource } from '../../math/random.ts';
import { CampaignComparison } from '../../schemas/campaign-comparison.ts';
import type { MetricName } from '../../schemas/metrics.ts';
import { metricOf } from '../../vocabulary/metric.ts';
import type { Protocol } from '../../vocabulary/protocol.ts';
import { campaignResults } from '../results.ts';
import { type ComparedCampaign, streamComparison } from './compare-campaigns.ts';

/** With all of its cells. */
function compareCampaigns(campaign: ComparedCampaign, baseline: ComparedCampaign, metric: MetricName): CampaignComparison {
  const { cells, ...head } = streamComparison(campaign, baseline, metric);
  return { ...head, cells: [...cells] };
}

/** Times around a level of each protocol, spread by 5 %. */
const around =
  (levels: Partial<Record<Protocol, number>>, seed: number): MadeVisit =>
  ({ protocol }) => ({ onLoad: (levels[protocol] ?? 1000) * spread(sourceOf(seed), 0.05) });

const sources = new Map<number, () => number>();
const sourceOf = (seed: number) => {
  const source = sources.get(seed) ?? randomSource(seed);
  sources.set(seed, source);
  return source;
};

const campaign = (levels: Partial<Record<Protocol, number>>, seed: number, given: MadeUp = {}) => ({
  ...madeUp(around(levels, seed), { id: String(seed), ...given }),
  environments: [],
});

test('what is lower in one campaign is called lower, corrected for all that are compared', () => {
  const baseline = campaign({ h2: 1000, h3: 1000 }, 1);
  const found = compareCampaigns(campaign({ h2: 1000, h3: 800 }, 2), baseline, 'onLoad');
  assert.deepEqual([...Compile(CampaignComparison).Errors(JSON.parse(JSON.stringify(found)))], []);
  const [h2, h3] = found.cells[0]?.protocols ?? [];
  assert.deepEqual([h2?.outcome, h3?.outcome], ['undecided', 'lower']);
  assert.deepEqual(found.comparisons, { protocols: 2, leads: 1 });
  assert.match(
    h3?.words ?? '',
    /^These visits differ: onLoad over HTTP\/3 is (1|2)\d % lower than in campaign 1 \(95 % interval: .*; 20 and 20 visits, p < 0\.0001 corrected for 2 comparisons\)\.$/,
  );
  assert.match(h2?.words ?? '', /^No clear difference in onLoad over HTTP\/2 \(/);
  assert.ok(
    h3?.shift && (h3.shift.low ?? 0) < (h3.shift.value ?? 1) && (h3.shift.value ?? 1) < (h3.shift.high ?? 0) && (h3.shift.high ?? 0) < 0,
  );
  assert.equal(h3?.mannWhitney?.adjustedP, 2 * (h3?.mannWhitney?.p ?? 0), 'Holm: the smaller of two');
});

test('HTTP/3’s lead is compared by the rounds’ ratios: what slows both protocols alike changes nothing', () => {
  const baseline = campaign({ h2: 1000, h3: 900 }, 3);
  const slowDay = compareCampaigns(campaign({ h2: 1500, h3: 1350 }, 4), baseline, 'onLoad').cells[0];
  assert.deepEqual(
    slowDay?.protocols.map(({ outcome }) => outcome),
    ['higher', 'higher'],
  );
  assert.equal(slowDay?.lead?.outcome, 'undecided');
  const lost = compareCampaigns(campaign({ h2: 1000, h3: 1100 }, 5), baseline, 'onLoad').cells[0]?.lead;
  assert.equal(lost?.outcome, 'higher');
  assert.match(lost?.words ?? '', /^These visits differ: onLoad over HTTP\/3 as a share of HTTP\/2’s is \d+ % higher than in campaign 3/);
});

test('medians and H3-Delta are those of each campaign’s own results, and the test is Mann and Whitney’s', () => {
  const one = { ...campaign({ h2: 1000, h3: 900 }, 6), visits: [...campaign({ h2: 1000, h3: 900 }, 6).visits] };
  const other = { ...campaign({ h2: 1000, h3: 950 }, 7), visits: [...campaign({ h2: 1000, h3: 950 }, 7).visits] };
  const place = compareCampaigns(one, other, 'onLoad').cells[0];
  for (const [side, made] of [
    ['campaign', one],
    ['baseline', other],
  ] as const) {
    const group = campaignResults(made.campaign, made.visits).cells[0];
    const comparison = group?.comparisons.find(
      ({ metric, candidate, baseline }) => metric === 'onLoad' && candidate === 'h3' && baseline === 'h2',
    );
    assert.deepEqual(place?.lead?.[side], comparison?.delta);
    for (const slot of group?.slots ?? []) {
      const change = place?.protocols.find(({ protocol }) => protocol === slot.protocol);
      assert.deepEqual([change?.[side]?.median, change?.[side]?.n], [slot.metrics.onLoad?.median, slot.metrics.onLoad?.n]);
    }
  }
  const valuesOf = ({ visits }: typeof one) =>
    visits.flatMap((visit) => (visit.verdict === 'valid' && visit.slot === 1 ? [metricOf(visit.metrics, 'onLoad') as number] : []));
  assert.equal(place?.protocols[1]?.mannWhitney?.p, mannWhitneyTest(valuesOf(one), valuesOf(other)).p);
});

test('of two campaigns without a difference at most 5 % name any', () => {
  let named = 0;
  const pairs = 300;
  for (let i = 0; i < pairs; i++) {
    const given = { conditions: ['a', 'b', 'c'], rounds: 12 };
    const { cells } = compareCampaigns(campaign({}, 1000 + 2 * i, given), campaign({}, 1001 + 2 * i, given), 'onLoad');
    if (cells.some(({ protocols }) => protocols.some(({ outcome }) => outcome !== 'undecided'))) named++;
  }
  // Above 24 of 300 with probability 0.01 if the rate is 5 %.
  assert.ok(named <= 24, `${named} of ${pairs}`);
});

test('no difference is named of a campaign that is not done, of lost visits, or of too few', () => {
  const baseline = () => campaign({ h3: 1000 }, 8);
  const reasons = (given: MadeUp, visit: MadeVisit = around({ h3: 500 }, 9)) => {
    const one = { ...madeUp(visit, { id: '9', ...given }), environments: [] };
    const change = compareCampaigns(one, baseline(), 'onLoad').cells[0]?.protocols[1];
    assert.equal(change?.outcome, 'undecided');
    return change;
  };
  const running = reasons({ state: 'running' });
  assert.deepEqual(
    running?.doubts.map(({ campaignId, reason }) => [campaignId, reason]),
    [['9', 'unfinished']],
  );
  assert.match(
    running?.words ?? '',
    /^No difference is named, although onLoad over HTTP\/3 is \d+ % lower .* Campaign 9: The campaign is running/,
  );
  const lossy = reasons({}, ({ round }) => (round % 2 === 0 ? 'busy-machine' : { onLoad: 500 + round }));
  assert.deepEqual(
    lossy?.doubts.map(({ reason }) => reason),
    ['invalid-visits'],
  );
  const few = reasons({ rounds: 1 });
  assert.deepEqual(
    few?.doubts.map(({ reason }) => reason),
    ['too-few-rounds'],
  );
  const nothing = reasons({}, () => 'busy-machine');
  assert.deepEqual([nothing?.mannWhitney, nothing?.campaign, nothing?.doubts[0]?.reason], [null, null, 'nothing-measured']);
  assert.match(nothing?.words ?? '', /^onLoad over HTTP\/3 can’t be compared\. Campaign 9: There is no onLoad/);
});

test('too few to reach the level alone is no doubt of what reaches it after Holm’s steps', () => {
  const made = (id: string, times: Partial<Record<Protocol, number>>) => {
    const visit: MadeVisit = ({ protocol, round }) =>
      protocol === 'h3' && round === 1 ? 'busy-machine' : { onLoad: (times[protocol] ?? 0) + round };
    return { ...madeUp(visit, { id, rounds: 5 }), environments: [] };
  };
  const of = (times: Partial<Record<Protocol, number>>) =>
    compareCampaigns(made('30', times), made('31', { h2: 1000, h3: 1000 }), 'onLoad').cells[0]?.protocols[1];
  assert.ok(2 * smallestMannWhitneyP(4, 4) > 0.05 && smallestMannWhitneyP(4, 4) < 0.05);
  const found = of({ h2: 500, h3: 500 });
  assert.deepEqual([found?.doubts, found?.outcome], [[], 'lower'], found?.words);
  assert.deepEqual(
    of({ h2: 1000, h3: 500 })?.doubts.map(({ reason }) => reason),
    ['too-few-rounds'],
  );
});

test('a page that lacks more objects than before is not called faster, and neither is HTTP/3’s lead larger', () => {
  const losing =
    (byH2: number, byH3: number): NonNullable<MadeUp['page']> =>
    ({ protocol }) => ({
      ...{
        requests: 40,
        finishedBytes: 800_000,
        failedRequests: protocol === 'h3' ? byH3 : byH2,
        ipv6Share: 0,
        h3Share: 1,
        h3ByteShare: 1,
      },
      ...{ documentAddress: '192.0.2.1', ownShare: 0.4, refused: 0, cutShort: 0 },
    });
  const outcomes = (h3: number, page: NonNullable<MadeUp['page']>) => {
    const [place] = compareCampaigns(campaign({ h3 }, 60, { page }), campaign({}, 61, { page: losing(0, 0) }), 'onLoad').cells;
    return [...(place?.protocols ?? []), place?.lead].map((one) => `${one?.outcome} ${one?.doubts.map(({ reason }) => reason).join()}`);
  };
  assert.deepEqual(outcomes(800, losing(0, 0)), ['undecided ', 'lower ', 'lower ']);
  assert.deepEqual(outcomes(800, losing(0, 3)), ['undecided ', 'undecided parity', 'undecided parity,parity']);
  assert.deepEqual(outcomes(1200, losing(0, 0)), ['undecided ', 'higher ', 'higher ']);
});

test('what was lost in the browser’s buffer speaks against a difference only where it may have made it', () => {
  const outcomes = (drops: readonly [number, number]) => {
    const one = campaign({ h3: 800 }, 20, { receiveDrops: drops[0] });
    const [, h3] = compareCampaigns(one, campaign({}, 21, { receiveDrops: drops[1] }), 'onLoad').cells[0]?.protocols ?? [];
    return [h3?.outcome, h3?.doubts.map(({ campaignId, reason }) => `${campaignId} ${reason}`).join()];
  };
  assert.deepEqual(outcomes([5, 0]), ['lower', '']);
  assert.deepEqual(outcomes([0, 5]), ['undecided', '21 receive-drops']);
});

test('only what both measured in the same way is compared, and what they differ in is told', () => {
  const one = campaign({}, 10, { sites: ['a', 'b'], conditions: ['native', '4g'], rounds: 10, protocols: ['h1', 'h2', 'h3'] });
  const other = campaign({}, 11, { sites: ['a', 'c'], conditions: ['native', '4g'], rounds: 20 });
  const [native] = other.campaign.spec.conditions;
  if (native) other.campaign.spec.conditions = [native, { name: '4g', up: { delayMs: 85 }, down: { delayMs: 85 } }];
  const found = compareCampaigns(one, other, 'onLoad');
  assert.deepEqual(
    found.cells.map(({ siteId, condition, protocols }) => [siteId, condition, protocols.length]),
    [['a', 'native', 2]],
  );
  assert.deepEqual(
    found.differences.map(({ what, campaign: mine, baseline, consequence }) => [what, mine, baseline, consequence]),
    [
      ['sites', 'also b', 'also c', 'left-out'],
      ['conditions', 'also 4g (nothing added)', 'also 4g (85 ms delay each way)', 'left-out'],
      ['protocols', 'also HTTP/1.1', 'nothing more', 'left-out'],
      ['rounds', '10', '20', 'precision'],
    ],
  );
  assert.ok(!found.cautions.some((words) => words.includes('not set up alike')));
  const shell = campaign({}, 12, { spec: { browser: 'headless-shell' } });
  assert.ok(compareCampaigns(shell, campaign({}, 13), 'onLoad').cautions.some((words) => words.includes('not set up alike')));
});

test('another visitor is told, the campaign’s or that of a page', () => {
  const differencesOf = (spec: NonNullable<MadeUp['spec']>, ofSites = {}) =>
    compareCampaigns(campaign({}, 16, { spec, ofSites }), campaign({}, 17), 'onLoad').differences;
  const [phone, ...others] = differencesOf({ visitor: { device: 'phone' } });
  assert.deepEqual(
    [phone?.what, phone?.campaign, phone?.baseline, phone?.consequence],
    ['visitor', 'phone', 'a usual visitor', 'confounded'],
  );
  assert.deepEqual(others, []);
  const [ofPage] = differencesOf({}, { name: 'Home', visitor: { language: 'de' } });
  assert.equal(ofPage?.campaign, 'a usual visitor; Home: language de');
  assert.deepEqual(differencesOf({ visitor: {} }), []);
});

test('a condition of the same name and numbers is the same, whatever its description says', () => {
  const one = campaign({}, 14);
  one.campaign.spec.conditions = one.campaign.spec.conditions.map((condition) => ({ ...condition, description: 'In other words.' }));
  const { cells, differences } = compareCampaigns(one, campaign({}, 15), 'onLoad');
  assert.deepEqual([cells.length, differences], [1, []]);
});

test('what is compared is named before the cells', () => {
  const given = { sites: ['a', 'b'], conditions: ['x', 'y'] };
  const [one, other] = [campaign({ h3: 800 }, 14, given), campaign({}, 15, given)];
  const head = streamComparison(one, other, 'onLoad');
  assert.deepEqual([head.sites.map(({ siteId }) => siteId), head.conditions, head.views], [['a', 'b'], ['x', 'y'], ['cold']]);
});

test('a lead without ratios says why: a value of 0, or no round with both protocols', () => {
  const leadOf = (visit: MadeVisit) => {
    const one = { ...madeUp(visit, { id: '40' }), environments: [] };
    return compareCampaigns(one, campaign({}, 41), 'onLoad').cells[0]?.lead;
  };
  const zero = leadOf(({ protocol, round }) => ({ onLoad: protocol === 'h3' && round === 3 ? 0 : 1000 + round }));
  assert.equal(zero?.mannWhitney, null);
  assert.match(
    zero?.words ?? '',
    / can’t be compared\. Campaign 40: In 1 of 20 rounds onLoad is 0 over HTTP\/3 or HTTP\/2, which has no ratio\.$/,
  );
  const apart = leadOf(({ protocol, round }) => ((protocol === 'h3') === (round % 2 === 0) ? { onLoad: 1000 + round } : 'busy-machine'));
  assert.match(apart?.words ?? '', /No round has onLoad over both HTTP\/3 and HTTP\/2\./);
});

test('a difference that is typically 0 says that it is', () => {
  const of = (id: string, high: number) => ({
    ...madeUp(({ round }) => ({ onLoad: round <= high ? 1010 : 1000 }), { id, rounds: 200 }),
    environments: [],
  });
  const [h2] = compareCampaigns(of('50', 60), of('51', 10), 'onLoad').cells[0]?.protocols ?? [];
  assert.deepEqual([h2?.outcome, h2?.difference?.value], ['higher', 0]);
  assert.match(h2?.words ?? '', /is higher than in campaign 51 .*\. The typical difference is 0 all the same: many values are equal\.$/);
});

test('of a campaign until settled the rounds of its first look count, and that is said', () => {
  const one = campaign({}, 16, { rounds: 10, finished: 40, maximumRounds: 60 });
  const found = compareCampaigns(one, campaign({}, 17, { rounds: 10 }), 'onLoad');
  assert.equal(found.cells[0]?.protocols[0]?.campaign?.n, 10);
  assert.match(found.cautions.join(' '), /Of campaign 16 only the first 10 rounds of each cell count/);
});

test('the smallest p of two samples is that of values without overlap', () => {
  for (const [m, n] of [
    [3, 3],
    [2, 20],
    [5, 7],
  ] as const) {
    const first = Array.from({ length: m }, (_, i) => i);
    const second = Array.from({ length: n }, (_, i) => 100 + i);
    assert.ok(Math.abs(smallestMannWhitneyP(m, n) - mannWhitneyTest(first, second).p) < 1e-12);
  }
});
