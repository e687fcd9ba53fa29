import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paintLandscape } from './landscape.ts';
import { encodePng } from './png.ts';
import { paintPot, pots } from './shop.ts';

test('a seed paints the same picture every time, another seed another one', () => {
  const pot = (seed: number) => paintPot({ seed, kind: 'vase', size: 60 }).rgb;
  assert.deepEqual(pot(1), pot(1));
  assert.notDeepEqual(pot(1), pot(2));
  const landscape = (seed: number) => paintLandscape({ seed, width: 80, height: 40, palette: 'dusk', grain: 1, herd: 2 }).rgb;
  assert.deepEqual(landscape(1), landscape(1));
  assert.notDeepEqual(landscape(1), landscape(2));
});

test('a product’s picture weighs what a product’s picture weighs', async () => {
  for (const [n, kind] of pots.entries()) {
    const { length } = await encodePng(paintPot({ seed: n + 1, kind, size: 240 }));
    assert.ok(length > 5_000 && length < 60_000, `${kind}: ${length} bytes`);
  }
});

test('a pronghorn stands on the front ridge', () => {
  const size = { seed: 4, width: 200, height: 100, palette: 'noon', grain: 0 } as const;
  const [empty, herd] = [paintLandscape(size).rgb, paintLandscape({ ...size, herd: 1 }).rgb];
  const painted = empty.filter((value, at) => value !== herd[at]).length / 3;
  assert.ok(painted > 20 && painted < 2000, `${painted} pixels differ`);
});
