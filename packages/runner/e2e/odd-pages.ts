// The demo's pages that misbehave, as both tiers visit them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { VisitUpload } from '@pronghorn/core/schemas';
import { isThorough, quickBrowser } from '@pronghorn/core/testing';
import type { InvalidReason, Protocol } from '@pronghorn/core/vocabulary';
import { chromesBelowUs } from './browser-processes.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';

export type OddPage = keyof Laboratory['origin']['odd'];

/** A page, why it is no valid visit, what is said of that, and over what it is loaded if that is not HTTP/2. */
export type Invalid = readonly [OddPage, InvalidReason, RegExp, Protocol?];

/** @returns the laboratory of a suite, which is there once its tests run, and leaves no Chrome */
export function oddLaboratory(): () => Laboratory {
  let laboratory: Laboratory;
  before(async () => {
    laboratory = await openLaboratory({ browser: quickBrowser });
  });
  after(async () => {
    await laboratory.close();
    assert.deepEqual(chromesBelowUs(), [], 'no Chrome is left');
  });
  return () => laboratory;
}

export function testInvalid(laboratory: () => Laboratory, rows: readonly Invalid[]): void {
  for (const [name, reason, detail, protocol = 'h2'] of rows)
    test(`${name} over ${protocol}: ${reason}`, async () => {
      const { origin, visit } = laboratory();
      const loadTimeoutMs = reason === 'load-timeout' ? 3_000 : isThorough ? 10_000 : 60_000;
      const started = performance.now();
      const { outcome } = (await visit(origin.odd[name], protocol, { spec: { limits: { loadTimeoutMs, settleMaxMs: 1_500 } } })).visit;
      // Both warm-up loads of a new Chrome have the limit too, and QUIC on a silent port fails after 4 s.
      if (isThorough) assert.ok(performance.now() - started < 60_000, 'it ended in its time');
      assert.ok(outcome.verdict === 'invalid' && outcome.reason === reason, JSON.stringify(outcome));
      assert.match(outcome.detail, detail);
      assert.ok(!('metrics' in outcome), 'an invalid visit has no number');
    });
}

export function testMeasured(
  laboratory: () => Laboratory,
  names: readonly OddPage[],
  so: Partial<Record<OddPage, (visit: VisitUpload) => void>> = {},
): void {
  for (const name of names)
    test(`${name} is measured all the same`, async () => {
      const { origin, visit, discover } = laboratory();
      const url = origin.odd[name];
      // Where a page leads by itself is known from its discovery.
      const moves = name === 'scriptRedirect' || name === 'metaRefresh' ? { discovery: await discover(url, { protocols: ['h2'] }) } : {};
      const performed = await visit(url, 'h2', { ...moves, spec: { limits: { settleMaxMs: 1_500 } } });
      assert.equal(performed.visit.outcome.verdict, 'valid', JSON.stringify(performed.visit.outcome));
      so[name]?.(performed.visit);
    });
}
