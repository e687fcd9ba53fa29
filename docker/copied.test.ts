// The images have what their sources import: tests of the images run only where what counts has changed (README.md), and any source can import.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { checkedOut, copiedOf, inputFiles, root } from './e2e/inputs.ts';

const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** What a source imports, and files that it opens by a name beside it, but for types, which are gone when it runs. */
function namesIn(text: string): string[] {
  const imports = text.matchAll(/^(?:import|export) (?!type\b)(?:[^'";]*? from )?'([\w@.][^']*)'|\bimport\('([^']+)'\)/gm);
  const opened = text.matchAll(/new URL\('(\.[^']*\w\.\w+)', import\.meta\.url\)/g);
  return [...imports, ...opened].map(([, one, other]) => one ?? other ?? '');
}

test('each file that a source of the images imports or opens is in them, and each package is installed there', () => {
  const copied = copiedOf(checkedOut());
  const there = new Set(copied);
  const manifests = copied
    .filter((file) => file.endsWith('/package.json') && file.split('/').length <= 3)
    .map((file) => ({ folder: `${dirname(file)}/`, ...JSON.parse(read(file)) }));
  const missing: string[] = [];
  let seen = 0;
  for (const file of copied.filter((name) => /^(?:packages|nginx)\/.*\.(?:ts|vue)$/.test(name))) {
    const { folder, name: own, dependencies, devDependencies } = manifests.find(({ folder }) => file.startsWith(folder));
    // What only makes the dashboard, or the gate's one file, is installed where that is made.
    const isMaker = folder === 'packages/web/' || file === 'packages/cli/src/gate-bundle.ts';
    const packages = new Set(Object.keys({ ...dependencies, ...(isMaker && devDependencies), [own]: '' }));
    for (const name of namesIn(read(file))) {
      if (name.startsWith('node:')) continue;
      seen += 1;
      const path = join(dirname(file), name).replace(/\?.*$/, '');
      const isThere = name.startsWith('.')
        ? there.has(path) || copied.some((one) => one.startsWith(join(path, '/')))
        : packages.has(/^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? '');
      if (!isThere) missing.push(`${file}: ${name}`);
    }
  }
  assert.ok(seen > 2_000, `${seen} names were found`);
  assert.deepEqual(missing, []);
});

test('what makes an image another one counts, and a source that is the same everywhere does not', () => {
  const files = new Set(inputFiles());
  const copied = new Set(copiedOf(checkedOut()));
  for (const file of [
    ...[
      'docker/Dockerfile',
      'docker-compose.yml',
      '.dockerignore',
      'docker/seccomp.json',
      'docker/runner-entrypoint',
      'docker/e2e/engine.ts',
    ],
    ...['pnpm-lock.yaml', 'packages/api/package.json', 'nginx/gateway.conf', 'packages/transaction/go.mod', 'docs/containers.md'],
    ...['packages/cli/src/main.ts', 'packages/runner/src/link/shapers/tc.ts', 'packages/api/src/storage/database.ts'],
  ])
    assert.ok(files.has(file), file);
  for (const file of ['packages/core/src/math/bootstrap.ts', 'packages/web/src/main.ts'])
    assert.deepEqual([copied.has(file), files.has(file)], [true, false], file);
  for (const file of ['docker/README.md', 'docker/copied.test.ts']) assert.ok(!files.has(file), file);
});
