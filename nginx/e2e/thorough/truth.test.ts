// How late objects of ground-truth pages come, and their load events: on a machine that does nothing else.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { judgesTimes } from '../../../packages/runner/e2e/standstill.ts';
import { truthPages } from '../../src/hosts/truth.ts';
import { type Origin, serverNames } from '../../src/index.ts';
import { launchChrome } from '../chrome.ts';
import { overH2 } from '../requests.ts';
import { temporaryOrigin } from '../temporary-origin.ts';

for (const server of serverNames) {
  describe(`on ${server}`, proves('ground-truth'), () => {
    let origin: Origin;
    let close: () => Promise<void>;
    before(async () => {
      ({ origin, close } = await temporaryOrigin({ server }));
    });
    after(() => close());

    test(
      'objects come at their deadlines, never early',
      judgesTimes(async (t) => {
        const late: number[] = [];
        for (const page of truthPages) {
          const url = `https://truth.pronghorn.test:${origin.port}/${page.name}`;
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
            assert.ok(upstreamLateMs >= 0 && upstreamLateMs < 250, `${upstreamLateMs} ms late at the upstream`);
            // From the document's end here, which is later than its arrival there: the difference is at most the deadline plus lateness.
            const atMs = endMs - (document?.endMs as number);
            assert.ok(Math.abs(atMs - (page.objects[n]?.atMs as number)) < 250, `${page.name} ${n}: ${atMs} ms`);
            late.push(upstreamLateMs);
          }
        }
        late.sort((a, b) => a - b);
        t.diagnostic(
          `lateness of ${late.length} objects at the upstream: median ${late[Math.floor(late.length / 2)]} ms, most ${late.at(-1)} ms`,
        );
      }),
    );

    for (const protocol of ['h1', 'h2', 'h3'] as const) {
      test(
        `Chrome's load event comes when the page's construction says, over ${protocol}`,
        judgesTimes(async (t) => {
          const browser = await launchChrome(origin, protocol);
          try {
            const errors: string[] = [];
            for (const { name, url, truth } of origin.sites) {
              if (!truth) continue;
              const page = await browser.newPage();
              await page.goto(url, { waitUntil: 'load' });
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
              assert.ok(errorMs >= -1 && errorMs < 500, `${name}: onLoad ${onLoad} ms, constructed ${truth.onLoadMs} ms`);
              errors.push(`${name} +${errorMs.toFixed(1)} ms`);
            }
            t.diagnostic(`${protocol}: ${errors.join(', ')}`);
          } finally {
            await browser.close();
          }
        }),
      );
    }
  });
}
