import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Condition } from '@pronghorn/core/schemas';
import { linkDevice, macs } from '../../src/link/net/addresses.ts';
import { Namespace } from '../../src/link/net/namespace.ts';
import { canGuest, GuestConsole, guestKernel, openGuest } from '../../src/link/shapers/guest.ts';
import { bridgeIn, canNetem, openNetem } from '../../src/link/shapers/netem.ts';
import { openVeth, type Shaper } from '../../src/link/shapers/shaper.ts';
import { tcLines } from '../../src/link/shapers/tc.ts';
import { tools } from '../../src/machine/find.ts';
import { endsWithUs } from '../../src/machine/run.ts';
import { bulk, datagrams, lateRoundTrips, roundTripMs } from '../shapers-traffic.ts';
import { judgesTimes } from '../standstill.ts';

const root = process.getuid?.() === 0;
const guest = root ? await canGuest() : 'needs root';
const netem = root ? await canNetem() : 'needs root';
const unless = (can: true | string) => ({ skip: can === true ? false : can });

const delayed: Condition = { name: 'tried', up: { delayMs: 25 }, down: { delayMs: 25 } };

const kinds = [
  { name: 'veth', open: openVeth, can: root || 'needs root', shapes: false as true | string },
  { name: 'netem', open: openNetem, can: root || 'needs root', shapes: netem },
  { name: 'guest', open: openGuest, can: guest, shapes: guest },
];

for (const { name, open, can, shapes } of kinds) {
  describe(`the shaper ${name}`, unless(can), () => {
    let near: Namespace;
    let far: Namespace;
    let shaper: Shaper;
    before(async () => {
      [near, far] = await Promise.all([Namespace.create('near'), Namespace.create('far')]);
      shaper = await open(near, far);
      await address(near, '10.115.1.2', '10.115.1.1', macs.far);
      await address(far, '10.115.1.1', '10.115.1.2', macs.near);
    });
    after(async () => {
      await shaper?.close();
      await Promise.all([near?.close(), far?.close()]);
    });

    test(
      'joins two namespaces with next to no delay',
      judgesTimes(async () => {
        assert.equal(shaper.backend, name);
        assert.ok((await roundTripMs(near, far)) < 2);
      }),
    );

    test(
      'lets no single packet lie until another one comes',
      judgesTimes(async () => {
        // One or two may be late on a machine that has other work; without the guest's heartbeat a dozen are.
        const late = await lateRoundTrips(near, far);
        assert.ok(late < 4, `${late} of 30,000 took more than 100 ms`);
      }),
    );

    test('tells which kernel shapes', () => assert.match(shaper.kernel, /^\d+\.\d+/));

    test('hands over single frames, of a TCP stream and of datagrams that left as one', async () => {
      for (const end of [near, far]) await countLargeFrames(end);
      await bulk(far, near, 20_000_000);
      assert.equal(await datagrams(far, near, 20), 20);
      for (const end of [near, far]) assert.equal(await largeFrames(end), 0);
    });

    if (name === 'veth') {
      test('refuses to shape', async () => {
        await shaper.apply([]);
        await assert.rejects(shaper.apply(['qdisc add dev link0 root netem delay 1ms']), /can’t shape.*“qdisc add dev link0/);
      });
    } else {
      const devices = () => shaper.devices as { up: string; down: string };

      test(
        'delays each direction by what its condition says, and no longer when it is taken off',
        unless(shapes),
        judgesTimes(async () => {
          await shaper.apply(tcLines(delayed, devices()));
          const bothWays = await roundTripMs(near, far);
          assert.ok(bothWays >= 50 && bothWays < 53, `${bothWays} ms of 50`);
          await shaper.apply(tcLines({ ...delayed, down: {} }, devices()));
          const oneWay = await roundTripMs(near, far);
          assert.ok(oneWay >= 25 && oneWay < 28, `${oneWay} ms of 25`);
          await shaper.apply([]);
          assert.ok((await roundTripMs(near, far)) < 2);
        }),
      );

      test(
        'limits the rate of the one direction and fills the queue before it',
        judgesTimes(async () => {
          await shaper.apply(tcLines({ name: 'tried', up: {}, down: { rateKbps: 10_000, queueBytes: 32_768 } }, devices()));
          const seconds = await bulk(far, near, 2_500_000);
          const mbps = (2.5 * 8 * (1_514 / 1_448)) / seconds;
          assert.ok(mbps > 9 && mbps < 10.7, `${mbps} Mbit/s of 10`);
          const [, dropped] = /^qdisc tbf 10: dev \S+ root[\s\S]*?dropped (\d+)/m.exec(await shaper.show()) ?? [];
          assert.ok(Number(dropped) > 0, 'a full queue drops');
          assert.ok((await bulk(near, far, 2_500_000)) < 1);
          await shaper.apply([]);
          assert.ok((await bulk(far, near, 2_500_000)) < 1);
        }),
      );

      test('passes on why tc refuses a line, and is clear after that', async () => {
        const { up, down } = devices();
        const good = `qdisc add dev ${up} root handle 10: tbf rate 1mbit burst 2kb limit 32kb`;
        const bad = `qdisc add dev ${down} root handle 1: netom delay 1ms`;
        await assert.rejects(
          shaper.apply([good, bad]),
          (error: Error) => error.message.includes(`“${bad}”`) && /Unknown qdisc/.test(error.message),
        );
        assert.doesNotMatch(await shaper.show(), /tbf|netem/);
      });
    }

    test('takes both ends and all its processes away when it is closed, and can be opened again', async () => {
      const ends = [near, far].map(({ pid }) => namespaceOf(pid));
      const own = namespacesBelow(process.pid).filter((one) => !ends.includes(one));
      assert.equal(own.length, name === 'veth' ? 0 : 1);
      await shaper.close();
      for (const end of [near, far]) assert.doesNotMatch(await end.run(['ip', 'link']), /link0/);
      assert.deepEqual(processesIn(own), []);
      shaper = await open(near, far);
    });
  });
}

