import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { removeFolder, sweep, temporaryFolder } from './run-folder.ts';

const module = fileURLToPath(new URL('./run-folder.ts', import.meta.url));
const makeFolder = `import { temporaryFolder } from ${JSON.stringify(module)}; console.log(temporaryFolder('test'));`;

test('a process that ends takes its folders along', () => {
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', makeFolder], { encoding: 'utf8' });
  assert.match(stdout.trim(), /test-/);
  assert.equal(existsSync(stdout.trim()), false);
});

test('a process finds a place also when its own folder was cleaned away, and others may pass through', () => {
  const own = dirname(temporaryFolder('first'));
  removeFolder(own);
  assert.equal(dirname(temporaryFolder('second')), own);
  assert.equal(statSync(own).mode & 0o777, 0o711);
});

test('folders of a killed process are swept, those of a living one are not', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', `${makeFolder} setInterval(() => {}, 1000);`]);
  const [line] = await once(child.stdout, 'data');
  const folder = String(line).trim();
  const own = temporaryFolder('test');
  sweep();
  assert.equal(existsSync(folder), true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  sweep();
  assert.equal(existsSync(folder), false);
  assert.equal(existsSync(own), true);
  removeFolder(own);
});
