// A runner gets over what happens to its api, its network and its disk, and goes when it is told to.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openProxy } from './proxy.ts';
import { openWorld, type World } from './world.ts';

/** Long enough to do something in the middle of a visit. */
const slowly = ['1500'];

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(50);
}

/** Every round is done, and every slot of it counts once. */
async function assertWhole(world: World, rounds: number): Promise<void> {
  const visits = (await world.visits()).filter(({ counted }) => counted);
  assert.equal(visits.length, 2 * rounds);
  assert.equal(new Set(visits.map(({ roundId, slot }) => `${roundId} ${slot}`)).size, 2 * rounds);
  assert.deepEqual([...new Set((await world.rounds()).map(({ state }) => state))], ['done']);
}

test('an api that restarts in the middle of a round gets the visits made meanwhile, and the round is not begun again', async (t) => {
  const world = await openWorld(t);
  const api = await world.startApi();
  await world.submit(2);
  const runner = world.startRunner('runner', { args: slowly });
  await runner.says(/^stored visit/);
  await api.kill();
  await runner.says(/^visited/);
  await runner.says(/^warned The api can't be used now, trying again: /);
  await world.startApi();
  await runner.says(/^completed 1 1/);
  await runner.says(/^completed 2 1/);
  await assertWhole(world, 2);
});

test('over a cut network a runner keeps its visits and sends them in their order when it is mended', async (t) => {
  const world = await openWorld(t);
  await world.startApi();
  const network = await openProxy(t, world.port);
  await world.submit(1, { protocols: ['h2', 'h3', 'h2', 'h3', 'h2', 'h3'] });
  const runner = world.startRunner('runner', { apiUrl: network.url, args: ['50'], env: { STAND_IN_EVIDENCE: 'yes' } });
  await runner.says(/^stored visit/);
  network.cut();
  for (let visit = 0; visit < 4; visit++) await runner.says(/^visited/);
  network.mend();
  await runner.says(/^completed 1 1/);
  const visits = await world.visits();
  assert.deepEqual(
    visits.map(({ position, counted }) => [position, counted]),
    [0, 1, 2, 3, 4, 5].map((position) => [position, true]),
  );
  const evidence = await fetch(`${world.url}/api/v1/visits/${visits.at(-1)?.id}/evidence`);
  assert.equal(evidence.status, 200);
});

test('while a proxy says 404 in place of the service, a runner goes on with its round, and later asks for the next', async (t) => {
  const world = await openWorld(t);
  await world.startApi();
  const network = await openProxy(t, world.port);
  await world.submit(2, { protocols: ['h2', 'h3'] });
  const runner = world.startRunner('runner', { apiUrl: network.url, args: ['500'] });
  await runner.says(/^stored visit/);
  network.undeploy();
  await runner.says(/^warned The api can't be used now, trying again/);
  await runner.says(/^visited/);
  await until(async () => network.refusals() >= 2);
  network.mend();
  await runner.says(/^completed 1 1/);
  await runner.says(/^completed 2 1/);
  network.undeploy();
  await until(async () => network.refusals() >= 4);
  await world.submit(1);
  network.mend();
  await runner.says(/^completed 3 1/);
});

test('when a round is lost during a cut, the visits that waited are dropped and the other runner’s count', async (t) => {
  const world = await openWorld(t);
  await world.startApi();
  const network = await openProxy(t, world.port);
  await world.submit(2);
  const unlucky = world.startRunner('unlucky', { apiUrl: network.url, args: slowly });
  await unlucky.says(/^leased/);
  network.cut();
  // Both visits are made, and neither can be sent.
  await unlucky.says(/^visited/);
  await unlucky.says(/^visited/);
  // The lease runs out, and who asks next gets the round.
  const lucky = world.startRunner('lucky');
  await lucky.says(/^leased/);
  lucky.child.kill('SIGTERM');
  await lucky.says(/^completed 1 2/);
  network.mend();
  await unlucky.says(/^warned \d visits that waited for the api are dropped: .*is lost: no sign of life/);
  await unlucky.says(/^warned Round 1 was lost/);
  // What its next visits refer to was found during the cut, too, and is not lost.
  await unlucky.says(/^completed 2 1/);
  assert.equal(unlucky.lines.filter((line) => /runner failed/.test(line)).length, 0);
  await assertWhole(world, 2);
});

test('an api that lost its database is registered with anew', async (t) => {
  const world = await openWorld(t);
  const api = await world.startApi();
  const runner = world.startRunner('runner');
  await runner.says(/^registered/);
  await api.kill();
  for (const suffix of ['', '-wal', '-shm']) rmSync(world.database + suffix, { force: true });
  await world.startApi();
  await world.submit(1);
  await runner.says(/^registered/);
  await runner.says(/^completed 1 1/);
  await assertWhole(world, 1);
});

test('told to drain, a runner finishes its round, takes no other, and is seen to have stopped', async (t) => {
  const world = await openWorld(t);
  await world.startApi();
  await world.submit(3);
  const runner = world.startRunner('runner', { args: slowly });
  await runner.says(/^stored visit/);
  assert.equal((await world.runner('runner'))?.state, 'busy');
  runner.child.kill('SIGTERM');
  await until(async () => (await world.runner('runner'))?.state === 'draining');
  await runner.says(/^completed 1 1/);
  await runner.ended;
  assert.equal(runner.lines.at(-1), 'end');
  assert.equal((await world.runner('runner'))?.state, 'stopped');
  assert.deepEqual(
    (await world.rounds()).map(({ state }) => state),
    ['done', 'queued', 'queued'],
  );
});

test('told twice, it gives its round back at once', async (t) => {
  const world = await openWorld(t);
  await world.startApi();
  await world.submit(1);
  const runner = world.startRunner('runner', { args: ['1500'] });
  await runner.says(/^stored visit/);
  runner.child.kill('SIGTERM');
  await until(async () => (await world.runner('runner'))?.state === 'draining');
  runner.child.kill('SIGTERM');
  await runner.ended;
  const [round] = await world.rounds();
  assert.deepEqual([round?.state, round?.reason], ['queued', 'Attempt 1 was released: The runner was stopped.']);
});

test('of two processes of one name the later one works, and the earlier one ends and says why', async (t) => {
  const world = await openWorld(t);
  await world.startApi();
  const earlier = world.startRunner('runner', { enter: ['sh', '-c', 'exec "$@" 2>&1', 'sh'] });
  await earlier.says(/^registered/);
  const later = world.startRunner('runner');
  await later.says(/^registered/);
  await earlier.says(/Another process has registered as runner "runner".*give each a name of its own/);
  await earlier.ended;
  assert.notEqual(earlier.child.exitCode, 0);
  await world.submit(1);
  await later.says(/^completed 1 1/);
});

test('a runner whose disk is full says so and takes no round until there is room', async (t) => {
  if (!canMount()) return t.skip('needs root, to mount a small disk in a namespace of its own');
  const world = await openWorld(t);
  await world.startApi();
  await world.submit(1);
  const runner = world.startRunner('runner', {
    args: ['2', '20', '10000000'],
    env: { STAND_IN_SPOOL: world.folder, TMPDIR: world.folder },
    enter: onDisk('1m', world.folder),
  });
  await runner.says(/^warned The disk of .* has \d MB left, and the runner needs 10 MB/);
  await until(async () => /^The disk of/.test((await world.runner('runner'))?.trouble ?? ''));
  assert.equal((await world.rounds())[0]?.attempt, 0);
  execFileSync('nsenter', ['-t', String(runner.child.pid), '-m', 'mount', '-o', 'remount,size=50m', world.folder]);
  await runner.says(/^warned The problem is solved/);
  await runner.says(/^completed 1 1/);
  assert.equal((await world.runner('runner'))?.trouble, null);
});

test('when a disk fills up during a cut, evidence is dropped first, then the runner waits for the api; no visit is lost', async (t) => {
  if (!canMount()) return t.skip('needs root, to mount a small disk in a namespace of its own');
  const world = await openWorld(t);
  await world.startApi();
  const network = await openProxy(t, world.port);
  await world.submit(1, { protocols: ['h2', 'h3', 'h2', 'h3', 'h2', 'h3'] });
  const runner = world.startRunner('runner', {
    apiUrl: network.url,
    args: ['20', '70'],
    env: { STAND_IN_SPOOL: world.folder, STAND_IN_EVIDENCE: 'yes', TMPDIR: world.folder },
    enter: onDisk('160k', world.folder),
  });
  await runner.says(/^leased/);
  network.cut();
  await runner.says(/^warned Evidence of .* dropped.* The disk of .* is full/);
  await runner.says(/^warned A visit can't be kept, so the runner waits for the api/);
  network.mend();
  await runner.says(/^completed 1 1/);
  assert.deepEqual(
    (await world.visits()).map(({ position, counted }) => [position, counted]),
    [0, 1, 2, 3, 4, 5].map((position) => [position, true]),
  );
});

const canMount = () => process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0;

/** Put before a program: gives it a disk of its own, which nobody else sees and which goes with it. */
const onDisk = (size: string, folder: string) => [
  'unshare',
  '--mount',
  'sh',
  '-c',
  'mount -t tmpfs -o "size=$1" none "$2" && shift 2 && exec "$@"',
  'sh',
  size,
  folder,
];
