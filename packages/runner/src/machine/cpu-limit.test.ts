import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cgroupMounts } from './cgroups.ts';

/** A cgroup whose processes get a tenth of a core; undefined where none can be made. */
function limited(): string | undefined {
  const found = cgroupMounts().map(({ root, version, options }) => {
    const folder = join(root, `pronghorn-test-limit-${process.pid}`);
    const quota = version === 2 ? ['cpu.max', '10000 100000'] : ['cpu.cfs_quota_us', '10000'];
    if (version === 1 && !options.includes('cpu')) return undefined;
    try {
      mkdirSync(folder);
      if (!existsSync(join(folder, quota[0] as string))) throw new Error('This hierarchy limits no CPU time.');
      writeFileSync(join(folder, quota[0] as string), quota[1] as string);
      return folder;
    } catch {
      if (existsSync(folder)) rmdirSync(folder);
      return undefined;
    }
  });
  return found.find((folder) => folder !== undefined);
}

const told = `
  const { throttledMs } = await import(process.argv[1]);
  const before = throttledMs();
  for (const end = performance.now() + 500; performance.now() < end; );
  console.log(JSON.stringify([before, throttledMs()]));`;
const ask = (enter: readonly string[]) => {
  const [program = '', ...args] = [
    ...enter,
    ...[process.execPath, '--input-type=module', '-e', told, new URL('cpu-limit.ts', import.meta.url).href],
  ];
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  assert.notEqual(stdout, '', stderr);
  return JSON.parse(stdout) as [number, number];
};

test('a process that its cgroup gives a tenth of a core is kept waiting most of the time', (t) => {
  const folder = limited();
  if (folder === undefined) return t.skip('needs root and a cgroup hierarchy that limits CPU time');
  t.after(() => rmdirSync(folder));
  const [before, after] = ask(['/bin/sh', '-c', 'echo $$ > "$0" && exec "$@"', join(folder, 'cgroup.procs')]);
  assert.ok(after - before > 200, `${after - before} ms of 500`);
});

test('a process without such a limit is not kept waiting', () => {
  const [before, after] = ask([]);
  assert.ok(after >= before && after - before < 500, `${before} ms, then ${after}`);
});
