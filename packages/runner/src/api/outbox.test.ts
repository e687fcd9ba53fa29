import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ApiDenied, ApiRefusal, ApiUnavailable } from '@pronghorn/core/client';
import { testFolder } from '../testing/test-folder.ts';
import { Outbox } from './outbox.ts';
import { Spool } from './spool.ts';
import type { Upload } from './uploads.ts';

const upload = (path: string, what: Upload['what'] = 'visit', leaseId: string | null = 'mine', bytes = 10): Upload => ({
  path,
  contentType: 'application/json',
  body: Buffer.alloc(bytes),
  what,
  leaseId,
});

const never = new AbortController().signal;

/** An outbox before an api that is away, there, or refuses; its clock stands still until it is moved. */
function outboxOf(t: TestContext, spoolBytes = 1000) {
  const world = {
    away: false,
    fail: null as number | null,
    foreign: false,
    refuse: null as ApiRefusal | null,
    now: 0,
    sent: [] as string[],
    warned: [] as string[],
  };
  const spool = new Spool(testFolder(t), spoolBytes);
  const outbox = new Outbox({
    spool,
    now: () => world.now,
    warned: (message) => world.warned.push(message),
    send: async ({ path }) => {
      if (world.away) throw new ApiUnavailable('away', null);
      if (world.fail !== null) throw new ApiUnavailable('failed', null, world.fail, world.foreign);
      if (world.refuse !== null) throw world.refuse;
      world.sent.push(path);
    },
  });
  return { world, spool, outbox };
}

test('kept uploads are sent before later ones', async (t) => {
  const { world, outbox, spool } = outboxOf(t);
  await outbox.deliver(upload('/1'), never);
  world.away = true;
  await outbox.deliver(upload('/2'), never);
  await outbox.deliver(upload('/3', 'environment', null), never);
  assert.deepEqual([world.sent, spool.length], [['/1'], 2]);
  world.away = false;
  await outbox.deliver(upload('/4'), never);
  assert.deepEqual(world.sent, ['/1'], 'it is not asked again before it had its rest');
  world.now += 60_000;
  await outbox.deliver(upload('/5'), never);
  assert.deepEqual(world.sent, ['/1', '/2', '/3', '/4', '/5']);
  assert.equal(spool.length, 0);
});

test('a lease that is lost takes all that waited for it along, and nothing else', async (t) => {
  const { world, outbox, spool } = outboxOf(t);
  world.away = true;
  for (const each of [upload('/1'), upload('/2'), upload('/other', 'discovery', null), upload('/3', 'evidence')])
    await outbox.deliver(each, never);
  world.away = false;
  world.now += 60_000;
  world.refuse = new ApiRefusal(409, 'the lease is lost');
  await assert.rejects(outbox.flush(never), /the lease is lost/);
  assert.deepEqual(world.warned, ['2 visits that waited for the api are dropped: the lease is lost']);
  assert.deepEqual([spool.length, spool.first()?.path], [1, '/other']);
});

test('a token that is refused drops nothing', async (t) => {
  const { world, outbox, spool } = outboxOf(t);
  world.away = true;
  await outbox.deliver(upload('/1'), never);
  world.away = false;
  world.now += 60_000;
  world.refuse = new ApiDenied(401, 'no');
  await assert.rejects(outbox.flush(never), ApiDenied);
  assert.equal(spool.length, 1);
});

test('an api that keeps failing over one visit is not asked for ever: the round is given up', async (t) => {
  const { world, outbox, spool } = outboxOf(t);
  world.fail = 500;
  await assert.rejects(async () => {
    for (let minute = 0; minute < 20; minute++) {
      await outbox.deliver(upload(`/${minute}`), never);
      world.now += 60_000;
    }
  }, ApiRefusal);
  assert.equal(spool.length, 0);
  world.fail = 507;
  for (let minute = 0; minute < 20; minute++) {
    await outbox.deliver(upload(`/${minute}`), never);
    world.now += 60_000;
  }
  assert.equal(spool.length, 20, 'a full disk may be mended');
});

test('a proxy that refuses one visit is asked for longer than a deployment takes, but not for ever', async (t) => {
  const { world, outbox } = outboxOf(t);
  Object.assign(world, { fail: 403, foreign: true });
  let minutes = 0;
  await assert.rejects(async () => {
    for (; minutes < 100; minutes++) {
      await outbox.deliver(upload(`/${minutes}`), never);
      world.now += 60_000;
    }
  }, ApiRefusal);
  assert.ok(minutes >= 10 && minutes < 100, `${minutes} minutes`);
  Object.assign(world, { fail: 502 });
  for (let minute = 0; minute < 100; minute++) {
    await outbox.deliver(upload(`/${minute}`), never);
    world.now += 60_000;
  }
});

test('after a long outage a proxy’s first no, or the api’s first fault, drops nothing', async (t) => {
  const { world, outbox, spool } = outboxOf(t);
  const deliver = async (path: string) => {
    world.now += 60_000;
    await outbox.deliver(upload(path), never);
  };
  for (const [fail, foreign] of [
    [404, true],
    [500, false],
  ] as const) {
    world.away = true;
    for (let minute = 0; minute < 20; minute++) await deliver(`/${fail}/away/${minute}`);
    Object.assign(world, { away: false, fail: 502, foreign: true });
    for (let minute = 0; minute < 20; minute++) await deliver(`/${fail}/proxy/${minute}`);
    Object.assign(world, { fail, foreign });
    await deliver(`/${fail}/first`);
  }
  assert.equal(spool.length, 82);
  assert.deepEqual(world.warned, []);
});

test('repeated refusals of a proxy before the api are reported as the proxy’s', async (t) => {
  const { world, outbox } = outboxOf(t);
  Object.assign(world, { fail: 404, foreign: true });
  await assert.rejects(
    async () => {
      for (let minute = 0; minute < 40; minute++, world.now += 60_000) await outbox.deliver(upload(`/${minute}`), never);
    },
    (error) => error instanceof ApiRefusal && error.foreign,
  );
});

test('evidence that is refused is no reason to lose a round', async (t) => {
  const { world, outbox } = outboxOf(t);
  world.refuse = new ApiRefusal(413, 'too big');
  await outbox.deliver(upload('/1', 'evidence'), never);
  assert.deepEqual(world.warned, ['Evidence of a visit is dropped: too big']);
});

test('without room evidence makes place for visits', async (t) => {
  const { world, outbox, spool } = outboxOf(t, 100);
  world.away = true;
  await outbox.deliver(upload('/1', 'visit', 'mine', 40), never);
  await outbox.deliver(upload('/1/evidence', 'evidence', 'mine', 50), never);
  await outbox.deliver(upload('/2/evidence', 'evidence', 'mine', 50), never);
  assert.match(world.warned[0] ?? '', /^Evidence of a visit is dropped\. The spool holds 90 of at most 100 bytes/);
  await outbox.deliver(upload('/2', 'visit', 'mine', 40), never);
  assert.match(world.warned[1] ?? '', /^Evidence of 1 visits is dropped, so that visits find room/);
  assert.deepEqual([spool.length, spool.bytes], [2, 80]);
});
