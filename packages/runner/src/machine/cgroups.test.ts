import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { cgroupMounts, claimPriority } from './cgroups.ts';

/** A cgroup whose processes get a tenth of a core, by its own limit or by that of the one above it; undefined where none can be made. */
function limited(t: TestContext, above: boolean): string | undefined {
  const { root, version } =
    cgroupMounts().find((mount) => mount.version === 1 && mount.options.includes('cpu')) ??
    cgroupMounts().find((mount) => mount.version === 2) ??
    {};
  if (root === undefined) return undefined;
  const upper = join(root, `pronghorn-test-limit-${process.pid}`);
  const lower = join(upper, 'below');
  t.after(() => [lower, upper].filter(existsSync).map((folder) => rmdirSync(folder)));
  try {
    mkdirSync(upper);
    if (above) mkdirSync(lower);
    if (version === 2) writeFileSync(join(upper, 'cpu.max'), '10000 100000');
    else writeFileSync(join(upper, 'cpu.cfs_quota_us'), '10000');
    return above ? lower : upper;
  } catch {
    return undefined;
  }
}

/** Works until it was kept waiting for 200 ms, or for so long: a busy machine keeps it waiting in other ways first. */
const told = `
  const { throttledMs } = await import(process.argv[1]);
  const [before, start] = [throttledMs(), performance.now()];
  while (throttledMs() - before < 200 && performance.now() - start < Number(process.argv[2]));
  console.log(JSON.stringify([before, throttledMs(), performance.now() - start]));`;
const ask = (enter: readonly string[], atMostMs: number) => {
  const [program = '', ...args] = [
    ...enter,
    ...[process.execPath, '--input-type=module', '-e', told, new URL('cgroups.ts', import.meta.url).href, String(atMostMs)],
  ];
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  assert.notEqual(stdout, '', stderr);
  return JSON.parse(stdout) as [number, number, number];
};

for (const above of [false, true]) {
  test(`a process that ${above ? 'the cgroup above its own' : 'its cgroup'} gives a tenth of a core is kept waiting`, (t) => {
    const folder = limited(t, above);
    if (folder === undefined) return t.skip('needs root and a cgroup hierarchy that limits CPU time');
    const [before, after, tookMs] = ask(['/bin/sh', '-c', 'echo $$ > "$0" && exec "$@"', join(folder, 'cgroup.procs')], 60_000);
    // The kernel counts by periods of 100 ms.
    assert.ok(after - before >= 200 && after - before < tookMs + 200, `${after - before} ms of ${tookMs}`);
  });
}

test('a process without such a limit is not kept waiting', (t) => {
  const [before, after] = ask([], 500);
  if (before > 0) return t.skip('a limit on CPU time is on these tests');
  assert.equal(after, 0);
});

test('a program is started with priority, and what it starts has it too', (t) => {
  const priority = claimPriority();
  if (priority.kind === 'none') return t.skip('needs root and a cgroup hierarchy with CPU weights that can be written');
  const procs = priority.enter.at(-1) as string;
  const [program = '', ...args] = [...priority.enter, 'sh', '-c', 'sh -c "cat $0 && echo I am \\$\\$"', procs];
  const { stdout } = spawnSync(program, args, { encoding: 'utf8' });
  const own = /I am (\d+)/.exec(stdout)?.[1];
  assert.ok(stdout.split('\n').includes(String(own)), `${procs} has ${stdout}`);
  assert.match(
    readFileSync(procs.replace('cgroup.procs', procs.includes('/cpu') ? 'cpu.shares' : 'cpu.weight'), 'utf8'),
    /^(262144|10000)/,
  );
  priority.release();
  assert.equal(existsSync(procs), false);
});
