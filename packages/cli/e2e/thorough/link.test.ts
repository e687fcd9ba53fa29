// Campaigns behind a link: times are what the condition makes them, and no more.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { judgesTimes } from '../../../runner/e2e/standstill.ts';
import { checkedLink, measuredUnderConditions, shaping } from '../conditions.ts';

describe('with a link that shapes', { ...proves('link', 'link-check', 'conditions'), ...shaping }, () => {
  test(
    'demo measures under conditions of a preset and of a file over each protocol, and no first byte is late',
    judgesTimes((t) => measuredUnderConditions(t, { native: 0, 'latency-50': 50 }, ['h1', 'h2', 'h3'], { judged: true })),
  );

  test(
    'link check finds conditions within tolerance',
    judgesTimes(async (t) => {
      const { code, verdict } = await checkedLink(t, ['latency-50', 'bandwidth-5']);
      assert.equal(code, 0, verdict);
      assert.match(verdict, /^All 2 conditions within tolerance/);
    }),
  );
});
