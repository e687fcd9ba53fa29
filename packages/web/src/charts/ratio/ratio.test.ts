import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ratioLines, ratioRange, ratioTicks } from './ratio.ts';

const at = (levels: string[], ratio: number, low: number | null = null, high: number | null = null) => ({
  levels,
  ratio,
  low,
  high,
  rounds: 5,
});

test('one factor is one line along its levels', () => {
  const { along, levels, lines } = ratioLines({ factors: ['network'], levels: [at(['native'], 1), at(['poor'], 0.7, 0.6, 0.8)] });
  assert.deepEqual([along, levels, lines.map(({ name }) => name)], ['network', ['native', 'poor'], ['all']]);
  assert.deepEqual(lines[0]?.points[1], { level: 'poor', ratio: 0.7, low: 0.6, high: 0.8, rounds: 5 });
});

test('of two the one with more levels lies along the axis, and what was not measured is missing from its line', () => {
  const measured = [
    at(['GET', 'native'], 1),
    at(['GET', 'medium'], 0.9),
    at(['GET', 'poor'], 0.7),
    at(['POST', 'native'], 1.1),
    at(['POST', 'poor'], 1.2),
  ];
  const { along, levels, lines } = ratioLines({ factors: ['method', 'network'], levels: measured });
  assert.deepEqual([along, levels], ['network', ['native', 'medium', 'poor']]);
  assert.deepEqual(
    lines.map(({ name, points }) => [name, points.map(({ level, ratio }) => `${level} ${ratio}`).join()]),
    [
      ['GET', 'native 1,medium 0.9,poor 0.7'],
      ['POST', 'native 1.1,poor 1.2'],
    ],
  );
});

test('the range has 1 in it with room on both sides, whole intervals, and not the end of one that is endless', () => {
  const [low, high] = ratioRange([{ levels: [at(['a'], 0.7, 0.6, 0.8)] }]);
  assert.ok(low < 0.6 && low > 0.55 && high >= 1.1 && high < 1.2);
  const [, far] = ratioRange([{ levels: [at(['a'], 1.2, 0.01, 90)] }]);
  assert.ok(far < 2);
});

test('ticks have 1 among them and lie within the range', () => {
  for (const range of [
    [0.9, 1.1],
    [0.5, 2],
    [0.05, 20],
    [0.83, 1.14],
  ] as const)
    for (const most of [3, 5, 9]) {
      const ticks = ratioTicks(range, most);
      assert.ok(ticks.includes(1) && ticks.length > 1 && ticks.length <= Math.max(most, 5), JSON.stringify({ range, most, ticks }));
      assert.ok(ticks.every((value) => value >= range[0] && value <= range[1]));
    }
});
