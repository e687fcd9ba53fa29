// What the way to the outside does to the machine: its forwarding, its firewall, its own services, and what is left behind.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { openEgress } from '../../src/link/egress/egress.ts';
import { outsideV6 } from '../../src/link/egress/machine-network.ts';
import { sweepUplinks } from '../../src/link/egress/uplink.ts';
import { run } from '../../src/machine/run.ts';
import { onOwnMachine, openVisitPath, reached, traces, uplinkAddresses } from '../egress-bench.ts';
import { publicUrls } from '../egress-page.ts';
import { machine, publicHosts } from '../egress-world.ts';

await onOwnMachine(import.meta.filename, 'the way to the outside', (bench) => {
  test('a machine that has its IPv6 from router advertisements keeps listening to them', proves('fence'), async () => {
    await run(['sh', '-c', 'echo 1 > /proc/sys/net/ipv6/conf/eth0/accept_ra']);
    const route = async (protocol: string) => {
      await run(['ip', '-6', 'route', 'delete', 'default']);
      await run(['ip', '-6', 'route', 'add', 'default', 'via', '2a11:22:33::1', 'dev', 'eth0', 'proto', protocol]);
    };
    await route('ra');
    const found = await outsideV6();
    assert.equal(readFileSync('/proc/sys/net/ipv6/conf/all/forwarding', 'utf8').trim(), '0');
    if (existsSync('/proc/sys/net/ipv6/conf/eth0/force_forwarding')) {
      assert.equal(found, true);
      await bench.open();
      assert.deepEqual(reached(await bench.ask({ urls: ['http://[2a44:55:66::77]/'] })), [true]);
    } else assert.match(String(found), /router advertisements.*accept_ra=2/);
    await route('static');
    assert.equal(await outsideV6(), true);
  });

  test('a port that the machine publishes for a container is not reachable through it', proves('fence'), async () => {
    await bench.open();
    await run(
      ['nft', '-f', '-'],
      `table ip published { chain pre { type nat hook prerouting priority dstnat; tcp dport 9090 dnat to 192.168.7.1:8080\n }\n }\n`,
    );
    const answers = await bench.ask({
      tcp: [
        { host: machine.v4, port: 9090 },
        { host: publicHosts.v4[0], port: 9090 },
      ],
    });
    await run(['nft', 'delete', 'table', 'ip', 'published']);
    assert.deepEqual(reached(answers), [false, false]);
    assert.deepEqual(bench.forbidden(), []);
  });

  test('two links on one machine do not reach each other', proves('fence'), async () => {
    await bench.open();
    const otherPath = await openVisitPath();
    const other = await openEgress(otherPath, { allowNet: ['0.0.0.0/0'], originPorts: [], outside: true, v6: true });
    try {
      const hosts = await uplinkAddresses(bench.path);
      const answers = await bench.ask({ urls: publicUrls.slice(0, 1), tcp: hosts.map((host) => ({ host, port: 8080 })) }, otherPath);
      assert.deepEqual(reached(answers), [true, ...hosts.map(() => false)]);
      assert.deepEqual(
        bench.world.visitors.filter(({ where }) => where === 'router'),
        [],
      );
    } finally {
      await other.close();
      await otherPath.close();
    }
  });

  test('a firewall of the machine that drops what it forwards is named, with what to do', proves('fence'), async () => {
    await bench.close();
    await run(['nft', '-f', '-'], 'table ip filter { chain FORWARD { type filter hook forward priority 0; policy drop;\n }\n }\n');
    await assert.rejects(bench.open(), /forward chain with policy drop.*DOCKER-USER/s);
    await run(
      ['nft', '-f', '-'],
      'add rule ip filter FORWARD iifname "pronghorn*" accept\nadd rule ip filter FORWARD oifname "pronghorn*" accept\n',
    );
    await bench.open();
    await bench.close();
    await run(['nft', 'delete', 'table', 'ip', 'filter']);
    await run(['nft', '-f', '-'], 'table inet strict { chain input { type filter hook input priority 0; policy drop;\n }\n }\n');
    await assert.rejects(bench.open(), /resolver.*firewall drops its input/s);
    await run(['nft', 'delete', 'table', 'inet', 'strict']);
  });

  test('a link that can’t be opened leaves no resolver, neither rule nor device', proves('fence'), async () => {
    await bench.close();
    const path = await openVisitPath();
    const gone = await openVisitPath();
    await gone.close();
    try {
      // The resolver answers by then: what fails is to send the visit's questions to it.
      await assert.rejects(
        openEgress(
          { visit: gone.visit, router: path.router, offerV6: path.offerV6 },
          { allowNet: [], originPorts: [], outside: true, v6: true },
        ),
      );
      assert.deepEqual(resolversHere(), []);
      assert.equal(await traces(), '');
    } finally {
      await path.close();
    }
  });

  test('a closed link leaves neither rule nor device, and the next start removes what a killed one left', proves('fence'), async () => {
    await bench.close();
    assert.equal(await traces(), '');
    const script = `
      const { openPath } = await import('${import.meta.dirname}/../../src/link/shapers/path.ts');
      const { openVeth } = await import('${import.meta.dirname}/../../src/link/shapers/shaper.ts');
      const { openEgress } = await import('${import.meta.dirname}/../../src/link/egress/egress.ts');
      const path = await openPath({ openShaper: openVeth, originAddresses: undefined, congestionControl: 'cubic' });
      await openEgress(path, { allowNet: [], originPorts: [], outside: true, v6: true });
      console.log('open');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = new Promise((resolve) => child.once('exit', resolve));
    await Promise.race([new Promise((resolve) => child.stdout.once('data', resolve)), exited]);
    await bench.open();
    assert.equal((await run(['nft', 'list', 'tables'])).match(/pronghorn_/g)?.length, 2);
    child.kill('SIGKILL');
    await exited;
    await sweepUplinks();
    assert.equal((await run(['nft', 'list', 'tables'])).match(/pronghorn_/g)?.length, 1, 'the living one stays');
    assert.deepEqual(reached(await bench.ask({ urls: publicUrls.slice(0, 1) })), [true]);
    await bench.close();
    assert.equal(await traces(), '');
  });
});

/** Processes of dnsmasq in this namespace, the test's machine. */
function resolversHere(): string[] {
  const own = readlinkSync('/proc/self/ns/net');
  const isOne = (pid: string) => {
    try {
      return readlinkSync(`/proc/${pid}/ns/net`) === own && readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'dnsmasq';
    } catch {
      return false;
    }
  };
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isOne(name));
}
