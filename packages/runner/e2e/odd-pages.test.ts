import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pageMetrics } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { oddLaboratory, testInvalid, testMeasured } from './odd-pages.ts';

// Each reason once; e2e/thorough/odd-pages.test.ts has more pages.
describe('pages that misbehave', proves('invalid-visits', 'production-pages'), () => {
  const laboratory = oddLaboratory();

  testInvalid(laboratory, [
    ['status404', 'http-status', /404/],
    ['endlessDocument', 'load-timeout', /after 3 s, still open: https:/],
    ['cutOff', 'connection-error', /ERR_/],
    ['download', 'not-a-page', /download/],
    ['redirect', 'redirected', /ended on/],
    ['selfSigned', 'tls-error', /ERR_CERT/],
    ['h1only', 'wrong-protocol', /http\/1\.1/],
    ['cutOff', 'quic-error', /ERR_/, 'h3'],
  ]);

  test('more requests than allowed end the visit', async () => {
    const shop = laboratory().origin.sites.find(({ name }) => name === 'shop')?.url ?? '';
    const { outcome } = (await laboratory().visit(shop, 'h2', { spec: { limits: { maxRequests: 20 } } })).visit;
    assert.ok(outcome.verdict === 'invalid' && outcome.reason === 'page-too-big', JSON.stringify(outcome));
  });

  // The one stops for a dialog, the other leads elsewhere by its script.
  testMeasured(laboratory, ['alert', 'scriptRedirect']);

  test('an empty page has no paint and no SpeedIndex, rather than zero', async () => {
    const { outcome } = (await laboratory().visit(laboratory().origin.odd.empty, 'h2')).visit;
    const metrics = pageMetrics(outcome);
    assert.ok(metrics, JSON.stringify(outcome));
    assert.deepEqual([metrics.firstContentfulPaint, metrics.speedIndex], [null, null]);
    assert.ok(metrics.onLoad > 0);
  });
});
