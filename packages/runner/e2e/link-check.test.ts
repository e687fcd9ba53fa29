// What measures and checks a link, on links that do what is declared and on others. Thoroughly: e2e/thorough/link-check.test.ts.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { describe, it } from 'node:test';
import { conditionNamed } from '@pronghorn/core/network';
import type { Condition, LinkCheck } from '@pronghorn/core/schemas';
import { isThorough, nextOutput, proves } from '@pronghorn/core/testing';
import { surveyBackends } from '../src/link/backends.ts';
import { checkFull, checkRtt } from '../src/link/check/check.ts';
import { openLink } from '../src/link/link.ts';
import { LinkOutOfTolerance } from '../src/link/prepare.ts';
import { run } from '../src/machine/run.ts';
import { addresses, addresses6, linkBench, native, needsRoot, subject } from './link-bench.ts';
import { until } from './until.ts';

/** A probe waits for missing packets as long as a busy machine may hold one up. */
const patienceMs = 10_000;

describe('a link is measured', { ...proves('link-check'), skip: needsRoot }, () => {
  const bench = linkBench();

  it('a clean link loses no packet, over IPv4 and IPv6, and another one as many as are dropped, in each direction', async () => {
    const six = await bench().openProbe(addresses6);
    try {
      for (const probe of [bench().probe, six]) {
        const { delay } = await probe.rtt({ packets: 5, expectedMs: patienceMs });
        assert.equal(delay?.packets, 5);
        for (const direction of ['up', 'down'] as const) {
          const { sent, lost, received } = await probe.oneWay({ direction, packets: 500, kbps: 1_000, timeoutMs: patienceMs });
          assert.ok(sent > 0);
          assert.deepEqual([lost, received], [0, sent]);
        }
      }
    } finally {
      await six.close();
    }
    const [up, down] = await bench().losing({ up: 'numgen inc mod 10 < 3', down: 'numgen inc mod 50 == 7' }, () =>
      Promise.all(
        (['up', 'down'] as const).map((direction) => bench().probe.oneWay({ direction, packets: 500, kbps: 1_000, timeoutMs: patienceMs })),
      ),
    );
    // A sender that a busy machine holds up stops in time. Packets are numbered from 0.
    const ofFirst = (sent = 0, isDropped: (number: number) => boolean) =>
      Array.from({ length: sent }, (_, at) => at).filter(isDropped).length;
    assert.ok((up?.sent ?? 0) > 50 && (down?.sent ?? 0) > 50, JSON.stringify([up, down]));
    assert.deepEqual([up?.lost, down?.lost], [ofFirst(up?.sent, (at) => at % 10 < 3), ofFirst(down?.sent, (at) => at % 50 === 7)]);
  });

  it('loss that a condition does not have is named, and a rate that is lower than its own', async () => {
    const condition = { name: 'bandwidth', up: {}, down: { rateKbps: 500, queueBytes: 32_768 } };
    const { up, down, faults } = await bench().losing({ up: 'meta l4proto udp numgen inc mod 10 < 3', down: 'tcp dport 1' }, () =>
      bench().shaped({ up: 5_000, down: 200 }, () => checkFull(bench().probe, condition, subject)),
    );
    const named = faults.join('\n');
    assert.match(named, /^up: [\d,]+ of [\d,]+ packets lost, 0 expected at 0 %$/m);
    assert.match(named, /^down: TCP [\d.]+ Mbit\/s, 0.5 ± 0.035 Mbit\/s requested$/m);
    // A machine that is too busy to send by UDP what the condition lets through can't tell, and says so.
    assert.ok(down?.rates.every(({ within }) => within !== true));
    assert.deepEqual(
      up?.rates.map(({ within }) => within),
      [null, null],
      'without a limit there is nothing to judge',
    );
    for (const [index, { measuredKbps }] of (down?.rates ?? []).entries()) {
      const other = up?.rates[index]?.measuredKbps ?? 0;
      assert.ok(measuredKbps > 0 && other > 2 * measuredKbps, `${other} kbit/s of 5,000 up, ${measuredKbps} of 200 down`);
    }
  });

  it('a delay that is not there is named', async () => {
    const { faults } = await checkRtt(bench().probe, { name: 'far', up: { delayMs: 1_000 }, down: { delayMs: 1_000 } }, subject);
    assert.match(faults.join('\n'), /^RTT [\d.]+ ms, 2000 ± 100 ms requested$/);
  });

  it('a dead link is a fault, for which nothing more is measured', async () => {
    await bench().middle.run(['ip', 'link', 'set', 'far', 'down']);
    const { faults, rtt, up } = await checkFull(bench().probe, native, subject);
    await bench().middle.run(['ip', 'link', 'set', 'far', 'up']);
    assert.deepEqual([rtt, up], [null, null]);
    assert.match(faults.join('\n'), /^none of 10 pings came back within 1,000 ms/);
  });

  it('an end that is gone is an error that says so, and leaves nothing waiting', async () => {
    const other = await bench().openProbe(addresses);
    const measuring = other.oneWay({ direction: 'up', packets: 8_000, kbps: 1_000 });
    const rejected = assert.rejects(measuring, /The probe’s (near|far) end is gone/);
    await other.close();
    await rejected;
    await assert.rejects(other.rtt({ packets: 1 }), /The probe’s far end is gone/);
  });

  it('its processes end with the runner, however that ends', async () => {
    const source = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
    const runner = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `import { Namespace } from ${source('../src/link/net/namespace.ts')};
         import { openProbe } from ${source('../src/link/probe/probe.ts')};
         import { readlinkSync } from 'node:fs';
         const end = await Namespace.create('end');
         await openProbe(end, end, { near: '127.0.0.1', far: '127.0.0.1' });
         console.log(readlinkSync('/proc/' + end.pid + '/ns/net'));`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [said] = await nextOutput(runner);
    const namespace = String(said).trim();
    assert.equal(processesIn(namespace).length, 3);
    runner.kill('SIGKILL');
    await until(
      () => processesIn(namespace).length === 0,
      () => `the end of the processes ${processesIn(namespace)}`,
    );
  });
});

