import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LinkCheck, MeasuredDirection } from '@pronghorn/core/schemas';
import { linkTable } from './table.ts';

const direction: MeasuredDirection = {
  delay: { requestedMs: 25, meanMs: 25.24, p50Ms: 25.1, p99Ms: 26.2, toleranceMs: 2, packets: 7_840, within: true },
  loss: { requestedShare: 0.02, sent: 8_000, lost: 160, low: 120, high: 203, duplicates: 0, reordered: 0, within: true },
  rates: [
    { transport: 'udp', requestedKbps: 10_000, measuredKbps: 9_996, within: true },
    { transport: 'tcp', requestedKbps: 10_000, measuredKbps: 2_834, within: null },
  ],
};

const check: LinkCheck = {
  id: 'ffffffff-ffff-4fff-8fff-ffffffffffff',
  checkedAt: '2026-01-01T00:00:00.000Z',
  condition: 'poor',
  backend: 'guest',
  kernel: '7.2',
  tcLines: [],
  rtt: { requestedMs: 50, meanMs: 50.5, p50Ms: 50.3, p99Ms: 51.2, toleranceMs: 2.5, packets: 10, within: true },
  up: direction,
  down: { ...direction, loss: { ...direction.loss, lost: 412, within: false } },
  faults: ['down: 412 of 8,000 packets lost, 120–203 expected at 2 %'],
};

describe('the table of link checks', () => {
  it('has a row for the round trip and one for each direction, requested before measured', () => {
    assert.deepEqual(linkTable([check]).rows, [
      ['poor', 'rtt', '50', '50.5', '50.3', '51.2', '', '', '', '', '', 'ok'],
      ['', 'up', '25', '25.2', '25.1', '26.2', '160', '120–203', '10', '10', '2.83*', 'ok'],
      ['', 'down', '25', '25.2', '25.1', '26.2', '412', '120–203', '10', '10', '2.83*', '✗'],
    ]);
  });

  it('says of a silent link that it is, and has no rows for what was not measured', () => {
    const silent: LinkCheck = { ...check, rtt: null, up: null, down: null, faults: ['none of 10 pings came back within 1,100 ms'] };
    assert.deepEqual(linkTable([silent]).rows, [['poor', 'rtt', '', '–', '–', '–', '', '', '', '', '', '✗']]);
  });

  it('shows delays below a millisecond to 10 µs', () => {
    const floor = { ...check, rtt: { requestedMs: 0, meanMs: 0.262, p50Ms: 0.131, p99Ms: 0.4, toleranceMs: 2, packets: 10, within: true } };
    assert.deepEqual(linkTable([{ ...floor, up: null, down: null }]).rows[0]?.slice(2, 6), ['0', '0.26', '0.13', '0.40']);
  });

  it('fits into 100 columns', () => {
    const { header, rows } = linkTable([{ ...check, condition: 'mobile-poor-symmetric' }]);
    const widths = header.map((title, column) => Math.max(...[header, ...rows].map((row) => (row[column] ?? title).length)));
    assert.ok(widths.reduce((sum, width) => sum + width + 2, -2) <= 100);
  });
});
