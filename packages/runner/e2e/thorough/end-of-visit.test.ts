// How soon a visit ends whose page never does, on a machine that does nothing else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { endlessPages, openPages } from '../pages.ts';
import { judgesTimes } from '../standstill.ts';

test(
  'a visit ends soon, whatever its page repeats, keeps open or paints without end',
  proves('metrics'),
  judgesTimes(async (t) => {
    const { load } = await openPages(t, endlessPages);
    for (const [path, maxMs] of [
      ['/still', 900],
      // Two more cycles of a second.
      ['/animated', 3_200],
      ['/event-source', 900],
      ['/painted', 3_200],
      ['/open-stream', 3_500],
    ] as const) {
      const { end, settled } = await load(path, { isolation: 'context' });
      assert.equal(end.kind, 'quiet', path);
      assert.ok(settled !== undefined && settled.ms < maxMs, `${path}: ${settled?.ms}`);
    }
  }),
);
