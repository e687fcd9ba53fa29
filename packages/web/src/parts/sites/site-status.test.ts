import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SiteStatus } from '@pronghorn/core/schemas';
import { changeText, failedLoads, failureTexts, leadText, medianText, otherTexts, sparkLines, steadyText } from './site-status.ts';

type Comparison = NonNullable<NonNullable<SiteStatus['now']>['comparison']>;
const compared = (outcome: Comparison['outcome'], value: number | null): { comparison: Comparison } => ({
  comparison: {
    outcome,
    unfinished: false,
    words: '',
    difference: null,
    shift: { value, low: null, high: null },
    shiftAtMedian: value && 960 * value,
  },
});

test('a lead is told of a winner alone, in milliseconds and per cent', () => {
  assert.equal(leadText(compared('h3-faster', -0.25)), '240 ms (25 %)');
  assert.equal(leadText(compared('h2-faster', 0.25)), '240 ms (25 %)');
  assert.equal(leadText(compared('not-shown-yet', 0.25)), 'HTTP/2, 25 %');
  assert.equal(leadText(compared('not-shown-yet', -0.25)), 'HTTP/3, 25 %');
  assert.equal(leadText(compared('inconclusive', 0.25)), null);
  assert.equal(leadText(compared('h3-faster', null)), null);
  assert.equal(leadText({ comparison: null }), null);
});

test('a median among failed loads is no number, and what was not measured is none', () => {
  const now = { medians: { h2: 947.4, h3: null }, metric: 'onLoad' as const };
  assert.deepEqual([medianText(now, 'h2'), medianText(now, 'h3'), medianText(now, 'h1')], ['947 ms', 'failed', '–']);
});

test('failures are told of protocols that have some', () => {
  assert.equal(failedLoads({ failures: { h2: { failed: 1, loads: 40 }, h3: { failed: 2, loads: 40 } } }), '3/80');
  assert.deepEqual(failureTexts({ failures: { h2: { failed: 0, loads: 40 }, h3: { failed: 2, loads: 40 } } }), [
    { protocol: 'h3', text: '2/40' },
  ]);
});

test('a change for the worse has what is known of its size', () => {
  assert.equal(changeText({ share: 0.31, ms: 232 }), '+31 % (232 ms)');
  assert.equal(changeText({ share: 0.31, ms: null }), '+31 %');
  assert.equal(changeText({ share: null, ms: null }), 'loads fail');
});

test('what is steady has its day where a later campaign is shown', () => {
  const change = { at: '2026-03-09T12:00:00.000Z' } as NonNullable<SiteStatus['change']>;
  const now = (doneAt: string) => ({ doneAt }) as NonNullable<SiteStatus['now']>;
  assert.equal(steadyText({ change, now: now('2026-03-09T12:00:00.000Z') }), 'steady');
  assert.match(steadyText({ change, now: now('2026-06-09T12:00:00.000Z') }), /^steady on 9 Mar/);
});

test('other networks are told by name, and another view of the same one by its view', () => {
  const otherCells = [
    { condition: '4g', view: 'cold', words: 'HTTP/3 fails', lost: true },
    { condition: 'native', view: 'warm', words: 'HTTP/2 faster', lost: false },
  ] as const;
  assert.deepEqual(otherTexts({ condition: 'native', otherCells: [...otherCells] }), ['4g: HTTP/3 fails', 'warm view: HTTP/2 faster']);
});

test('a line has the points with a median, and a protocol without one has no line', () => {
  const at = (day: number) => `2026-11-0${day}T00:00:00.000Z`;
  const points = [
    { campaignId: '1', at: at(1), h2: 500, h3: null },
    { campaignId: '2', at: at(2), h2: null, h3: null },
  ];
  assert.deepEqual(sparkLines({ points }), [{ protocol: 'h2', points: [{ at: at(1), value: 500 }] }]);
});
