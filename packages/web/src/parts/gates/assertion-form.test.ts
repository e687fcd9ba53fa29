import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Assertion } from '@pronghorn/core';
import { asKind, commaList, defined, fromShown, oneOrMore, shownUnit, toShown } from './assertion-form.ts';

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
  assert.deepEqual(commaList(' 4g, latency-* ,'), ['4g', 'latency-*']);
  assert.deepEqual(Object.keys(defined({ kind: 'bound', max: undefined, min: 0 })), ['kind', 'min']);
});
