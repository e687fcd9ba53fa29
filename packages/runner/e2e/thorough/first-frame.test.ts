// On a machine with other work a frame is late for its own reasons.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageMetrics } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { openLaboratory } from '../laboratory.ts';

test('a frame reaches us within a few refreshes of what Chrome says of the same paint', proves('metrics'), async (t) => {
  const laboratory = await openLaboratory();
  t.after(() => laboratory.close());
  const url = laboratory.origin.sites.find(({ name }) => name === 'article')?.url ?? '';
  const { outcome } = (await laboratory.visit(url, 'h2')).visit;
  const { firstVisualChange = null, firstContentfulPaint = null } = pageMetrics(outcome) ?? {};
  assert.ok(firstVisualChange !== null && firstContentfulPaint !== null, JSON.stringify(outcome));
  assert.ok(Math.abs(firstVisualChange - firstContentfulPaint) < 100, `${firstVisualChange} and ${firstContentfulPaint}`);
});
