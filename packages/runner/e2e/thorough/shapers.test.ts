// How exactly shapers shape: their times, on a machine that does nothing else.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { tcLines } from '../../src/link/shapers/tc.ts';
import { bulk, delayed, joined, kinds, lateRoundTrips, roundTripMs, unless } from '../shapers-traffic.ts';
import { judgesTimes } from '../standstill.ts';

for (const kind of kinds) {
  const { name, can, shapes } = kind;
  describe(`the shaper ${name}`, { ...proves('link'), ...unless(can) }, () => {
    const bench = joined(kind);

    test(
      'joins two namespaces with next to no delay',
      judgesTimes(async () => {
        const { median } = await roundTripMs(bench().near, bench().far);
        assert.ok(median < 2, `${median} ms`);
      }),
    );

    test(
      'lets no single packet lie until another one comes',
      judgesTimes(async () => {
        // One or two may be late on a machine that has other work; without the guest's heartbeat a dozen are.
        const late = await lateRoundTrips(bench().near, bench().far);
        assert.ok(late < 4, `${late} of 30,000 took more than 100 ms`);
      }),
    );

    if (!shapes) return;
    const devices = () => bench().shaper.devices as { up: string; down: string };

    test(
      'delays each direction by what its condition says within 3 ms, and no longer when it is taken off',
      judgesTimes(async () => {
        const { near, far, shaper } = bench();
        await shaper.apply(tcLines(delayed, devices()));
        const { median: bothWays } = await roundTripMs(near, far);
        assert.ok(bothWays >= 50 && bothWays < 53, `${bothWays} ms of 50`);
        await shaper.apply(tcLines({ ...delayed, down: {} }, devices()));
        const { median: oneWay } = await roundTripMs(near, far);
        assert.ok(oneWay >= 25 && oneWay < 28, `${oneWay} ms of 25`);
        await shaper.apply([]);
        const { median: none } = await roundTripMs(near, far);
        assert.ok(none < 2, `${none} ms of none`);
      }),
    );

    test(
      'limits the rate of the one direction within a tenth, and the other not at all',
      judgesTimes(async () => {
        const { near, far, shaper } = bench();
        await shaper.apply(tcLines({ name: 'tried', up: {}, down: { rateKbps: 10_000, queueBytes: 32_768 } }, devices()));
        const mbps = (2.5 * 8 * (1_514 / 1_448)) / (await bulk(far, near, 2_500_000));
        assert.ok(mbps > 9 && mbps < 10.7, `${mbps} Mbit/s of 10`);
        assert.ok((await bulk(near, far, 2_500_000)) < 1);
        await shaper.apply([]);
        assert.ok((await bulk(far, near, 2_500_000)) < 1);
      }),
    );
  });
}
