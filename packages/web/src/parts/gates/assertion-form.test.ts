import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gateProblems } from '@pronghorn/core/campaign';
import type { Assertion } from '@pronghorn/core/schemas';
import { gateMetrics, gateMetricsOf } from '@pronghorn/core/vocabulary';
import { listed } from '../forms/fields.ts';
import { asKind, defined, fromShown, metricGroups, oneOrMore, shownUnit, toShown, withMetric } from './assertion-form.ts';

test('numbers are shown in the unit that people write', () => {
  assert.deepEqual(
    [toShown('onLoad', 2500), toShown('transferBytes', 1_500_000), toShown('h3Share', 0.07), toShown('requests', 40)],
    [2500, 1500, 7, 40],
  );
  assert.deepEqual([fromShown('h3Share', 7), fromShown('transferBytes', 1500)], [0.07, 1_500_000]);
  assert.deepEqual([shownUnit('onLoad'), shownUnit('h3Share'), shownUnit('requests')], ['ms', '%', '']);
});

test('an assertion of another kind keeps its metric and its places', () => {
  const bound: Assertion = { kind: 'bound', metric: 'speedIndex', statistic: 'p90', max: 3000, protocol: 'h3', condition: '4g' };
  assert.deepEqual(asKind(bound, 'protocols'), {
    ...{ kind: 'protocols', metric: 'speedIndex', condition: '4g' },
    ...{ candidate: 'h3', baseline: 'h2', margin: 0.05 },
  });
  const baseline = asKind(bound, 'baseline');
  assert.deepEqual(baseline, { kind: 'baseline', metric: 'speedIndex', statistic: 'p90', protocol: 'h3', condition: '4g', margin: 0.1 });
  assert.deepEqual(asKind({ ...baseline, margin: 0.2 } as Assertion, 'protocols'), { ...asKind(bound, 'protocols'), margin: 0.2 });
});

test('lists of one stand alone, and of none not at all', () => {
  assert.deepEqual([oneOrMore([]), oneOrMore(['h3']), oneOrMore(['h2', 'h3'])], [undefined, 'h3', ['h2', 'h3']]);
  assert.deepEqual(listed(' 4g, latency-* ,'), ['4g', 'latency-*']);
  assert.deepEqual(Object.keys(defined({ kind: 'bound', max: undefined, min: 0 })), ['kind', 'min']);
});

test('a rate is held against the least of it, a time against the most, and what is worse follows the metric', () => {
  const rate = withMetric({ kind: 'bound', metric: 'responseTime', statistic: 'p75', max: 200 }, 'requestsPerSecond');
  assert.deepEqual(rate, { kind: 'bound', metric: 'requestsPerSecond', statistic: 'p25', min: 200 });
  assert.deepEqual(withMetric(rate, 'clientCpu'), { kind: 'bound', metric: 'clientCpu', statistic: 'p75', max: 200 });
  assert.deepEqual(withMetric(rate, 'bytesPerSecond'), { kind: 'bound', metric: 'bytesPerSecond', statistic: 'p25', min: 200_000 });
  const relation = asKind(rate, 'protocols');
  assert.deepEqual([relation.kind, 'not' in relation && relation.not], ['protocols', 'below']);
  assert.equal('not' in withMetric(relation, 'latency'), false);
  assert.deepEqual(gateProblems({ assertions: [rate, relation, asKind(rate, 'baseline')] }, undefined, 'transaction'), []);
});

test('metrics to choose from are those of what the gate judges', () => {
  assert.deepEqual(new Set(metricGroups('runs').flatMap(({ metrics }) => metrics)), new Set(gateMetricsOf({ engine: 'transaction' })));
  assert.deepEqual(new Set(metricGroups('pages').flatMap(({ metrics }) => metrics)), new Set(gateMetricsOf({ engine: 'puppeteer' })));
  const either = metricGroups('either').flatMap(({ metrics }) => metrics);
  assert.deepEqual([either.length, new Set(either)], [gateMetrics.length, new Set(gateMetrics)]);
});
