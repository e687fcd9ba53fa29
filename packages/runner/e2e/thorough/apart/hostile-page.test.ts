// A hostile page in a real Chrome, with real listeners at the forbidden places.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { onOwnMachine } from '../../egress-bench.ts';
import { missingWays, visitHostile } from '../../egress-page.ts';

await onOwnMachine(import.meta.filename, 'a hostile page in Chrome', (bench) => {
  test('reaches none of the forbidden addresses, and the public ones in every way it tries', proves('fence'), async (context) => {
    const opened = await bench.open();
    const refused = new Set<string>();
    await visitHostile(bench.world, bench.path.visit, async () => {
      for (const { transport, port } of (await opened.takeRefusals()).destinations) refused.add(`${transport} ${port}`);
      return [...missingWays(bench.world), ...['udp 3478', 'udp 4433'].filter((one) => !refused.has(one)).map((one) => `${one} refused`)];
    });
    assert.deepEqual(bench.forbidden(), []);
    context.diagnostic(`refused: ${[...refused].join(', ')}`);
  });

  test('reaches them where the policy is open, but for the machine: so it does try', proves('fence'), async () => {
    await bench.open(['0.0.0.0/0', '::/0']);
    const closed = [
      '10.1.2.3',
      '192.168.7.1',
      '172.16.5.4',
      '169.254.169.254',
      '168.63.129.16',
      '100.64.1.1',
      'fd12:3456::1',
      '64:ff9b::a01:203',
    ];
    await visitHostile(bench.world, bench.path.visit, () =>
      closed.filter((one) => !bench.forbidden().some(({ address }) => address === one)),
    );
    assert.deepEqual(
      bench.forbidden().filter(({ where }) => where === 'machine' || where === 'router'),
      [],
    );
  });
});
