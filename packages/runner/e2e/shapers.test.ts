// What each shaper does to packets. Thoroughly: e2e/thorough/shapers.test.ts.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Condition } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { linkDevice } from '../src/link/net/addresses.ts';
import type { Namespace } from '../src/link/net/namespace.ts';
import { GuestConsole, guestKernel } from '../src/link/shapers/guest.ts';
import { bridgeIn } from '../src/link/shapers/netem.ts';
import { offloadsOff, receiveOffloadOn } from '../src/link/shapers/shaper.ts';
import { tcLines } from '../src/link/shapers/tc.ts';
import { tools } from '../src/machine/find.ts';
import { endsWithUs } from '../src/machine/run.ts';
import { addressBoth, bulk, datagrams, delayed, joined, kinds, roundTripMs, unless } from './shapers-traffic.ts';
import { until } from './until.ts';

const guest = unless(kinds[2].can);

for (const kind of kinds) {
  const { name, can, shapes } = kind;
  describe(`the shaper ${name}`, { ...proves('link'), ...unless(can) }, () => {
    const bench = joined(kind);

    test('joins two namespaces, and hands over single frames, of a TCP stream and of datagrams that left as one', async () => {
      const { near, far, shaper } = bench();
      assert.equal(shaper.backend, name);
      assert.match(shaper.kernel, /^\d+\.\d+/);
      for (const end of [near, far]) await countLargeFrames(end);
      await bulk(far, near, 5_000_000);
      assert.equal(await datagrams(far, near, 20), 20);
      for (const end of [near, far]) assert.equal(await largeFrames(end), 0);
      assert.ok(await receiveOffloadOn(near, linkDevice));
      await bulk(far, near, 5_000_000);
      // A guest hands them over one by one: there is nothing to merge.
      if (name === 'veth') assert.ok((await largeFrames(near)) > 0, 'an end that may merges what it received');
      await offloadsOff(near, linkDevice);
    });

    if (!shapes) {
      test('refuses to shape', async () => {
        await bench().shaper.apply([]);
        await assert.rejects(bench().shaper.apply(['qdisc add dev link0 root netem delay 1ms']), /can’t shape.*“qdisc add dev link0/);
      });
    } else {
      const devices = () => bench().shaper.devices as { up: string; down: string };

      // No packet is earlier than its delay, and of many the fastest is hardly later, whatever else the machine does.
      test('delays each direction by what its condition says, and no longer when it is taken off', async (t) => {
        const { near, far, shaper } = bench();
        const leastUnder = async (condition: Condition) => {
          await shaper.apply(tcLines(condition, devices()));
          return (await roundTripMs(near, far)).least;
        };
        const bothWays = await leastUnder(delayed);
        const oneWay = await leastUnder({ ...delayed, down: {} });
        const none = await leastUnder({ ...delayed, up: {}, down: {} });
        t.diagnostic(`delayed both ways ${bothWays} ms, one way ${oneWay} ms, not at all ${none} ms`);
        // A guest's clock may run ahead by some per cent.
        const clock = name === 'guest' ? 0.94 : 1;
        assert.ok(bothWays >= 50 * clock, `${bothWays} ms of 50`);
        assert.ok(oneWay >= 25 * clock && oneWay < bothWays, `${oneWay} ms of 25`);
        assert.ok(none < oneWay, `${none} ms of none`);
      });

      test('limits the rate of the one direction and fills the queue before it', async (t) => {
        const { near, far, shaper } = bench();
        const bytes = 750_000;
        /** The fastest of three: other work may hold one up. */
        const least = async (from: Namespace, to: Namespace) =>
          Math.min(await bulk(from, to, bytes), await bulk(from, to, bytes), await bulk(from, to, bytes));
        await shaper.apply(tcLines({ name: 'tried', up: {}, down: { rateKbps: 2_000, queueBytes: 32_768 } }, devices()));
        const limited = await bulk(far, near, bytes);
        const [, dropped] = /^qdisc tbf 10: dev \S+ root[\s\S]*?dropped (\d+)/m.exec(await shaper.show()) ?? [];
        const other = await least(near, far);
        await shaper.apply([]);
        const unlimited = await least(far, near);
        t.diagnostic(`limited ${limited} s, the other direction ${other} s, not limited ${unlimited} s`);
        const mbps = (bytes * 8 * (1_514 / 1_448)) / 1e6 / limited;
        assert.ok(mbps < 2.14, `${mbps} Mbit/s of 2`);
        assert.ok(Number(dropped) > 0, 'a full queue drops');
        assert.ok(other < limited / 2, `${other} s, ${limited} s in the direction that is limited`);
        assert.ok(unlimited < limited / 2, `${unlimited} s, ${limited} s limited`);
      });

      test('passes on why tc refuses a line, and is clear after that', async () => {
        const { up, down } = devices();
        const good = `qdisc add dev ${up} root handle 10: tbf rate 1mbit burst 2kb limit 32kb`;
        const bad = `qdisc add dev ${down} root handle 1: netom delay 1ms`;
        await assert.rejects(
          bench().shaper.apply([good, bad]),
          (error: Error) => error.message.includes(`“${bad}”`) && /Unknown qdisc/.test(error.message),
        );
        assert.doesNotMatch(await bench().shaper.show(), /tbf|netem/);
      });
    }

    test('takes both ends and all its processes away when it is closed, and can be opened again', async () => {
      const { near, far } = bench();
      const ends = [near, far].map(({ pid }) => namespaceOf(pid));
      const own = namespacesBelow(process.pid).filter((one) => !ends.includes(one));
      assert.equal(own.length, shapes ? 1 : 0);
      await bench().shaper.close();
      for (const end of [near, far]) assert.doesNotMatch(await end.run(['ip', 'link']), /link0/);
      await gone(own);
      bench().shaper = await kind.open(near, far);
    });
  });
}

