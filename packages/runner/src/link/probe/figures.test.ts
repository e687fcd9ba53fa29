import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { oneWayOf, rateOf } from './figures.ts';

const ms = (...times: number[]) => Float64Array.from(times, (time) => time * 1e6);

describe('the figures of a one-way measurement', () => {
  it('tell lost, doubled and overtaken packets apart', () => {
    const arrivals = { numbers: Uint32Array.of(0, 2, 1, 2, 4), ns: ms(10, 12, 13, 14, 15) };
    const { delay, ...counts } = oneWayOf(ms(0, 1, 2, 3, 4), arrivals);
    assert.deepEqual(counts, { sent: 5, received: 4, lost: 1, duplicates: 1, reordered: 1 });
    // 10, 10, 12 and 11 ms
    assert.deepEqual([delay?.meanMs, delay?.p50Ms, delay?.packets], [10.75, 10.5, 4]);
  });

  it('have no delay when nothing came', () => {
    const { delay, lost } = oneWayOf(ms(0, 1), { numbers: new Uint32Array(), ns: ms() });
    assert.deepEqual([delay, lost], [null, 2]);
  });

  it('ignore packets that were never sent', () => {
    assert.equal(oneWayOf(ms(0), { numbers: Uint32Array.of(0, 7), ns: ms(1, 2) }).received, 1);
  });
});

describe('a rate', () => {
  /** 125 bytes each millisecond are 1,000 kbit/s. */
  const steady = (from: number, to: number, stepMs: number) => {
    const times = Array.from({ length: Math.round((to - from) / stepMs) + 1 }, (_, index) => from + index * stepMs);
    return { ns: ms(...times), total: times.map((_, index) => (index + 1) * 125 * stepMs) };
  };

  it('is not blurred by the size of slow packets', () => {
    const { ns, total } = steady(0, 2_000, 30);
    assert.ok(Math.abs(rateOf(ns, total, 305, 0.5) - 1_000) < 1e-9);
  });

  it('leaves out the warm-up', () => {
    const { ns, total } = steady(0, 1_000, 1);
    const burst = total.map((bytes, index) => bytes + Math.min(index, 5) * 10_000);
    assert.ok(Math.abs(rateOf(ns, burst, 100, 0.5) - 1_000) < 1e-9);
  });

  it('counts a stall to the end of the window', () => {
    const { ns, total } = steady(0, 250, 1);
    assert.ok(Math.abs(rateOf(ns, total, 0, 0.5) - 500) < 1e-9);
  });

  it('is 0 when nothing came', () => {
    assert.equal(rateOf([], [], 100, 0.5), 0);
  });
});
