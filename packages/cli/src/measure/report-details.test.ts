import assert from 'node:assert/strict';
import { test } from 'node:test';
import { campaignResults } from '@pronghorn/core/campaign';
import { conditionNamed } from '@pronghorn/core/network';
import { type Campaign, defaultLimits, type Metrics } from '@pronghorn/core/schemas';
import type { ResultVisit } from '@pronghorn/core/verdict';
import { metricNames } from '@pronghorn/core/vocabulary';
import { quantileLines } from './report-details.ts';

const campaign = {
  id: '1',
  sites: [{ id: 's', url: 'https://a.test/', name: 'A page', expectStatus: 200 }],
  spec: {
    ...{ protocols: ['h2', 'h3'], conditions: [conditionNamed('native')], views: ['cold'], primaryMetric: 'onLoad', margin: 0.05 },
    ...{ adjustment: 'hommel', maximumRounds: null, limits: defaultLimits, seed: 1 },
  },
} as unknown as Campaign;
/** HTTP/3 takes 30 % less; so many of its loads fail. */
const visits = (rounds: number, failures = 0) =>
  Array.from({ length: rounds }, (_, round) =>
    [1000 + ((round * 3) % 7), 700 + ((round * 5) % 7)].map((ms, slot) => {
      const place = { siteId: 's', condition: 'native', view: 'cold' as const, roundNumber: round + 1, slot };
      if (slot === 1 && round < failures) return { ...place, verdict: 'invalid', reason: 'load-timeout', counted: true } as ResultVisit;
      const metrics = Object.fromEntries(metricNames.map((name) => [name, ms])) as Metrics;
      return { ...place, verdict: 'valid', metrics, receiveDrops: 0 } as ResultVisit;
    }),
  ).flat();
const linesOf = (rounds: number, failures?: number) => {
  const [group] = campaignResults(campaign, visits(rounds, failures)).cells;
  return quantileLines(group ?? assert.fail());
};

test('the sentence comes first, then each quantile with its band', () => {
  const [sentence = '', numbers = ''] = linesOf(20);
  assert.match(
    sentence.replaceAll(/\s+/g, ' '),
    /^By quantile \(exploratory\): Some quartiles of onLoad differ \(p = 0\.001\): over HTTP\/3 it is 30 % lower at every quartile\.$/,
  );
  assert.match(numbers, /^h3 against h2, % +value +low +high$/m);
  assert.match(numbers, /^p25 +−30\.\d +−30\.\d +−29\.\d$/m);
  assert.equal(numbers.trim().split('\n').length, 4);
});

test('what lies among visits that failed has no number, and few rounds have no lines', () => {
  const [, numbers = ''] = linesOf(20, 2);
  assert.match(numbers, /^p50 +−\d/m);
  assert.match(numbers, /^p75 +–$/m);
  assert.deepEqual(linesOf(19), []);
});
