import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LinkCheck, MeasuredDirection } from '../../schemas/link-check.ts';
import { measuredLink } from './link.ts';

const check = (p50Ms: number, given: Partial<LinkCheck> = {}): LinkCheck => ({
  id: '0193f0b4-8c1e-7d3a-9a53-2f6f0c4f5a01',
  checkedAt: '2026-01-02T03:04:05.000Z',
  condition: 'poor',
  backend: 'guest',
  kernel: '7.2.1',
  tcLines: [],
  rtt: { requestedMs: 50, meanMs: p50Ms, p50Ms, p99Ms: p50Ms + 1, toleranceMs: 2.5, packets: 20, within: true },
  up: null,
  down: null,
  faults: [],
  ...given,
});
const direction = (sent: number, lost: number, udpKbps: number): MeasuredDirection => ({
  delay: { requestedMs: 25, meanMs: 25.4, p50Ms: 25.3, p99Ms: 26, toleranceMs: 2, packets: sent - lost, within: true },
  loss: { requestedShare: 0.02, sent, lost, low: 0, high: sent, duplicates: 0, reordered: 0, within: true },
  rates: [
    { transport: 'udp', requestedKbps: 10_000, measuredKbps: udpKbps, within: true },
    { transport: 'tcp', requestedKbps: 10_000, measuredKbps: 2000, within: null },
  ],
});

test('a link that was never checked has no numbers', () => {
  assert.equal(measuredLink([]), null);
});

test('round trips are the median over checks, losses are counted together, rates are medians by transport', () => {
  const link = measuredLink([
    check(50.2, { up: direction(8000, 168, 9980), down: direction(8000, 152, 9900) }),
    check(51),
    check(50.6, { up: direction(8000, 152, 9960) }),
  ]);
  assert.deepEqual(link?.rtt, { requestedMs: 50, medianMs: 50.6 });
  assert.deepEqual(link?.up, {
    loss: { requestedShare: 0.02, sent: 16_000, lost: 320 },
    rates: [
      { transport: 'udp', requestedKbps: 10_000, medianKbps: 9970 },
      { transport: 'tcp', requestedKbps: 10_000, medianKbps: 2000 },
    ],
  });
  assert.equal(
    link?.words,
    'RTT 50.6 ms; up 2 % loss, UDP 9.97 Mbit/s, TCP 2 Mbit/s; down 1.9 % loss, UDP 9.9 Mbit/s, TCP 2 Mbit/s; 3 checks; guest (7.2.1)',
  );
});

test('a check that found a fault is counted and its numbers are left out', () => {
  const off = { faults: ['RTT is 90 ms, asked for 50 ± 2.5 ms'] };
  const link = measuredLink([check(50.2), check(90, off)]);
  assert.deepEqual([link?.checks, link?.faulty, link?.rtt?.medianMs], [1, 1, 50.2]);
  assert.equal(link?.words, 'RTT 50.2 ms; 1 check, 1 out of tolerance; guest (7.2.1)');
  const broken = measuredLink([check(90, off)]);
  assert.deepEqual([broken?.rtt, broken?.up, broken?.words], [null, null, '1 out of tolerance; guest (7.2.1)']);
});

test('a rate that nobody asked for is a number and no word', () => {
  const free = direction(8000, 0, 900_000);
  const link = measuredLink([
    check(50, { down: { ...free, rates: free.rates.map((rate) => ({ ...rate, requestedKbps: null, within: null })) } }),
  ]);
  assert.deepEqual([link?.words, link?.down?.rates[0]?.medianKbps], ['RTT 50 ms; down 0 % loss; 1 check; guest (7.2.1)', 900_000]);
});

test('a link that did not answer has no round trip', () => {
  const link = measuredLink([check(50, { rtt: null, faults: ['no ping came back'] })]);
  assert.deepEqual([link?.rtt, link?.faulty], [null, 1]);
});

test('every backend and kernel that took part is named', () => {
  const link = measuredLink([check(50), check(50, { backend: 'netem', kernel: '6.12' })]);
  assert.match(link?.words ?? '', /guest, netem \(7\.2\.1, 6\.12\)$/);
});
