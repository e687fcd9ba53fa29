import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Load } from './engine.ts';
import { firefoxEngine } from './firefox.ts';

test('a repeat view is refused, and not replaced by a first view', async () => {
  const engine = firefoxEngine(undefined, { enter: [], link: {} as never });
  await assert.rejects(engine.load({ url: 'https://a.test/', view: 'warm' } as Load), /only first views/);
});
