import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { claimPriority } from './priority.ts';

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
