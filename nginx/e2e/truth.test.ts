// Ground-truth pages come as constructed, never earlier. How late: e2e/thorough/truth.test.ts.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import type { Origin } from '../src/index.ts';
import { overH1, overH2 } from './requests.ts';
import { firstServers, temporaryOrigin } from './temporary-origin.ts';
import { askForPage, lateMs, loadErrors, timedObjects, truthUrl } from './truth.ts';

for (const server of firstServers) {
  describe(`on ${server}`, proves('ground-truth'), () => {
    let origin: Origin;
    let close: () => Promise<void>;
    before(async () => {
      ({ origin, close } = await temporaryOrigin({ server }));
    });
    after(() => close());

    test('objects come at their deadlines, never early', async () => {
      for (const { name, deadlineMs, sinceAskedMs, upstreamLateMs } of await timedObjects(origin)) {
        assert.ok(upstreamLateMs >= 0, `${name}: ${upstreamLateMs} ms late at the upstream`);
        // The document is asked for before it arrives there, so nothing can be here sooner than its own time after that.
        assert.ok(sinceAskedMs >= deadlineMs, `${name}: ${sinceAskedMs} ms`);
      }
    });

    test('an object that is asked for after its deadline is answered without waiting', async () => {
      const [early, last] = (await askForPage(origin, 'late-load')).objects as [string, string];
      await overH2(origin, [last]);
      const [again] = await overH2(origin, [early]);
      const late = lateMs(again?.headers['server-timing']);
      assert.ok(late >= 800, `the deadlines are 800 ms apart, this one came ${late} ms after its own`);
    });

    test('a visit’s objects are only for requests with its id', async () => {
      const answer = await overH1(origin, truthUrl(origin, '/visit/00000000-0000-4000-8000-000000000000/0'));
      assert.equal(answer.status, 404);
      assert.match(answer.body.toString(), /There are \/single \/steps/);
    });

    // In which server an object waits for its deadline makes no difference to Chrome, nor does the protocol: the other ones are thorough.
    if (server === 'nginx')
      test("Chrome's load event comes when the page's construction says", async (t) => {
        for (const { name, errorMs } of await loadErrors(origin, 'h3')) {
          t.diagnostic(`${name} ${errorMs.toFixed(1)} ms late`);
          assert.ok(errorMs >= -1, `${name}: the load event was ${-errorMs} ms early`);
        }
      });
  });
}
