import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '../random.ts';
import type { Assertion } from '../schemas/gate.ts';
import { metricNames } from '../schemas/metrics.ts';
import { describeAssertion, parseAssertion } from './assertion-text.ts';

test('a line of text is the assertion that its object form is', () => {
  const same: [string, Assertion][] = [
    ['onLoad p75 h3 <= 2.5 s on 4g', { kind: 'bound', metric: 'onLoad', statistic: 'p75', max: 2500, protocol: 'h3', condition: '4g' }],
    ['onLoad <= 2500', { kind: 'bound', metric: 'onLoad', max: 2500 }],
    ['requests <= 40 on 4g', { kind: 'bound', metric: 'requests', max: 40, condition: '4g' }],
    ['transferBytes <= 1.5 MB cold', { kind: 'bound', metric: 'transferBytes', max: 1_500_000, view: 'cold' }],
    ['h3Share h3 >= 90 %', { kind: 'bound', metric: 'h3Share', min: 0.9, protocol: 'h3' }],
    ['cumulativeLayoutShift p75 <= 0.1', { kind: 'bound', metric: 'cumulativeLayoutShift', statistic: 'p75', max: 0.1 }],
    [
      'onLoad h3 <= h2 + 5 % on latency-100',
      { kind: 'protocols', metric: 'onLoad', candidate: 'h3', baseline: 'h2', margin: 0.05, condition: 'latency-100' },
    ],
    ['speedIndex p90 h3 ≤ h1', { kind: 'protocols', metric: 'speedIndex', statistic: 'p90', candidate: 'h3', baseline: 'h1', margin: 0 }],
    [
      'onLoad p75 h2,h3 <= baseline+10% on latency-*,4g warm at https://a.example/*',
      {
        ...{ kind: 'baseline', metric: 'onLoad', statistic: 'p75', protocol: ['h2', 'h3'], margin: 0.1 },
        ...{ condition: ['latency-*', '4g'], view: 'warm', site: 'https://a.example/*' },
      } as Assertion,
    ],
    ['h3Share >= baseline - 2.5 %', { kind: 'baseline', metric: 'h3Share', margin: 0.025, not: 'below' }],
  ];
  for (const [text, object] of same) assert.deepEqual(parseAssertion(text), object, text);
});

test('an assertion that is written reads back as itself', () => {
  const random = randomSource(4);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const maybe = <T extends object>(given: T) => (random() < 0.5 ? given : {});
  for (let i = 0; i < 500; i++) {
    const places = {
      ...maybe({ condition: pick(['4g', 'latency-*', ['native', 'loss-2.rtt-50']]) }),
      ...maybe({ view: pick(['cold', 'warm'] as const) }),
      ...maybe({ site: pick(['*', 'https://a.example/x?y=1', 'shop']) }),
    };
    const own = { metric: pick(metricNames), ...maybe({ statistic: pick(['p75', 'p99.9', 'median', 'mean']) }), ...places };
    const protocol = maybe({ protocol: pick(['h3', ['h1', 'h2']] as const) });
    const margin = pick([0, 0.05, 0.125, 1.5]);
    const assertion = pick([
      { kind: 'bound', ...own, ...protocol, [pick(['max', 'min'])]: pick([0, 1, 2500, 0.1, 1234.5, 1e7]) },
      { kind: 'protocols', ...own, candidate: 'h3', baseline: 'h2', margin },
      { kind: 'baseline', ...own, ...protocol, margin, ...maybe({ not: 'below' }) },
    ]) as Assertion;
    assert.deepEqual(parseAssertion(describeAssertion(assertion)), assertion, describeAssertion(assertion));
  }
});

test('what cannot be read is refused by name, with what was expected', () => {
  const refused: [string, RegExp][] = [
    ['onLoad p75', /there is no <= or >= in it/],
    ['onLoad p75 < 2500', /"<" stands where <= or >= is expected; a limit may be reached/],
    ['onLaod p75 <= 1 s', /there is no metric "onLaod"; did you mean onLoad\?$/],
    ['onload <= 2500', /there is no metric "onload"; did you mean onLoad\?$/],
    ['LCP p75 <= 2.5 s', /did you mean largestContentfulPaint\?$/],
    ['speed-index <= 2 s', /did you mean speedIndex\?$/],
    ['frobnication <= 2', /there is no metric "frobnication"; expected one of onLoad, /],
    ['onLoad p75 p90 <= 2500', /"p90" is neither/],
    ['onLoad h4 <= 2500', /"h4" is neither a statistic/],
    ['onLoad <= 2.5 min', /onLoad has no unit "min"; expected ms, s or none/],
    ['requests <= 40 ms', /requests has no unit "ms"; expected a plain number/],
    ['onLoad <= h2 + 5 %', /one protocol is expected before <= h2/],
    ['onLoad h3 <= h2 - 5 %', /allows less than nothing/],
    ['onLoad h3 >= h2 + 5 %', /allows less than nothing/],
    ['onLoad <= fast', /"fast" begins with neither a number, nor a protocol, nor baseline/],
    ['onLoad <= 2500 on', /after "on" the name of a condition is expected/],
    ['onLoad <= 2500 on 4g on 3g', /"on" is not expected there/],
    ['onLoad <= 2500 lukewarm', /no unit "lukewarm"/],
    ['onLoad <= 2500 ms lukewarm', /"lukewarm" is not expected there/],
  ];
  for (const [text, message] of refused) assert.throws(() => parseAssertion(text), message, text);
});