test('a guest that can’t start says why', { ...proves('link'), ...guest }, async () => {
  const folder = join(tools(), 'link-guest');
  await assert.rejects(
    GuestConsole.start(['env', 'LD_LIBRARY_PATH=lib', './linux', 'mem=64M', 'uml_dir=/proc/'], folder),
    /guest is gone: [\s\S]*root/i,
  );
  await assert.rejects(GuestConsole.start([join(folder, 'no-such-program')], folder), /ENOENT/);
});

test('the netem shaper bridges, delays and loses in a kernel that has netem: the guest’s own', {
  ...proves('link'),
  ...guest,
}, async () => {
  const console = await GuestConsole.start([...endsWithUs('setpriv'), ...guestKernel], join(tools(), 'link-guest'));
  try {
    const [near, far, home] = [
      await guestNamespace(console, 'near'),
      await guestNamespace(console, 'far'),
      await guestNamespace(console, 'home'),
    ];
    const shaper = await bridgeIn(home, near, far, console.kernel);
    await addressBoth(near, far);
    const ping = async (count: number) => await near.run(['ping', '-q', '-A', '-c', String(count), '-W', '1', '10.115.1.1']);
    // The fastest: without the heartbeat that links give it, the guest is late for some.
    const minMs = (said: string) => Number(/min\/avg\/max = ([\d.]+)\//.exec(said)?.[1]);
    assert.ok(minMs(await ping(20)) < 25);
    assert.ok(shaper.devices);
    await shaper.apply(tcLines(delayed, shaper.devices));
    const delayedMs = minMs(await ping(20));
    assert.ok(delayedMs >= 50, `${delayedMs} ms of 50`);
    await shaper.apply(tcLines({ name: 'tried', up: { loss: { model: 'independent', share: 1 } }, down: {} }, shaper.devices));
    await assert.rejects(ping(3), /100% packet loss/);
    await shaper.apply([]);
    assert.ok(minMs(await ping(20)) < 25);
  } finally {
    await console.close();
  }
});

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

/** The kernel ends the processes of a namespace one by one. */
const gone = (namespaces: readonly string[]) =>
  until(
    () => processesIn(namespaces).length === 0,
    () => `the end of the processes ${processesIn(namespaces)}`,
  );

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
async function guestNamespace(console: GuestConsole, name: string): Promise<Namespace> {
  const made = '[ "$(busybox readlink /proc/$!/ns/net)" != "$(busybox readlink /proc/self/ns/net)" ]';
  const pid = Number(await console.ask(`busybox unshare -n busybox sleep 1000 & until ${made}; do :; done; echo $!`));
  const run = async (argv: readonly string[], input = '') => {
    const [program = '', ...args] = argv.map((word) => `'${word}'`);
    const path = program === "'ping'" ? 'busybox ping' : `/sbin/${program}`;
    const lines = input.replaceAll('\n', '@'); // a request is one line
    return await console.ask(`printf %s '${lines}' | busybox tr @ '\\n' | busybox nsenter -t ${pid} -n ${path} ${args.join(' ')}`);
  };
  return { name, pid, run, close: async () => {} } as unknown as Namespace;
}
