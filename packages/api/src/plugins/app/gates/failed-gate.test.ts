import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GateFailure, type GateResult } from '@pronghorn/core/schemas';
import { Compile } from 'typebox/compile';
import { receiver } from '../../../testing/receiver.ts';
import { sampleMetrics, sampleVisit } from '../../../testing/samples.ts';
import { testApi } from '../../../testing/test-api.ts';
import { failedGateContent } from './gates.ts';

const isFailure = Compile(GateFailure);

/** Of a gate with so many checks, each of which fails at length. */
function failedResult(checks: number): GateResult {
  const check: GateResult['checks'][number] = {
    ...{ assertion: 0, words: 'long '.repeat(1000), outcome: 'fail', siteId: '1', condition: '4g', view: 'cold', protocol: 'h3' },
    ...{ metric: 'onLoad', value: 900, low: 850, high: 950, max: 100, min: null, rounds: 20, pPass: 1, pFail: 0, reasons: [] },
    ...{ caution: null, moreRounds: null, failures: { failed: 0, loads: 20, share: 0, low: 0, high: 0.17 } },
  };
  return {
    ...{ campaignId: '7', state: 'done', outcome: 'fail', words: `All ${checks} checks fail.`, decide: 'interval', confidence: 0.95 },
    ...{ counts: { pass: 0, fail: checks, inconclusive: 0, unmeasured: 0 }, assertions: [], baseline: null },
    checks: Array.from({ length: checks }, () => ({ ...check })),
  };
}
const circumstances = { gate: 'nightly', campaign: 'shop', siteName: () => 'the shop', answerUrl: '/api/v1/campaigns/7/gates/1' };

test('however large a gate is, what is told of it is small: some checks, how many more, and where the answer is', () => {
  const result = failedResult(2_000);
  const content = failedGateContent(result, circumstances);
  assert.ok(JSON.stringify(result).length > 10e6);
  assert.ok(JSON.stringify(content).length < 32_000, `${JSON.stringify(content).length}`);
  const details = content.details as GateFailure;
  assert.ok(isFailure.Check(details));
  assert.deepEqual([details.failed.length, details.more, details.counts.fail], [20, 1_980, 2_000]);
  assert.deepEqual([details.failed[0]?.words.length, details.answerUrl], [500, '/api/v1/campaigns/7/gates/1']);
  assert.deepEqual([content.title, content.lines.length], ['Gate nightly failed: shop', 22]);
  assert.deepEqual([content.lines[0], content.lines.at(-1)], ['All 2000 checks fail.', '… and 1980 more.']);
});

test('where all fit, nothing is said of more; what holds is not told', () => {
  const result = failedResult(2);
  Object.assign(result.checks[0] as object, { outcome: 'pass' });
  const { lines, details } = failedGateContent(result, { ...circumstances, gate: null });
  assert.equal(lines.length, 2);
  assert.deepEqual([(details as GateFailure).failed.length, (details as GateFailure).more], [1, 0]);
});

test('the webhook of a failed gate says where its answer is, and that is there', async (t) => {
  const api = await testApi(t, { notifications: { publicUrl: 'https://pronghorn.example/measure/' } });
  const { url, got } = await receiver(t);
  await api.post('/notifications', { name: 'team', kind: 'webhook', url, events: ['gate-failed'] });
  const { id: campaignId } = await api.campaign({ protocols: ['h3'], rounds: 12, name: 'shop' });
  for (let round = 0; round < 12; round += 1) {
    const lease = await api.lease();
    const outcome = { verdict: 'valid', metrics: sampleMetrics({ onLoad: 500 }) } as const;
    await api.upload(lease, sampleVisit(lease, 0, { outcome, link: { refused: [], receiveDrops: 0 } }));
    await api.complete(lease);
  }
  const { body: answer } = await api.post('/gates/check', { campaignId, assertions: ['onLoad p75 <= 100 ms'] });
  await api.app.notifications.tick();
  const message = JSON.parse(got[0]?.text ?? '');
  assert.ok(isFailure.Check(message.details), JSON.stringify(message.details));
  const { answerUrl, failed, more } = message.details as GateFailure;
  assert.deepEqual([failed.length, failed[0]?.value, failed[0]?.max, more], [1, 500, 100, 0]);
  assert.deepEqual([failed[0]?.site, message.title], ['site.example', 'A gate failed: shop']);
  const path = answerUrl.replace('https://pronghorn.example/measure/api/v1', '');
  assert.deepEqual((await api.get(path)).body, answer);
});
