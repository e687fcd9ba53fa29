import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MadeUp, type MadeVisit, madeUp } from '../../fixtures/made-campaign.ts';
import { randomSource } from '../math/random.ts';
import { autocorrelation, trend } from '../math/trend.ts';
import type { Condition } from '../schemas/condition.ts';
import { metricOf } from '../vocabulary/metric.ts';
import { campaignResults } from './results.ts';
import { newestIntervals, siteTrends } from './site-trends.ts';

/** Times that differ from round to round, those of rounds from here on lost. */
const until =
  (lost: number): MadeVisit =>
  ({ protocol, round }) => {
    if (round >= lost) return 'busy-machine';
    return { onLoad: protocol === 'h2' ? 520 + ((round * 37) % 90) : 490 + ((round * 53) % 110) };
  };

/** The interval of a campaign's one point in a trend, and that of its own comparison. */
function intervalsOf(visit: MadeVisit, given: MadeUp) {
  const { campaign, visits } = madeUp(visit, given);
  const all = [...visits];
  const trend = {
    ...campaign,
    sites: campaign.sites.length,
    site: { url: 'https://site-1.example/' },
    visits: all.flatMap((one) => {
      const protocol = campaign.spec.protocols[one.slot];
      return one.verdict === 'valid' && protocol ? [{ ...one, protocol, value: metricOf(one.metrics, 'onLoad') as number }] : [];
    }),
    finished: () => new Set(all.map(({ roundNumber }) => roundNumber)),
    regressions: [],
  };
  const { deltas } = siteTrends([trend], 'onLoad', { withIntervals: true });
  const { cells } = campaignResults(campaign, all, [], campaign.state === 'done');
  const { value = null, low = null, high = null } = cells[0]?.comparisons.find(({ confirmatory }) => confirmatory)?.delta ?? {};
  return { point: deltas[0]?.points[0], own: { value, low, high } };
}

test('the interval is that of the campaign’s own last look, where rounds since the look before were lost too', () => {
  const { point, own } = intervalsOf(until(24), { rounds: 10, finished: 40, maximumRounds: 40 });
  assert.ok(own.low !== null);
  assert.equal(point?.delta, own.value);
  assert.deepEqual(point?.interval, { low: own.low, high: own.high });
});

test('campaigns with another visitor are another series', () => {
  const of = (id: string, given: Partial<Parameters<typeof siteTrends>[0] extends Iterable<infer One> ? One : never> = {}) => {
    const { campaign } = madeUp(until(99), { id, rounds: 5 });
    const visits = [1, 2, 3].map(
      (roundNumber) => ({ condition: 'native', view: 'cold', protocol: 'h2', roundNumber, value: 500 }) as const,
    );
    return {
      ...campaign,
      sites: 1,
      site: { url: 'https://a.example/' },
      visits,
      finished: () => new Set<number>(),
      regressions: [],
      ...given,
    };
  };
  const { spec } = of('1');
  const campaigns = [
    of('1'),
    of('2', { spec: { ...spec, visitor: { device: 'phone' } } }),
    of('3'),
    of('4', { visitor: { device: 'phone' } }),
    of('5', { spec: { ...spec, visitor: { device: 'desktop' } } }),
  ];
  const { series } = siteTrends(campaigns, 'onLoad', { withIntervals: false });
  assert.deepEqual(
    series.map(({ visitor, points }) => [visitor, points.map(({ campaignId }) => campaignId)]),
    [
      ['a usual visitor', ['1', '3', '5']],
      ['phone', ['2', '4']],
    ],
  );
});

