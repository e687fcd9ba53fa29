import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { unitBatches } from './machine.ts';
import { failedFiles } from './test-failures.ts';

const root = join(import.meta.dirname, '../../../..');

test('every unit test is in one batch, with few others of its package, unless its package stays out', (t) => {
  const { files, remove } = unitBatches(root, ['web']);
  t.after(remove);
  const batches = files.map((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^await import\("(.+?)"\)/gm)].map(([, url = '']) => fileURLToPath(url)),
  );
  const all = globSync('packages/*/src/**/*.test.ts', { cwd: root }).filter((path) => !path.startsWith('packages/web/'));
  assert.deepEqual(batches.flat().sort(), all.map((path) => join(root, path)).sort());
  for (const batch of batches) {
    assert.ok(batch.length > 0 && batch.length <= 8, `${batch}`);
    assert.equal(new Set(batch.map((path) => path.slice(root.length).split('/')[2])).size, 1, `${batch}`);
  }
  remove();
  assert.ok(files.every((file) => !existsSync(file)));
});

test('a file that cannot be loaded fails under its own name, and the others of its batch are run', (t) => {
  const made = mkdtempSync(join(tmpdir(), 'pronghorn-batches-'));
  t.after(() => rmSync(made, { recursive: true, force: true }));
  const source = join(made, 'packages/some/src');
  mkdirSync(source, { recursive: true });
  const passing = (name: string) => `import { test } from 'node:test';\ntest('${name} is run', () => {});\n`;
  writeFileSync(join(source, 'a.test.ts'), passing('the first'));
  writeFileSync(join(source, 'b.test.ts'), `import { nothing } from 'node:fs';\nnothing();\n`);
  writeFileSync(join(source, 'c.test.ts'), `throw new Error('thrown at once');\n`);
  writeFileSync(join(source, 'd.test.ts'), passing('the last'));
  const { files, remove } = unitBatches(made, []);
  t.after(remove);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout, status } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', ...files], { env, encoding: 'utf8' });
  const lines = [...stdout.matchAll(/^ *((?:not )?ok) \d+ - (.+)$/gm)].map(([, ok, name]) => `${ok} ${name}`).sort();
  assert.deepEqual(lines, [
    'not ok packages/some/src/b.test.ts can be loaded',
    'not ok packages/some/src/c.test.ts can be loaded',
    'ok the first is run',
    'ok the last is run',
  ]);
  assert.match(stdout, /does not provide an export named 'nothing'/);
  assert.equal(status, 1);
});

test('the files that failed are found in what the reporter wrote, however they failed', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-failures-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const files = {
    helper: `import { suite, test } from 'node:test';\nsuite('many', () => { test('inside', () => { throw new Error('in a helper'); }); });\n`,
    'a.test': `import './helper.ts';\n`,
    'b.test': `throw new Error('thrown at once');\n`,
    'c.test': `import { test } from 'node:test';\ntest('endless', () => { setInterval(() => {}, 1_000); return new Promise(() => {}); });\n`,
    'd.test': `import { test } from 'node:test';\ntest('killed', () => process.kill(process.pid, 'SIGKILL'));\n`,
    'e.test': `import { test } from 'node:test';\ntest('good', () => {});\n`,
    // By --test-force-exit its end is cut off, as is that of its summary.
    'f.test': `import { test } from 'node:test';\nfor (let i = 0; i < 40; i++) test('bad ' + i, () => { throw new Error('x'.repeat(3_000)); });\n`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.ts`), text);
  const reporter = join(root, 'packages/cli/src/commands/test-failures.ts');
  const args = [
    '--test',
    '--test-timeout=2000',
    '--test-force-exit',
    `--test-reporter=${reporter}`,
    '--test-reporter-destination=failures',
    '*.test.ts',
  ];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  assert.equal(spawnSync(process.execPath, args, { cwd: folder, env }).status, 1);
  const report = readFileSync(join(folder, 'failures'), 'utf8');
  assert.deepEqual(failedFiles('', ['never-ran.test.ts']), ['never-ran.test.ts']);
  assert.match(report, /✖ inside \(helper.ts\)\nError: in a helper/);
  assert.deepEqual(failedFiles(report, ['e.test.ts', 'f.test.ts']).sort(), [
    'a.test.ts',
    'b.test.ts',
    'c.test.ts',
    'd.test.ts',
    'f.test.ts',
  ]);
});
