import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { nextOutput } from '@pronghorn/core/testing';
import { testFolder } from '../testing/test-folder.ts';
import { readWithoutLinks, removeFolder, sweep, temporaryFolder } from './run-folder.ts';

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

test('a folder of the expected name that is not this user’s alone is neither used nor swept', (t) => {
  const traps: Record<string, (path: string) => void> = {
    'a symbolic link': (path) => symlinkSync(testFolder(t), path),
    'a folder that others may write to': (path) => {
      mkdirSync(path);
      chmodSync(path, 0o777);
    },
  };
  if (process.getuid?.() === 0)
    traps['a folder of another user'] = (path) => {
      mkdirSync(path, 0o711);
      chownSync(path, 65_534, 65_534);
    };
  for (const [what, set] of Object.entries(traps)) {
    const temporary = testFolder(t);
    const trap = join(temporary, `pronghorn-${process.getuid?.() ?? 0}`);
    set(trap);
    // As if a process had left it.
    mkdirSync(join(trap, '4000000-1'));
    const script = `${makeFolder} import { sweep } from ${JSON.stringify(module)}; sweep();`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      env: { ...process.env, TMPDIR: temporary },
    });
    assert.match(stdout, /test-/, what);
    assert.ok(!stdout.startsWith(`${trap}/`), `${what}: ${stdout}`);
    assert.deepEqual(readdirSync(trap), ['4000000-1'], what);
    assert.deepEqual(readdirSync(temporary), [`pronghorn-${process.getuid?.() ?? 0}`], `${what}: its own went with it`);
  }
});

test('folders of a killed process are swept, those of a living one are not', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', `${makeFolder} setInterval(() => {}, 1000);`]);
  const [line] = await nextOutput(child);
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

test('of a browser’s folder files alone are read, and no link is followed', () => {
  const folder = temporaryFolder('linked');
  try {
    const [file, link, empty] = ['file', 'link', 'empty'].map((name) => join(folder, name)) as [string, string, string];
    writeFileSync(file, 'seven!!');
    writeFileSync(empty, '');
    symlinkSync(file, link);
    const read = (path: string, most = 7) => readWithoutLinks(path, most)?.toString();
    assert.deepEqual(
      [read(file), read(file, 6), read(link), read(empty), read(folder), read(join(folder, 'none'))],
      ['seven!!', ...Array(5)],
    );
  } finally {
    removeFolder(folder);
  }
});
