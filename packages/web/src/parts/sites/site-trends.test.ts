import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TrendPoint, TrendSeries } from '@pronghorn/core/schemas';
import { campaignLines, conditionsOf, failedText, plotted, setupWords } from './site-trends.ts';

const point = (campaignId: string, median: number, regression: string | null = null): TrendPoint => ({
  ...{ campaignId, createdAt: `2026-03-0${campaignId}T12:00:00.000Z`, state: 'done', annotations: { commit: `c${campaignId}` } },
  ...{ n: 10, failed: 0, atLeastMs: 60_000, median, p75: median + 10, interval: { low: median - 5, high: median + 5 }, regression },
});
const series = (protocol: 'h2' | 'h3', points: TrendPoint[], given: Partial<TrendSeries> = {}): TrendSeries => ({
  ...{ condition: 'native', words: 'nothing added', view: 'cold', protocol, engine: 'puppeteer', discovery: 'forced' },
  ...{
    isolation: 'context',
    browser: 'chrome',
    location: null,
    visitor: 'a usual visitor',
    ends: 'quiet for 500 ms, at most 15 s after load',
    points,
    trend: null,
  },
  ...given,
});

test('series that were measured alike are told by their protocol alone, others by what differs too', () => {
  const all = [series('h2', [point('1', 100)]), series('h3', [point('1', 90)])];
  assert.deepEqual(
    plotted(all, []).map(({ name }) => name),
    ['HTTP/2', 'HTTP/3'],
  );
  const other = series('h3', [point('2', 95)], { discovery: 'alt-svc', location: 'fra' });
  assert.deepEqual(
    plotted([...all, other], ['h3']).map(({ name }) => name),
    ['HTTP/3 (forced, any location)', 'HTTP/3 (alt-svc, fra)'],
  );
  assert.equal(setupWords(other, [other]), '');
  const phone = series('h3', [point('3', 99)], { visitor: 'phone' });
  assert.equal(setupWords(phone, [...all, phone]), 'phone');
  assert.deepEqual(conditionsOf({ series: [...all, series('h2', [], { condition: '4g' })] }), ['native', '4g']);
});

test('campaigns come the newest first, with what each protocol measured and what is a regression', () => {
  const all = [series('h2', [point('1', 100), point('2', 101)]), series('h3', [point('2', 130, 'worse')])];
  const deltas = [{ ...series('h3', []), points: [{ ...point('2', 0), delta: 0.22, interval: { low: 0.1, high: 0.3 } }] }];
  assert.deepEqual(
    campaignLines(all, deltas).map(({ campaignId, points, delta, regressions }) => [campaignId, [...points.keys()], delta, regressions]),
    [
      ['2', ['h2', 'h3'], { delta: 0.22, interval: { low: 0.1, high: 0.3 } }, ['worse']],
      ['1', ['h2'], null, []],
    ],
  );
});

test('a median among failed loads has no place on the chart; an end of an interval among them is at least their limit', () => {
  const [failed, bounded] = [
    { ...point('2', 100), n: 3, failed: 3, median: null, interval: { low: 95, high: null } },
    { ...point('3', 100), interval: { low: 95, high: null } },
  ];
  assert.deepEqual(
    plotted([series('h2', [point('1', 100), failed, bounded])], [])[0]?.points.map(({ value, interval }) => [value, interval]),
    [
      [100, { low: 95, high: 105 }],
      [null, null],
      [100, { low: 95, high: 60_000 }],
    ],
  );
  assert.deepEqual([failedText(failed), failedText({ n: 10, failed: 6 })], ['no load succeeded', '6 of 10 loads failed']);
});
