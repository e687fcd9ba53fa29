// A runner gets over what happens to its api, its network and its disk, and goes when it is told to.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { openProxy } from './proxy.ts';
import { openWorld, stepwise, untilTrue, type World } from './world.ts';

/** Every round is done, and every slot of it counts once. */
async function assertWhole(world: World, rounds: number): Promise<void> {
  const visits = (await world.visits()).filter(({ counted }) => counted);
  assert.equal(visits.length, 2 * rounds);
  assert.equal(new Set(visits.map(({ roundId, slot }) => `${roundId} ${slot}`)).size, 2 * rounds);
  assert.deepEqual([...new Set((await world.rounds()).map(({ state }) => state))], ['done']);
}

/** Loads of a round of two protocols: two more discover the site first. */
const [firstRound, laterRound] = [4, 2];

test('an api that restarts gets the visits made meanwhile; without its database it is new', proves('runners'), async (t) => {
  const world = await openWorld(t);
  const api = await world.startApi();
  await world.submit(2);
  const runner = world.startRunner('runner', { env: stepwise });
  runner.go(firstRound - 1);
  await runner.says(/^stored visit/);
  await api.close();
  runner.go(1);
  await runner.says(/^visited/);
  await runner.says(/^warned The api can't be used now, trying again: /);
  const restarted = await world.startApi();
  runner.go(laterRound);
  await runner.says(/^completed 1 1/);
  await runner.says(/^completed 2 1/);
  await assertWhole(world, 2);

  await restarted.close();
  for (const suffix of ['', '-wal', '-shm']) rmSync(world.database + suffix, { force: true });
  await world.startApi();
  await world.submit(1);
  runner.go(firstRound);
  await runner.says(/^registered/);
  await runner.says(/^completed 1 1/);
  await assertWhole(world, 1);
});

test('a runner keeps its visits over a cut network and a proxy’s 404, and sends them in order', proves('runners'), async (t) => {
  const world = await openWorld(t);
  await world.startApi();
  const network = await openProxy(t, world);
  await world.submit(1, { protocols: ['h2', 'h3', 'h2', 'h3', 'h2', 'h3'] });
  const runner = world.startRunner('runner', { apiUrl: network.url, env: { ...stepwise, STAND_IN_EVIDENCE: 'yes' } });
  runner.go(3);
  await runner.says(/^stored visit/);
  network.cut();
  runner.go(5);
  for (let visit = 0; visit < 5; visit++) await runner.says(/^visited/);
  network.mend();
  await runner.says(/^completed 1 1/);
  const visits = await world.visits();
  assert.deepEqual(
    visits.map(({ position, counted }) => [position, counted]),
    [0, 1, 2, 3, 4, 5].map((position) => [position, true]),
  );
  const evidence = await fetch(`${world.url}/api/v1/visits/${visits.at(-1)?.id}/evidence`);
  assert.equal(evidence.status, 200);

  await world.submit(2);
  runner.go(firstRound - 1);
  await runner.says(/^stored visit/);
  network.undeploy();
  runner.go(1);
  await runner.says(/^warned The api can't be used now, trying again/);
  await runner.says(/^visited/);
  await untilTrue(async () => network.refusals() >= 2, 'the proxy to refuse the round’s visit twice');
  network.mend();
  runner.go(laterRound);
  await runner.says(/^completed 2 1/);
  await runner.says(/^completed 3 1/);
  network.undeploy();
  const before = network.refusals();
  await untilTrue(async () => network.refusals() >= before + 2, 'the proxy to refuse to lease twice');
  await world.submit(1);
  network.mend();
  runner.go(firstRound);
  await runner.says(/^completed 4 1/);
});

test('when a round is lost during a cut, the visits that waited are dropped and the other runner’s count', proves('queue'), async (t) => {
  const world = await openWorld(t);
  await world.startApi();
  const network = await openProxy(t, world);
  await world.submit(2);
  const unlucky = world.startRunner('unlucky', { apiUrl: network.url, env: stepwise });
  await unlucky.says(/^leased/);
  network.cut();
  unlucky.go(firstRound);
  // Both visits are made, and neither can be sent.
  await unlucky.says(/^visited/);
  await unlucky.says(/^visited/);
  // The lease runs out, and who asks next gets the round.
  world.clock.aheadMs = 61_000;
  const lucky = world.startRunner('lucky');
  await lucky.says(/^leased/);
  lucky.child.kill('SIGTERM');
  await lucky.says(/^completed 1 2/);
  network.mend();
  await unlucky.says(/^warned \d visits that waited for the api are dropped: .*is lost: no sign of life/);
  await unlucky.says(/^warned Round 1 was lost/);
  // What its next visits refer to was found during the cut, too, and is not lost.
  unlucky.go(laterRound);
  await unlucky.says(/^completed 2 1/);
  assert.equal(unlucky.lines.filter((line) => /runner failed/.test(line)).length, 0);
  await assertWhole(world, 2);
});

test('told to drain, a runner finishes its round and stops; told twice, it gives it back', proves('runners'), async (t) => {
  const world = await openWorld(t);
  await world.startApi();
  await world.submit(3);
  const draining = world.startRunner('runner', { env: stepwise });
  draining.go(firstRound - 1);
  await draining.says(/^stored visit/);
  assert.equal((await world.runner('runner'))?.state, 'busy');
  draining.child.kill('SIGTERM');
  await untilTrue(async () => (await world.runner('runner'))?.state === 'draining', 'the runner to say that it drains');
  draining.go(1);
  await draining.says(/^completed 1 1/);
  await draining.ended;
  assert.equal(draining.lines.at(-1), 'end');
  assert.equal((await world.runner('runner'))?.state, 'stopped');
  assert.deepEqual(
    (await world.rounds()).map(({ state }) => state),
    ['done', 'queued', 'queued'],
  );

  const stopped = world.startRunner('runner', { env: stepwise });
  stopped.go(laterRound - 1);
  await stopped.says(/^stored visit/);
  stopped.child.kill('SIGTERM');
  await untilTrue(async () => (await world.runner('runner'))?.state === 'draining', 'the runner to say that it drains');
  stopped.child.kill('SIGTERM');
  await stopped.ended;
  const round = (await world.rounds())[1];
  assert.deepEqual([round?.state, round?.reason], ['queued', 'Attempt 1 was released: The runner was stopped.']);
});

test('of two processes of one name the later one works, and the earlier one ends and says why', proves('runners'), async (t) => {
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

test('a runner whose disk is full says so and takes no round until there is room', proves('runners'), async (t) => {
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
  await untilTrue(async () => /^The disk of/.test((await world.runner('runner'))?.trouble ?? ''), 'the runner to tell of its disk');
  assert.equal((await world.rounds())[0]?.attempt, 0);
  execFileSync('nsenter', ['-t', String(runner.child.pid), '-m', 'mount', '-o', 'remount,size=50m', world.folder]);
  await runner.says(/^warned The problem is solved/);
  await runner.says(/^completed 1 1/);
  assert.equal((await world.runner('runner'))?.trouble, null);
});

test('when a disk fills up during a cut, evidence goes first, and no visit is lost', proves('runners'), async (t) => {
  if (!canMount()) return t.skip('needs root, to mount a small disk in a namespace of its own');
  const world = await openWorld(t);
  await world.startApi();
  const network = await openProxy(t, world);
  await world.submit(1, { protocols: ['h2', 'h3', 'h2', 'h3', 'h2', 'h3'] });
  const runner = world.startRunner('runner', {
    apiUrl: network.url,
    args: ['2', '70'],
    env: { ...stepwise, STAND_IN_SPOOL: world.folder, STAND_IN_EVIDENCE: 'yes', TMPDIR: world.folder },
    enter: onDisk('160k', world.folder),
  });
  await runner.says(/^leased/);
  network.cut();
  runner.go(8);
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
