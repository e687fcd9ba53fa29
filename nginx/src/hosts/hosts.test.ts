import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { hostOf, hosts, shardOf } from './hosts.ts';

test('every host has a number of its own, so Chrome coalesces no connections', () => {
  assert.equal(new Set(hosts.map(({ number }) => number)).size, hosts.length);
});

test('the sharded page spreads over six hosts, one of them without h2 and h3, one without h3', () => {
  const assets = ['shop.css', ...Array.from({ length: 64 }, (_, n) => `pot-${String(n + 1).padStart(2, '0')}.png`)];
  const shards = new Set(['sharded.pronghorn.test', ...assets.map(shardOf)]);
  assert.equal(shards.size, 6);
  const protocols = [...shards].map((name) => hostOf(name.split('.')[0] as string).protocols.join()).sort();
  assert.deepEqual(protocols, ['h1', 'h1,h2', 'h1,h2,h3', 'h1,h2,h3', 'h1,h2,h3', 'h1,h2,h3']);
});

test('an unknown host is named in the error', () => {
  assert.throws(() => hostOf('nowhere'), /no demo host nowhere\.pronghorn\.test/);
});

test('a container has an address for every host', () => {
  const entrypoint = readFileSync(new URL('../../../docker/origin-entrypoint', import.meta.url), 'utf8');
  const last = Number(/-le (\d+)/.exec(entrypoint)?.[1]);
  for (const { name, number } of hosts) assert.ok(number <= last, `${name} has the number ${number}, and addresses end with ${last}`);
});
