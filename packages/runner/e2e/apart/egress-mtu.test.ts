// A machine whose way to the internet carries less than 1,500 bytes, behind a router that loses the ICMP errors which would tell a server so.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { uplinkMtu } from '../../src/link/egress/machine-network.ts';
import type { Namespace } from '../../src/link/net/namespace.ts';
import { run } from '../../src/machine/run.ts';
import { onOwnMachine } from '../egress-bench.ts';
import { bytesPort, publicHosts } from '../egress-world.ts';

const mtu = 1_400;
const file = 200_000;

await onOwnMachine(import.meta.filename, 'an uplink that carries 1,400 bytes', (bench) => {
  const narrow = async () => {
    // The server's network goes on sending packets of 1,500 bytes; the hop before the machine drops what is too large, without a word.
    await run(['ip', 'link', 'set', 'eth0', 'mtu', `${mtu}`]);
    await bench.world.dropLonger(mtu);
  };

  test(
    'TCP and UDP of a visit bring as much as those of the machine itself, over IPv4 and IPv6',
    proves('production-pages'),
    async (context) => {
      await narrow();
      assert.deepEqual(await uplinkMtu(), { v4: mtu, v6: mtu });

      await bench.open();
      // What a visit sends is refused by the nearest router, which the visit can hear.
      const [uplink] = JSON.parse(await bench.path.router.run(['ip', '-j', 'link', 'show', 'dev', 'uplink0']));
      assert.equal(uplink.mtu, mtu);
      for (const address of [publicHosts.v4[0], publicHosts.v6[0]]) {
        const machine = await bytesFrom(address);
        const visit = await bytesFrom(address, bench.path.visit);
        context.diagnostic(
          `${address}: on the machine TCP ${machine.tcp}, UDP ${machine.udp}; in a visit TCP ${visit.tcp}, UDP ${visit.udp}`,
        );
        assert.deepEqual(machine, { tcp: file, udp: 1_200 });
        assert.deepEqual(visit, machine);
      }
    },
  );

  test('a smaller MTU that stands on a route of the machine counts for what goes that way', proves('production-pages'), async () => {
    await narrow();
    await run(['ip', 'route', 'add', '44.55.66.0/24', 'via', '11.22.33.1', 'mtu', '1300']);
    try {
      await bench.world.dropLonger(1_300);
      await bench.open();
      assert.deepEqual(await bytesFrom(publicHosts.v4[0], bench.path.visit), { tcp: file, udp: 1_200 });
    } finally {
      await run(['ip', 'route', 'delete', '44.55.66.0/24']);
    }
  });
});

/** A file over TCP, and an answer of QUIC's usual size over UDP: all of both, or what had come after a minute. */
async function bytesFrom(host: string, from?: Namespace): Promise<{ tcp: number; udp: number }> {
  const script = `
    const [host] = process.argv.slice(1);
    let tcp = 0, udp = 0;
    const tell = () => { console.log(JSON.stringify({ tcp, udp })); process.exit(0); };
    setTimeout(tell, 60_000);
    const both = () => { if (tcp >= ${file} && udp >= 1200) tell(); };
    require('net').connect(${bytesPort}, host).on('data', (chunk) => { tcp += chunk.length; both(); }).on('error', () => {});
    const socket = require('dgram').createSocket(host.includes(':') ? 'udp6' : 'udp4');
    socket.on('message', (message) => { udp += message.length; both(); });
    socket.send('1200', ${bytesPort}, host);`;
  const argv = [process.execPath, '-e', script, '--', host];
  return JSON.parse(from === undefined ? await run(argv) : await from.run(argv));
}
