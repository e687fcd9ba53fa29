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

test('the change log and all that quotes a version name this one', () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, '../../../..', path), 'utf8');
  assert.ok(read('CHANGELOG.md').includes(`\n## [${version}] - 2`));
  const quoted = {
    'docs/api.md': /"version": "(\d[^"]*)"/g,
    'docs/containers.md': /PRONGHORN_VERSION=(\S+)/g,
    'docs/gates.md': /(?:pronghorn@v|gate[@:]|pronghorn-gate-)(\d\S*?)(?=\.tgz|\s)/g,
    'docker/kubernetes/api.yaml': /api:(\d\S*)/g,
    'docker/kubernetes/runner.yaml': /runner:(\d\S*)/g,
    'packages/web/src/parts/gates/pipeline-lines.ts': /(?:pronghorn@v|gate[@:])(\d\S*)/g,
  };
  for (const [path, pattern] of Object.entries(quoted)) {
    const versions = [...read(path).matchAll(pattern)].map(([, found]) => found);
    assert.deepEqual([...new Set(versions)], [version], path);
  }
});