test('a condition is told in short, and in full where another one had its name', () => {
  const of = (id: string, condition: Condition) => ({
    ...madeUp(until(99), { id, rounds: 1 }).campaign,
    spec: { ...madeUp(until(99), { id, rounds: 1 }).campaign.spec, conditions: [condition] },
    ...{ sites: 1, site: { url: 'https://a.example/' }, finished: () => new Set<number>(), regressions: [] },
    visits: [{ condition: condition.name, view: 'cold', protocol: 'h2', roundNumber: 1, value: 500 } as const],
  });
  const wordsOf = (...campaigns: ReturnType<typeof of>[]) =>
    siteTrends(campaigns, 'onLoad', { withIntervals: false }).series.map(({ words }) => words);
  const up = of('1', { name: 'far', up: { delayMs: 100 }, down: {} });
  assert.deepEqual(wordsOf(up), ['+100 ms RTT']);
  assert.deepEqual(wordsOf(up, of('2', { name: 'far', up: { delayMs: 50 }, down: { delayMs: 50 } })), [
    '100 ms delay up',
    '50 ms delay each way',
  ]);
});

test('a trend of fewer than 30 campaigns is told with what they can’t show', () => {
  const random = randomSource(4);
  const wordsOf = (medians: readonly number[]) => {
    const campaigns = medians.map((value, i) => ({
      ...madeUp(until(99), { id: String(i), rounds: 1 }).campaign,
      ...{ sites: 1, site: { url: 'https://a.example/' }, finished: () => new Set<number>(), regressions: [] },
      visits: [{ condition: 'native', view: 'cold', protocol: 'h2', roundNumber: 1, value } as const],
    }));
    const found = siteTrends(campaigns, 'onLoad', { withIntervals: false }).series[0]?.trend;
    assert.ok(found && found.p < 0.05 && (found.autocorrelation?.p ?? 0) >= 0.05, JSON.stringify(found));
    return found.words;
  };
  /** One in which neighbours are not seen to resemble one another. */
  const growing = (count: number): number[] => {
    for (;;) {
      const medians = Array.from({ length: count }, (_, i) => 1000 + (15 * i) / count + 20 * random());
      const [found, neighbours] = [trend(medians), autocorrelation(medians, { seed: count, resamples: 499 })];
      if (found && found.p < 0.05 && neighbours && neighbours.p >= 0.05) return medians;
    }
  };
  assert.match(
    wordsOf(growing(29)),
    /29 campaigns\)\. So few campaigns can’t show whether successive ones are correlated, so it may be a random walk/,
  );
  assert.match(wordsOf(growing(30)), /30 campaigns\)\.$/);
});

test('a campaign that was cancelled between looks has no interval for rounds that no look saw, and its own for the others', () => {
  const given: MadeUp = { rounds: 10, finished: 12, maximumRounds: 40, state: 'cancelled' };
  const { point, own } = intervalsOf(until(99), given);
  assert.ok(own.low !== null);
  assert.notEqual(point?.delta, own.value);
  assert.equal(point?.interval, null);
  const lost = intervalsOf(until(11), given);
  assert.equal(lost.point?.delta, lost.own.value);
  assert.deepEqual(lost.point?.interval, { low: lost.own.low, high: lost.own.high });
});

test('the newest points have intervals, as many as can be waited for', () => {
  const pointsOf = (most: number) => {
    const points = [10, 20, 30].map((delta) => ({ delta, interval: null }) as never as Parameters<typeof intervals.add>[0]);
    const intervals = newestIntervals(most);
    const ofRounds = (ms: number) => new Map(Array.from({ length: 20 }, (_, i) => [i + 1, ms + ((i * 37) % 11)]));
    for (const point of points) {
      intervals.add(point, { h3: ofRounds(500), h2: ofRounds(510) }, { looks: null, finished: null, complete: true, seed: 1 });
    }
    intervals.make();
    return points.map(({ interval }) => interval !== null);
  };
  assert.deepEqual(pointsOf(90), [true, true, true]);
  assert.deepEqual(pointsOf(89), [false, true, true]);
  assert.deepEqual(pointsOf(30), [false, false, true]);
  assert.deepEqual(pointsOf(29), [false, false, false]);
});
