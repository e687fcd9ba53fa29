// What several processes need, such as the dashboard's files, is made by one of them, whatever becomes of it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { nextOutput, proves } from '@pronghorn/core/testing';

const module = new URL('../build/make-once.ts', import.meta.url).href;

/** A process that makes the folder, unless another one does. It tells when it begins, and ends once it is told to. */
function maker(folder: string) {
  const make = `async (made) => {
    console.log('begins');
    await new Promise((resolve) => process.stdin.once('data', resolve));
    writeFileSync(made + '/by', String(process.pid));
  }`;
  const code = `import { writeFileSync } from 'node:fs'; import { makeOnce } from ${JSON.stringify(module)};
    await makeOnce(${JSON.stringify(folder)}, ${make}); process.exit();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['pipe', 'pipe', 'inherit'] });
  return { child, begins: nextOutput(child), ends: once(child, 'exit') };
}

test('one process makes it, the others wait, and go on when it dies', proves('service'), async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'pronghorn-once-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const folder = join(home, 'made');
  const makers = [maker(folder), maker(folder), maker(folder)];
  t.after(() => makers.map(({ child }) => child.kill('SIGKILL')));
  const first = await Promise.race(makers.map(async (one) => one.begins.then(() => one)));
  first.child.kill('SIGKILL');
  await first.ends;
  assert.ok(!existsSync(folder), 'nothing that is half made');
  const others = makers.filter((one) => one !== first);
  const second = await Promise.race(others.map(async (one) => one.begins.then(() => one)));
  second.child.stdin.write('go on\n');
  assert.deepEqual(await Promise.all(others.map(async ({ ends }) => (await ends)[0])), [0, 0]);
  assert.equal(readFileSync(join(folder, 'by'), 'utf8'), String(second.child.pid));
  assert.deepEqual(
    readdirSync(home).filter((name) => name !== `.made.${first.child.pid}`),
    ['made'],
  );
});
