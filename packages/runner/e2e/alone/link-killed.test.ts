import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { surveyBackends } from '../../src/link/backends.ts';
import { processIdentity } from '../../src/machine/processes.ts';
import { toolPath } from '../../src/machine/run.ts';

const backends = (await surveyBackends()).filter(({ name, can }) => name !== 'direct' && can === true).map(({ name }) => name);
const program = fileURLToPath(new URL('../link-to-kill.ts', import.meta.url));
const running = new Set<ChildProcess>();
after(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** Opens a link and works on it until it is told to stop, or killed. */
function runner(backend: string): { child: ChildProcess; exited: Promise<unknown[]> } {
  const child = spawn(process.execPath, [program, backend], { stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return { child, exited: once(child, 'exit') };
}

/** When the link is open and proven, it says so. */
const working = (child: ChildProcess) => once(child.stdout as NodeJS.ReadableStream, 'data');

/** Everything that a runner started, itself included: a pid can be used again, a pid with its start time can't. */
function family(pid: number): string[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      children.set(parent, [...(children.get(parent) ?? []), entry]);
    } catch {
      // It ended while we looked.
    }
  }
  const below = (one: number): number[] => [one, ...(children.get(one) ?? []).flatMap(below)];
  return below(pid).flatMap((one) => processIdentity(one) ?? []);
}

const isAlive = (identity: string) => processIdentity(Number.parseInt(identity, 10)) === identity;

/** What of a link stands outside its namespaces. */
function onMachine(): string[] {
  const list = (program: string, ...args: string[]) => execFileSync(toolPath(program), args, { encoding: 'utf8' });
  const devices = (JSON.parse(list('ip', '-j', 'link')) as { ifname: string }[]).map(({ ifname }) => `device ${ifname}`);
  const tables = list('nft', 'list', 'tables')
    .split('\n')
    .filter((line) => line.includes('pronghorn'));
  const cgroups = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup']
    .flatMap((root) => (existsSync(root) ? readdirSync(root) : []))
    .filter((name) => name.startsWith('pronghorn-'));
  return [...devices, ...tables, ...cgroups].sort();
}

/** The kernel takes a moment to end processes and to take a namespace down. */
async function soon(is: () => boolean): Promise<boolean> {
  for (const deadline = performance.now() + 5_000; performance.now() < deadline; ) {
    if (is()) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return is();
}

/** From before the first namespace to well into the work; most while it starts one process after the other. */
const killedAfterMs = [180, 220, 260, 300, 350, 400, 500, 800, 1_400, 2_500];

for (const backend of backends) {
  test(`ten runners with the link ${backend}, each killed at some moment, leave nothing behind once the next has started`, async () => {
    // The first removes what others may have left before.
    const first = runner(backend);
    await working(first.child);
    first.child.kill('SIGTERM');
    await first.exited;
    const before = onMachine();
    for (const [kill, afterMs] of killedAfterMs.entries()) {
      const { child, exited } = runner(backend);
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      const started = family(child.pid as number);
      child.kill('SIGKILL');
      await exited;
      assert.ok(await soon(() => !started.some(isAlive)), `after kill ${kill} still alive: ${started.filter(isAlive).join()}`);
    }
    const { child, exited } = runner(backend);
    await working(child);
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null], 'the next runner opens its link and closes it');
    await soon(() => onMachine().join() === before.join());
    assert.deepEqual(onMachine(), before);
  });
}

test('two runners on one machine have links of their own', { skip: backends.length === 0 ? 'needs root' : false }, async () => {
  const backend = backends.at(-1) as string;
  const [one, other] = [runner(backend), runner(backend)];
  await Promise.all([working(one.child), working(other.child)]);
  one.child.kill('SIGKILL');
  await one.exited;
  await working(other.child);
  other.child.kill('SIGTERM');
  assert.deepEqual(await other.exited, [0, null], 'the other one goes on, and ends well');
});
