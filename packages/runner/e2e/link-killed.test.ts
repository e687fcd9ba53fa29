import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { surveyBackends } from '../src/link/backends.ts';

const backends = (await surveyBackends()).filter(
  ({ name, can }) => (name === 'veth' || name === 'netem' || name === 'guest') && can === true,
);
const program = fileURLToPath(new URL('./link-to-kill.ts', import.meta.url));

/** Everything of a link that could stay on a machine: processes in other network namespaces, devices, rules, cgroups. */
function leftOnMachine(): string[] {
  const own = readlinkSync('/proc/self/ns/net');
  const processes = readdirSync('/proc').flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/ns/net`) !== own && isAlive(pid)
        ? [`process ${pid} ${readFileSync(`/proc/${pid}/comm`, 'utf8').trim()}`]
        : [];
    } catch {
      return [];
    }
  });
  const list = (...argv: [string, ...string[]]) =>
    execFileSync(argv[0], argv.slice(1), { encoding: 'utf8', env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` } });
  const devices = (JSON.parse(list('ip', '-j', 'link')) as { ifname: string }[]).map(({ ifname }) => `device ${ifname}`);
  const tables = list('nft', 'list', 'tables')
    .split('\n')
    .filter((line) => line !== '');
  const cgroups = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup'].flatMap((root) =>
    existsSync(root)
      ? readdirSync(root)
          .filter((name) => name.startsWith('pronghorn-'))
          .map((name) => `cgroup ${name}`)
      : [],
  );
  return [...processes, ...devices, ...tables, ...cgroups].sort();
}

function isAlive(pid: string): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z';
}

const running = new Set<ChildProcess>();
after(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** Opens a link and works on it until it is killed; `once` it is open it says so. */
function runner(backend: string): ChildProcess {
  const child = spawn(process.execPath, [program, backend], { stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

for (const { name } of backends) {
  test(`a runner with the link ${name} that is killed at any moment leaves nothing behind once the next has started`, async () => {
    const before = leftOnMachine();
    for (let kill = 0; kill < 10; kill++) {
      const child = runner(name);
      const exited = once(child, 'exit');
      // From before the first namespace to well into the work.
      await new Promise((resolve) => setTimeout(resolve, 300 + Math.random() * 2_500));
      child.kill('SIGKILL');
      await exited;
    }
    const next = runner(name);
    const exited = once(next, 'exit');
    await once(next.stdout as NodeJS.ReadableStream, 'data');
    next.kill('SIGTERM');
    const [code] = await exited;
    assert.equal(code, 0, 'the next runner opened its link and closed it');
    assert.deepEqual(await settled(before), before);
  });
}

test('two runners on one machine have links of their own', { skip: backends.length === 0 ? 'needs root' : false }, async () => {
  const { name } = backends.at(-1) as { name: string };
  const before = leftOnMachine();
  const two = [runner(name), runner(name)];
  const exits = two.map((child) => once(child, 'exit'));
  await Promise.all(two.map((child) => once(child.stdout as NodeJS.ReadableStream, 'data')));
  two[0]?.kill('SIGKILL');
  await exits[0];
  // The other one still works, and ends well.
  await once(two[1]?.stdout as NodeJS.ReadableStream, 'data');
  two[1]?.kill('SIGTERM');
  const [code] = (await exits[1]) as [number];
  assert.equal(code, 0);
  assert.deepEqual(
    (await settled(before)).filter((what) => !what.startsWith('cgroup')),
    before.filter((what) => !what.startsWith('cgroup')),
  );
});

/** The kernel takes a moment to take a namespace down. */
async function settled(expected: readonly string[]): Promise<string[]> {
  for (const deadline = performance.now() + 5_000; ; ) {
    const left = leftOnMachine();
    if (performance.now() > deadline || left.join() === expected.join()) return left;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