it('a link that carries nothing any more is rebuilt, and has its condition again', {
  ...proves('link-check'),
  skip: needsRoot,
}, async (t) => {
  // Both links of one that shapes boot a guest.
  const shapes = isThorough && (await surveyBackends()).some(({ name, can }) => (name === 'netem' || name === 'guest') && can === true);
  const condition = conditionNamed(shapes ? 'latency-50' : 'native') as Condition;
  const link = await openLink({ choice: 'auto', conditions: [condition], outside: false });
  t.after(() => link.close());
  await run([...link.vantagePoint.enter, 'ip', 'link', 'set', 'link0', 'down']);
  const checks: LinkCheck[] = [];
  // Whether it is within its tolerance is the thorough tier's to judge.
  await link.prepare(condition, async (check) => void checks.push(check)).catch((error) => assert.ok(error instanceof LinkOutOfTolerance));
  const [dead, rebuilt] = checks;
  assert.match(dead?.faults.join('\n') ?? '', /^none of 10 pings came back/);
  assert.ok(rebuilt?.rtt !== null && rebuilt !== undefined && rebuilt.rtt.p50Ms >= (shapes ? 50 : 0), JSON.stringify(rebuilt));
});

it('the visit’s end merges what it received where nothing shapes the link, and nowhere else', {
  ...proves('link'),
  skip: needsRoot,
}, async (t) => {
  const shapes = (await surveyBackends()).some(({ name, can }) => (name === 'netem' || name === 'guest') && can === true);
  const conditions = (shapes ? ['native', 'latency-50', 'native'] : ['native']).map((name) => conditionNamed(name) as Condition);
  const link = await openLink({ choice: 'auto', conditions, outside: false });
  t.after(() => link.close());
  const merges = async () => /^generic-receive-offload: on/m.test(await run([...link.vantagePoint.enter, 'ethtool', '-k', 'link0']));
  assert.deepEqual([link.vantagePoint.link.offloads, await merges()], ['off', false], 'before it has a condition');
  for (const condition of conditions) {
    await link.measure(condition, 'rtt');
    const unshaped = condition.name === 'native';
    assert.deepEqual([link.vantagePoint.link.offloads, await merges()], [unshaped ? 'receive' : 'off', unshaped], condition.name);
  }
  await link.clear();
  assert.ok(await merges());
});

function processesIn(namespace: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/ns/net`) === namespace;
    } catch {
      return false;
    }
  });
}
