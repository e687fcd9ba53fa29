import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { timeTicks } from './time-ticks.ts';

const zone = process.env.TZ;
const texts = (from: string, to: string, count: number) => timeTicks([Date.parse(from), Date.parse(to)], count).map(({ text }) => text);

describe('ticks by the reader’s clock', () => {
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  test('days begin at midnight of the reader, on the day of a change of the clock too', () => {
    process.env.TZ = 'Europe/Berlin';
    const ticks = timeTicks([Date.parse('2026-03-27T12:00Z'), Date.parse('2026-03-31T12:00Z')], 5);
    assert.deepEqual(
      ticks.map(({ at }) => new Date(at).getHours()),
      [0, 0, 0, 0],
    );
    assert.deepEqual(
      ticks.map(({ text }) => text),
      ['28 Mar', '29 Mar', '30 Mar', '31 Mar'],
    );
    process.env.TZ = 'America/New_York';
    assert.deepEqual(texts('2026-06-01T00:00Z', '2026-06-01T08:00Z', 5), ['31 May, 21:00', '1 Jun, 00:00', '03:00']);
  });

  test('hours of a day without two o’clock come one after the other', () => {
    process.env.TZ = 'Europe/Berlin';
    const ticks = timeTicks([Date.parse('2026-03-28T22:30Z'), Date.parse('2026-03-29T03:30Z')], 6);
    assert.deepEqual(
      ticks.map(({ at }) => (at - (ticks[0]?.at ?? 0)) / 3_600_000),
      [0, 1, 2, 3, 4],
    );
  });

  test('weeks begin on Mondays', () => {
    process.env.TZ = 'UTC';
    const ticks = timeTicks([Date.parse('2026-08-01'), Date.parse('2026-09-28')], 9);
    assert.ok(ticks.every(({ at }) => new Date(at).getDay() === 1));
    assert.equal(ticks[0]?.text, '3 Aug');
  });

  test('the year is told where it changes', () => {
    process.env.TZ = 'UTC';
    assert.deepEqual(texts('2025-11-20', '2026-03-02', 4), ['Dec 2025', 'Jan 2026', 'Feb', 'Mar']);
    assert.deepEqual(texts('2019-06-01', '2026-06-01', 8), ['2020', '2021', '2022', '2023', '2024', '2025', '2026']);
  });

  test('never many more ticks than asked for, from a minute to decades', () => {
    for (const minutes of [1, 60, 600, 1440, 20_000, 200_000, 2_000_000, 20_000_000]) {
      const ticks = timeTicks([Date.parse('2026-01-15T10:10Z'), Date.parse('2026-01-15T10:10Z') + minutes * 60_000], 6);
      assert.ok(ticks.length >= 1 && ticks.length <= 9, `${minutes} minutes: ${ticks.length}`);
    }
  });

  test('there are two ticks at least where finer ones find room', () => {
    process.env.TZ = 'UTC';
    assert.deepEqual(texts('2026-11-12T12:00Z', '2026-11-20T20:00Z', 4), ['13 Nov', '15 Nov', '17 Nov', '19 Nov']);
  });
});
