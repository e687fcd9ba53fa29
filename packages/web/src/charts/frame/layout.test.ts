import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layLegend, legendHeight, legendLine } from './layout.ts';

const widthOf = (text: string) => text.length * 10;

test('entries stand beside each other as far as there is room', () => {
  const places = layLegend(['aaaa', 'bbbb', 'cccc'], 150, widthOf);
  assert.deepEqual(places, [
    { x: 0, line: 0 },
    { x: 78, line: 0 },
    { x: 0, line: 1 },
  ]);
  assert.equal(legendHeight(places), 2 * legendLine);
});

test('an entry wider than all the room has a line of its own, and no entry takes no height', () => {
  assert.deepEqual(
    layLegend(['a'.repeat(40), 'b'], 100, widthOf).map(({ line }) => line),
    [0, 1],
  );
  assert.equal(legendHeight([]), 0);
});