test('a guest and its namespaces end with the process that opened them, however that ends', unless(guest), async () => {
  const opener = spawn(process.execPath, [join(import.meta.dirname, '..', 'shapers-opener.ts')], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said = await new Promise<string>((resolve) => opener.stdout.once('data', (chunk) => resolve(String(chunk))));
  assert.equal(said, 'open\n');
  const namespaces = namespacesBelow(opener.pid as number);
  assert.equal(namespaces.length, 3, 'near, far and the guest’s');
  assert.ok(processesIn(namespaces).length >= 4, 'three holders and a guest');
  const ended = new Promise((resolve) => opener.once('exit', resolve));
  opener.kill('SIGKILL');
  await ended;
  for (const end = performance.now() + 2_000; processesIn(namespaces).length > 0 && performance.now() < end; )
    await new Promise(setImmediate);
  assert.deepEqual(processesIn(namespaces), []);
});

test('a guest that can’t start says why', unless(guest), async () => {
  const folder = join(tools(), 'link-guest');
  await assert.rejects(
    GuestConsole.start(['env', 'LD_LIBRARY_PATH=lib', './linux', 'mem=64M', 'uml_dir=/proc/'], folder),
    /guest is gone: [\s\S]*root/i,
  );
  await assert.rejects(GuestConsole.start([join(folder, 'no-such-program')], folder), /ENOENT/);
});

test('the netem shaper bridges, delays and loses in a kernel that has netem: the guest’s own', unless(guest), async () => {
  const console = await GuestConsole.start([...endsWithUs('setpriv'), ...guestKernel], join(tools(), 'link-guest'));
  try {
    const [near, far, home] = [await guestNamespace(console), await guestNamespace(console), await guestNamespace(console)];
    const shaper = await bridgeIn(home, near, far, console.kernel);
    await address(near, '10.115.1.2', '10.115.1.1', macs.far);
    await address(far, '10.115.1.1', '10.115.1.2', macs.near);
    const ping = async (count: number) => await near.run(['ping', '-q', '-A', '-c', String(count), '-W', '1', '10.115.1.1']);
    // The fastest: without the heartbeat that links give it, the guest is late for some.
    const minMs = (said: string) => Number(/min\/avg\/max = ([\d.]+)\//.exec(said)?.[1]);
    assert.ok(minMs(await ping(20)) < 1);
    assert.ok(shaper.devices);
    await shaper.apply(tcLines(delayed, shaper.devices));
    const delayedMs = minMs(await ping(20));
    assert.ok(delayedMs >= 50 && delayedMs < 53, `${delayedMs} ms of 50`);
    await shaper.apply(tcLines({ name: 'tried', up: { loss: { model: 'independent', share: 1 } }, down: {} }, shaper.devices));
    await assert.rejects(ping(3), /100% packet loss/);
    await shaper.apply([]);
    assert.ok(minMs(await ping(20)) < 1);
  } finally {
    await console.close();
  }
});

async function address(end: Namespace, own: string, other: string, otherMac: string): Promise<void> {
  await end.run(['ip', 'address', 'add', `${own}/24`, 'dev', linkDevice]);
  await end.run(['ip', 'neighbour', 'replace', other, 'lladdr', otherMac, 'nud', 'permanent', 'dev', linkDevice]);
}

/** At the device itself, before anything merges or cuts; without the Ethernet header. */
async function countLargeFrames(end: Namespace): Promise<void> {
  const rules = `table netdev seen { chain in { type filter hook ingress device ${linkDevice} priority 0; meta length > 1500 counter; }; }`;
  await end.run(['nft', '-f', '-'], rules);
}

async function largeFrames(end: Namespace): Promise<number> {
  const [, packets] = /counter packets (\d+)/.exec(await end.run(['nft', 'list', 'table', 'netdev', 'seen'])) ?? [];
  assert.ok(packets !== undefined);
  return Number(packets);
}

/** Network namespaces of a process's children that are not ours. */
function namespacesBelow(parent: number): string[] {
  const below = processes().filter(
    (pid) => /\) \S (\d+) /.exec(ofProcess(pid, (proc) => readFileSync(`${proc}/stat`, 'utf8')))?.[1] === `${parent}`,
  );
  return [...new Set(below.map(namespaceOf))].filter((one) => one !== '' && one !== namespaceOf(process.pid));
}

function processesIn(namespaces: readonly string[]): number[] {
  return processes().filter((pid) => namespaces.includes(namespaceOf(pid)));
}

/** A zombie has none. */
const namespaceOf = (pid: number) => ofProcess(pid, (proc) => readlinkSync(`${proc}/ns/net`));

const processes = () => readdirSync('/proc').map(Number).filter(Number.isInteger);

/** Empty when the process is gone. */
function ofProcess(pid: number, read: (proc: string) => string): string {
  try {
    return read(`/proc/${pid}`);
  } catch {
    return '';
  }
}

/** A namespace of the guest's kernel, used as those of this one are. */
async function guestNamespace(console: GuestConsole): Promise<Namespace> {
  const made = '[ "$(busybox readlink /proc/$!/ns/net)" != "$(busybox readlink /proc/self/ns/net)" ]';
  const pid = Number(await console.ask(`busybox unshare -n busybox sleep 1000 & until ${made}; do :; done; echo $!`));
  const run = async (argv: readonly string[], input = '') => {
    const [program = '', ...args] = argv.map((word) => `'${word}'`);
    const path = program === "'ping'" ? 'busybox ping' : `/sbin/${program}`;
    const lines = input.replaceAll('\n', '@'); // a request is one line
    return await console.ask(`printf %s '${lines}' | busybox tr @ '\\n' | busybox nsenter -t ${pid} -n ${path} ${args.join(' ')}`);
  };
  return { name: 'of the guest', pid, run, close: async () => {} } as unknown as Namespace;
}
