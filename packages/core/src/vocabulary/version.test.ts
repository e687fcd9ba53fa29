import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { version } from './version.ts';

test('every package has the version that Pronghorn says it has', () => {
  const packages = join(import.meta.dirname, '../../../..');
  const manifests = ['package.json', ...globSync('packages/*/package.json', { cwd: packages })];
  assert.ok(manifests.length >= 6, manifests.join());
  for (const manifest of manifests) {
    assert.equal(JSON.parse(readFileSync(join(packages, manifest), 'utf8')).version, version, manifest);
  }
});
