// How late objects of ground-truth pages come, and their load events: on a machine that does nothing else.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { judgesTimes } from '../../../packages/runner/e2e/standstill.ts';
import { type Origin, serverNames } from '../../src/index.ts';
import { temporaryOrigin } from '../temporary-origin.ts';
import { loadErrors, timedObjects } from '../truth.ts';

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
        const objects = await timedObjects(origin);
        for (const { name, deadlineMs, sinceDocumentMs, upstreamLateMs } of objects) {
          assert.ok(upstreamLateMs >= 0 && upstreamLateMs < 250, `${upstreamLateMs} ms late at the upstream`);
          // From the document's end here, which is later than its arrival there: the difference is at most the deadline plus lateness.
          assert.ok(Math.abs(sinceDocumentMs - deadlineMs) < 250, `${name}: ${sinceDocumentMs} ms`);
        }
        const late = objects.map(({ upstreamLateMs }) => upstreamLateMs).sort((a, b) => a - b);
        t.diagnostic(
          `lateness of ${late.length} objects at the upstream: median ${late[Math.floor(late.length / 2)]} ms, most ${late.at(-1)} ms`,
        );
      }),
    );

    for (const protocol of ['h1', 'h2', 'h3'] as const) {
      test(
        `Chrome's load event comes when the page's construction says, over ${protocol}`,
        judgesTimes(async (t) => {
          for (const { name, errorMs } of await loadErrors(origin, protocol)) {
            t.diagnostic(`${name} ${errorMs.toFixed(1)} ms late`);
            assert.ok(errorMs >= -1 && errorMs < 500, `${name}: the load event was ${errorMs} ms late`);
          }
        }),
      );
    }
  });
}
