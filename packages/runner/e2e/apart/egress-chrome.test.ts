// A hostile page in a real Chrome, with real listeners at the forbidden places.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOwnMachine } from '../egress-bench.ts';
import { visitHostile } from '../egress-page.ts';
import { publicHosts } from '../egress-world.ts';

await onOwnMachine(import.meta.filename, 'a hostile page in Chrome', (bench) => {
  test('reaches none of the forbidden addresses, and the public ones in every way it tries', async (context) => {
    const opened = await bench.open();
    await visitHostile(bench.world, bench.path.visit);
    assert.deepEqual(bench.forbidden(), []);
    const publicPaths = new Set(bench.world.visitors.map(({ path: requested }) => requested));
    for (const way of ['fetch', 'img', 'iframe', 'script', 'prefetch', 'preload', 'beacon', 'eventsource', 'websocket'])
      assert.ok(publicPaths.has(`/${way}`), way);
    assert.ok(publicPaths.has('/redirected'));
    const udp = bench.world.visitors
      .filter(({ transport, address }) => transport === 'udp' && address === publicHosts.v4[0])
      .map(({ port }) => port);
    assert.deepEqual(udp.sort(), [3478, 4433], 'WebRTC and WebTransport');
    const { packets, destinations } = await opened.takeRefusals();
    context.diagnostic(`refused: ${JSON.stringify(packets)}, ${destinations.length} destinations`);
    assert.ok(
      destinations.some(({ transport, port }) => transport === 'udp' && port === 3478),
      'WebRTC tried',
    );
    assert.ok(
      destinations.some(({ transport, port }) => transport === 'udp' && port === 4433),
      'WebTransport tried',
    );
  });

  test('reaches them where the policy is open, but for the machine: so it does try', async (context) => {
    await bench.open(['0.0.0.0/0', '::/0']);
    await visitHostile(bench.world, bench.path.visit);
    const addresses = new Set(bench.forbidden().map(({ address }) => address));
    context.diagnostic(`with an open policy the same page reached ${addresses.size} forbidden addresses: ${[...addresses].join(' ')}`);
    for (const address of [
      '10.1.2.3',
      '192.168.7.1',
      '172.16.5.4',
      '169.254.169.254',
      '168.63.129.16',
      '100.64.1.1',
      'fd12:3456::1',
      '64:ff9b::a01:203',
    ])
      assert.ok(addresses.has(address), address);
    assert.deepEqual(
      bench.forbidden().filter(({ where }) => where === 'machine' || where === 'router'),
      [],
    );
  });
});
