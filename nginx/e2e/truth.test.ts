// Ground-truth pages come as constructed, never earlier. How late: e2e/thorough/truth.test.ts.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isThorough, proves } from '@pronghorn/core/testing';
import { truthPages } from '../src/hosts/truth.ts';
import { type Origin, serverNames } from '../src/index.ts';
import { launchChrome, timeout } from './chrome.ts';
import { overH1, overH2 } from './requests.ts';
import { temporaryOrigin } from './temporary-origin.ts';

for (const server of serverNames) {
  describe(`on ${server}`, proves('ground-truth'), () => {
    let origin: Origin;
    let close: () => Promise<void>;
    before(async () => {
      ({ origin, close } = await temporaryOrigin({ server }));
    });
    after(() => close());

    test('objects come at their deadlines, never early', async () => {
      for (const page of truthPages) {
        const url = `https://truth.pronghorn.test:${origin.port}/${page.name}`;
        const startMs = performance.now();
        const [document] = await overH2(origin, [url]);
        assert.equal(document?.headers['cache-control'], 'no-store');
        const paths = document?.body.toString().match(/\/visit\/[0-9a-f-]+\/\d+/g) ?? [];
        const objects = await overH2(
          origin,
          paths.map((path) => new URL(path, url).href),
        );
        for (const [n, { status, headers, endMs }] of objects.entries()) {
          assert.equal(status, 200);
          const upstreamLateMs = Number(/late;dur=(-?[\d.]+)/.exec(headers['server-timing'] as string)?.[1]);
          assert.ok(upstreamLateMs >= 0, `${page.name} ${n}: ${upstreamLateMs} ms late at the upstream`);
          // The document is asked for before it arrives there, so nothing can be here sooner than its own time after that.
          const atMs = endMs - startMs;
          assert.ok(atMs >= (page.objects[n]?.atMs as number), `${page.name} ${n}: ${atMs} ms`);
        }
      }
    });

    test('an object that is asked for after its deadline is answered without waiting', async () => {
      const [document] = await overH2(origin, [`https://truth.pronghorn.test:${origin.port}/late-load`]);
      const [early, last] = (document?.body.toString().match(/\/visit\/[0-9a-f-]+\/\d+/g) ?? []).map(
        (path) => `https://truth.pronghorn.test:${origin.port}${path}`,
      );
      await overH2(origin, [last as string]);
      const [again] = await overH2(origin, [early as string]);
      const lateMs = Number(/late;dur=([\d.]+)/.exec(again?.headers['server-timing'] as string)?.[1]);
      assert.ok(lateMs >= 800, `the deadlines are 800 ms apart, this one came ${lateMs} ms after its own`);
    });

    test('a visit’s objects are only for requests with its id', async () => {
      const url = `https://truth.pronghorn.test:${origin.port}/visit/00000000-0000-4000-8000-000000000000/0`;
      const answer = await overH1(origin, url);
      assert.equal(answer.status, 404);
      assert.match(answer.body.toString(), /There are \/single \/steps/);
    });

    for (const protocol of isThorough ? (['h1', 'h2', 'h3'] as const) : (['h3'] as const)) {
      test(`Chrome's load event comes when the page's construction says, over ${protocol}`, async (t) => {
        const browser = await launchChrome(origin, protocol);
        try {
          const errors: string[] = [];
          for (const { name, url, truth } of origin.sites) {
            if (!truth) continue;
            const page = await browser.newPage();
            await page.goto(url, { waitUntil: 'load', timeout });
            const { onLoad, spoken } = await page.evaluate(() => {
              const [entry] = performance.getEntriesByType('navigation' as never) as unknown as {
                loadEventStart: number;
                nextHopProtocol: string;
              }[];
              return { onLoad: entry?.loadEventStart ?? 0, spoken: entry?.nextHopProtocol };
            });
            await page.close();
            assert.equal(spoken, { h1: 'http/1.1', h2: 'h2', h3: 'h3' }[protocol]);
            const errorMs = onLoad - truth.onLoadMs;
            assert.ok(errorMs >= -1, `${name}: onLoad ${onLoad} ms, constructed ${truth.onLoadMs} ms`);
            errors.push(`${name} +${errorMs.toFixed(1)} ms`);
          }
          t.diagnostic(`${protocol}: ${errors.join(', ')}`);
        } finally {
          await browser.close();
        }
      });
    }
  });
}
