import assert from 'node:assert/strict';
import { test } from 'node:test';
import { elsewhere } from './scene.ts';

test('what a page asked of hosts that are not served is counted by origin, most first', () => {
  const urls = [
    'https://dist.test/',
    'https://a.example/1',
    'https://b.example/1',
    'https://b.example/2',
    'data:,x',
    'wss://b.example/live',
  ];
  const counts = elsewhere(
    urls.map((url) => ({ url })),
    new Set(['dist.test']),
  );
  assert.deepEqual(counts, [
    ['https://b.example', 2],
    ['https://a.example', 1],
    ['wss://b.example', 1],
  ]);
});
