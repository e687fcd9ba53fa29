import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition, Shape } from '../schemas/condition.ts';
import { checkCondition } from './check-condition.ts';
import { conditionNamed, presets } from './presets.ts';

const independent = (share: number) => ({ model: 'independent', share }) as const;
const bursts = (p: number, r: number, more: object = {}) => ({ model: 'gilbert-elliott', p, r, ...more }) as const;
const faultsOf = (given: Partial<Condition>) => checkCondition({ name: 'mine', up: {}, down: {}, ...given });

test('conditions that a link can do as they are written have no faults', () => {
  for (const up of [
    { delayMs: 5 },
    { delayMs: 50, jitter: { ms: 50 } },
    { delayMs: 60, jitter: { ms: 20, distribution: 'normal', correlation: 0.3 } },
    { delayMs: 20, loss: bursts(0.01, 0.3, { lossBad: 0.5, lossGood: 0.001 }) },
    { rateKbps: 8, queueBytes: 1600 },
    { delayMs: 10, reorder: { share: 0.5 }, duplicateShare: 0.1, loss: independent(0.99) },
  ] satisfies Shape[]) {
    assert.deepEqual(faultsOf({ up }), [], JSON.stringify(up));
  }
});

for (const [what, up, pointer, words] of [
  ['jitter without a delay', { rateKbps: 100, jitter: { ms: 5 } }, '/jitter/ms', /reaches 5 ms below its middle, and the delay is 0 ms/],
  ['jitter beyond the delay', { delayMs: 10, jitter: { ms: 11 } }, '/jitter/ms', /A jitter of 11 ms reaches 11 ms .* Give a longer delay/],
  [
    'a bell that reaches below 0',
    { delayMs: 50, jitter: { ms: 20, distribution: 'normal' } },
    '/jitter/ms',
    /A normal jitter of 20 ms reaches 60 ms/,
  ],
  ['jitter that never changes', { delayMs: 50, jitter: { ms: 5, correlation: 1 } }, '/jitter/correlation', /the delay of the first/],
  ['loss of everything', { delayMs: 20, loss: independent(1) }, '/loss', /Every packet is lost/],
  ['bursts that lose everything', { delayMs: 20, loss: bursts(1, 1e-17) }, '/loss', /Every packet is lost/],
  ['bursts that never begin', { delayMs: 20, loss: bursts(0, 0.5, { lossGood: 0.1 }) }, '/loss/p', /never goes bad/],
  ['bursts that never end', { delayMs: 20, loss: bursts(0.1, 0) }, '/loss/r', /stays bad forever.*1 ÷ the mean length/],
  [
    'states that are swapped',
    { delayMs: 20, loss: bursts(0.1, 0.5, { lossBad: 0.1, lossGood: 0.2 }) },
    '/loss/lossBad',
    /lossBad is 0.1 and lossGood 0.2.*Swap them/,
  ],
  ['a queue without a bottleneck', { delayMs: 5, queueBytes: 32_768 }, '/queueBytes', /Give rateKbps too/],
  ['a rate in Mbit/s', { rateKbps: 5 }, '/rateKbps', /5 kbit\/s; expected at least 8.*thousands of bits/],
  ['reordering without a delay', { rateKbps: 100, reorder: { share: 0.1 } }, '/reorder', /Give delayMs too/],
  [
    'reordering of most packets',
    { delayMs: 5, reorder: { share: 0.6 } },
    '/reorder/share',
    /0\.6 of the packets would go without the delay/,
  ],
  [
    'correlated reordering',
    { delayMs: 5, reorder: { share: 0.1, correlation: 0.5 } },
    '/reorder/correlation',
    /the reordered share differs from the requested one/,
  ],
  ['reordering past a bottleneck', { delayMs: 5, rateKbps: 100, reorder: { share: 0.1 } }, '/reorder', /past the bottleneck/],
  ['duplicates of everything', { duplicateShare: 1 }, '/duplicateShare', /sent twice/],
] as const satisfies [string, Shape, string, RegExp][]) {
  test(`${what} is a fault, in either direction`, () => {
    for (const direction of ['up', 'down']) {
      const found = faultsOf({ [direction]: up }).filter((fault) => fault.pointer === `/${direction}${pointer}`);
      assert.ok(
        found.some(({ detail }) => words.test(detail)),
        JSON.stringify(faultsOf({ [direction]: up })),
      );
    }
  });
}

test('half of the base RTT counts as delay', () => {
  assert.deepEqual(faultsOf({ baseRttMs: 20, up: { jitter: { ms: 10 } } }), []);
  assert.equal(faultsOf({ baseRttMs: 18, up: { jitter: { ms: 10 } } }).length, 1);
});

test('loss on a path without delay is a fault, unless a base RTT of 0 says that it is meant', () => {
  assert.match(faultsOf({ down: { loss: independent(0.02) } })[0]?.detail ?? '', /measures the CPU.*Give baseRttMs, such as 20/);
  assert.deepEqual(faultsOf({ baseRttMs: 0, down: { loss: independent(0.02) } }), []);
  assert.deepEqual(faultsOf({ up: { delayMs: 10 }, down: { loss: independent(0.02) } }), []);
});

test('a condition that does nothing is told to be native', () => {
  assert.match(faultsOf({})[0]?.detail ?? '', /mine does nothing to packets. Use native instead/);
});

test('names must be names, whoever asks', () => {
  for (const name of ['', ' ', 'Mine', 'ländlich', '-x', 'a b', 'x'.repeat(64)]) {
    assert.match(faultsOf({ name, up: { delayMs: 5 } })[0]?.detail ?? '', /expected 1 to 63 lower-case letters/, name);
  }
});

test('a preset may be given whole, and its name means nothing else', () => {
  for (const preset of presets) assert.deepEqual(checkCondition(preset), []);
  const derived = conditionNamed('loss-2.rtt-50');
  assert.ok(derived);
  assert.deepEqual(checkCondition({ ...derived, description: 'mine' }), []);
  for (const name of ['native', 'loss-2', 'loss-2.rtt-50']) {
    assert.match(faultsOf({ name, up: { delayMs: 7 } })[0]?.detail ?? '', /is a preset, and this is another condition/, name);
  }
});

test('a name with a base RTT is that of a lossy condition with this base RTT', () => {
  const lossy = { name: 'office.rtt-30', up: { loss: independent(0.1) } };
  assert.deepEqual(faultsOf({ ...lossy, baseRttMs: 30 }), []);
  assert.match(faultsOf({ ...lossy, baseRttMs: 31 })[0]?.detail ?? '', /a lossy condition with baseRttMs 30/);
  assert.match(faultsOf({ name: 'office.rtt-30', up: { delayMs: 15 } })[0]?.detail ?? '', /Give this one another name/);
});
