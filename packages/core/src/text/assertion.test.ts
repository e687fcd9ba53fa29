import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '../math/random.ts';
import type { Assertion } from '../schemas/gate.ts';
import { metricNames } from '../vocabulary/metric.ts';
import { describeAssertion, parseAssertion } from './assertion.ts';

test('a line of text is the assertion that its object form is', () => {
  const same: [string, Assertion][] = [
    ['onLoad p75 h3 <= 2.5 s on 4g', { kind: 'bound', metric: 'onLoad', statistic: 'p75', max: 2500, protocol: 'h3', condition: '4g' }],
    ['onload <= 2500 ms', { kind: 'bound', metric: 'onLoad', max: 2500 }],
    ['LCP p75 <= 2.5 s', { kind: 'bound', metric: 'largestContentfulPaint', statistic: 'p75', max: 2500 }],
    ['TTFB <= 800 ms', { kind: 'bound', metric: 'ttfb', max: 800 }],
    ['onLoad <= 2500 ms', { kind: 'bound', metric: 'onLoad', max: 2500 }],
    ['onLoad <= 0', { kind: 'bound', metric: 'onLoad', max: 0 }],
    ['requestsPerSecond >= 500', { kind: 'bound', metric: 'requestsPerSecond', min: 500 }],
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
    ['requestsPerSecond >= 500 /s', { kind: 'bound', metric: 'requestsPerSecond', min: 500 }],
    ['requestsPerSecond h2 >= 0.5/s cold', { kind: 'bound', metric: 'requestsPerSecond', min: 0.5, protocol: 'h2', view: 'cold' }],
    ['bytesPerSecond >= 12.5 MB/s on 4g', { kind: 'bound', metric: 'bytesPerSecond', min: 12_500_000, condition: '4g' }],
    ['bytesPerSecond >= 800 kB/s', { kind: 'bound', metric: 'bytesPerSecond', min: 800_000 }],
    ['bytesPerSecond >= 2 MiB/s warm', { kind: 'bound', metric: 'bytesPerSecond', min: 2_097_152, view: 'warm' }],
    ['bytesPerSecond >= 9000 B/s', { kind: 'bound', metric: 'bytesPerSecond', min: 9_000 }],
    ['clientCpu <= 300 µs', { kind: 'bound', metric: 'clientCpu', max: 300 }],
    ['clientCpu <= 300 μs', { kind: 'bound', metric: 'clientCpu', max: 300 }],
    ['clientCpu <= 300 us', { kind: 'bound', metric: 'clientCpu', max: 300 }],
    ['serverCpu p90 <= 1.5 ms', { kind: 'bound', metric: 'serverCpu', statistic: 'p90', max: 1_500 }],
    ['clientMemory <= 64 MiB', { kind: 'bound', metric: 'clientMemory', max: 67_108_864 }],
    ['responseTime p95 h3 <= 0.2 s', { kind: 'bound', metric: 'responseTime', statistic: 'p95', max: 200, protocol: 'h3' }],
    ['responseTimeP99 <= 250 ms', { kind: 'bound', metric: 'responseTimeP99', max: 250 }],
    ['failedRequests = 0', { kind: 'bound', metric: 'failedRequests', max: 0 }],
    ['failedRequests == 0 on 4g', { kind: 'bound', metric: 'failedRequests', max: 0, condition: '4g' }],
    [
      'requestsPerSecond h3 >= h2 - 5 %',
      { kind: 'protocols', metric: 'requestsPerSecond', candidate: 'h3', baseline: 'h2', margin: 0.05, not: 'below' },
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
    ['onLoad p75 < 2500', /"<" is used where <= or >= is expected; limits are inclusive/],
    ['onLaod p75 <= 1 s', /there is no metric "onLaod"; did you mean onLoad\?$/],
    ['LC-P p75 <= 2.5 s', /did you mean largestContentfulPaint\?$/],
    ['speed-index <= 2 s', /did you mean speedIndex\?$/],
    ['frobnication <= 2', /there is no metric "frobnication"; expected one of onLoad, /],
    ['onLoad p75 p90 <= 2500', /"p90" is neither/],
    ['onLoad h4 <= 2500', /"h4" is neither a statistic/],
    ['onLoad <= 2.5 min', /onLoad has no unit "min"; expected ms or s$/],
    ['requests = 40', /"=" is used where <= or >= is expected/],
    ['failedRequests = 0.5', /"=" is used where/],
    ['requestsPerSecond >= 500 ms', /requestsPerSecond has no unit "ms"; expected \/s or none/],
    ['requestsPerSecond >= 500 MB/s', /requestsPerSecond has no unit "MB\/s"; expected \/s or none/],
    ['bytesPerSecond >= 5 MB', /bytesPerSecond has no unit "MB"; expected B\/s, kB\/s, MB\/s, KiB\/s or MiB\/s$/],
    ['clientCpu <= 3 min', /clientCpu has no unit "min"; expected µs, us, ms or s$/],
    ['requestsPerSec >= 5', /did you mean requestsPerSecond\?$/],
    ['requests <= 40 ms', /requests has no unit "ms"; expected a plain number/],
    ['onLoad <= h2 + 5 %', /one protocol is expected before <= h2/],
    ['onLoad h3 <= h2 - 5 %', /allows less than nothing/],
    ['onLoad h3 >= h2 + 5 %', /allows less than nothing/],
    ['onLoad <= fast', /"fast" begins with neither a number, nor a protocol, nor baseline/],
    ['onLoad <= 2500 ms on', /after "on" the name of a condition is expected/],
    ['onLoad <= 2500 ms on 4g on 3g', /"on" is not expected there/],
    ['onLoad <= 2500 lukewarm', /no unit "lukewarm"/],
    ['onLoad <= 2500 ms lukewarm', /"lukewarm" is not expected there/],
  ];
  // 2.5 ms would fail every page, and 10 as 1,000 % pass each.
  refused.push(
    ['onLoad <= 2.5 on 4g', /2\.5 of onLoad has no unit; expected 2\.5 ms or 2\.5 s$/],
    ['h2Share <= 10', /10 of h2Share has no unit; expected 10 %$/],
    ['failedShare <= 0.5', /0\.5 of failedShare has no unit; expected 0\.5 %$/],
    ['transferBytes <= 600', /expected 600 B, 600 kB, 600 MB, 600 KiB or 600 MiB$/],
  );
  for (const [text, message] of refused) assert.throws(() => parseAssertion(text), message, text);
});
