import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MadeUp, madeUp, spread } from '../../fixtures/made-up-campaign.ts';
import { randomSource } from '../random.ts';
import type { GateCheck } from '../schemas/gate-answer.ts';
import { predictionEvidence } from './baseline-evidence.ts';
import { checkGate } from './check-gate.ts';
import type { Measurements } from './measured-campaign.ts';

const alphas = { pass: 0.05, fail: 0.05 };
const notAbove = (margin: number) => ({ margin, not: 'above' as const });

test('a campaign is held against the prediction interval of those before it', () => {
  // ln of 1000…1040 by 10: mean 6.92735, deviation 0.015501; t(4) at 0.95 is 2.13185: 1020 · exp(± 2.13185 · 0.015501 · √1.2).
  const before = [1000, 1010, 1020, 1030, 1040].map((value) => [value]);
  const found = predictionEvidence('median', [1100], before, notAbove(0.05), alphas, 60_000);
  const centre = Math.exp([1000, 1010, 1020, 1030, 1040].reduce((sum, value) => sum + Math.log(value), 0) / 5);
  assert.ok(Math.abs((found.value ?? 0) - (1100 / centre - 1)) < 1e-12);
  const reach = 2.13185 * 0.015501 * Math.sqrt(1.2);
  assert.ok(Math.abs((found.high ?? 0) - Math.expm1(Math.log(1100 / centre) + reach)) < 1e-4);
  assert.ok(Math.abs((found.low ?? 0) - Math.expm1(Math.log(1100 / centre) - reach)) < 1e-4);
  // Where the bound is, the test turns.
  const at = predictionEvidence('median', [1100], before, notAbove(found.high ?? 0), alphas, 60_000);
  assert.ok(Math.abs(at.pPass - 0.05) < 1e-9);
  assert.ok(Math.abs(predictionEvidence('median', [1100], before, notAbove(found.low ?? 0), alphas, 60_000).pFail - 0.05) < 1e-9);
});

test('campaigns that are all alike foretell the same again', () => {
  const before = new Array<number[]>(5).fill([42]);
  const outcome = (value: number, margin: number) => {
    const { pPass, pFail } = predictionEvidence('median', [value], before, notAbove(margin), alphas, 60_000);
    return [pPass, pFail];
  };
  assert.deepEqual(outcome(42, 0), [0, 1]);
  assert.deepEqual(outcome(43, 0), [1, 0]);
  assert.deepEqual(outcome(43, 0.05), [0, 1]);
  assert.deepEqual(predictionEvidence('median', [0], new Array<number[]>(5).fill([0]), notAbove(0), alphas, 60_000).pPass, 0);
});

/** Runs of a page, each off by what runs differ by, newest first. */
function runs(count: number, seed: number, level = 1000): Measurements[] {
  const random = randomSource(seed);
  return Array.from({ length: count }, (_, i) => run(level, random, { id: String(count - i) }));
}

function run(level: number, random: () => number, given: MadeUp = {}): Measurements {
  const off = spread(random, 0.01);
  return madeUp(() => ({ onLoad: level * off * spread(random, 0.05) }), { rounds: 15, protocols: ['h3'], id: '99', ...given });
}

const check = (measured: Measurements, before: Measurements[], text = 'onLoad <= baseline + 10 %'): GateCheck => {
  const [one] = checkGate({ assertions: [text] }, measured, before).checks;
  return one as GateCheck;
};

test('what is not worse than five campaigns or more passes, what is worse fails', () => {
  const before = runs(6, 2);
  const outcome = (level: number) => check(run(level, randomSource(10)), before).outcome;
  assert.deepEqual([outcome(1000), outcome(1100), outcome(1300)], ['pass', 'inconclusive', 'fail']);
  const { baseline } = checkGate({ assertions: ['onLoad <= baseline + 10 %'] }, run(1000, randomSource(9)), before);
  assert.deepEqual(
    baseline?.campaigns.map(({ campaignId, commit }) => [campaignId, commit]),
    ['6', '5', '4', '3', '2', '1'].map((id) => [id, `c${id}`]),
  );
});

test('with fewer than five campaigns before it nothing passes or fails, but by the point estimate, with a caution', () => {
  const good = check(run(1000, randomSource(9)), runs(2, 1), 'onLoad <= baseline + 20 %');
  assert.deepEqual([good.outcome, good.reasons.map(({ reason }) => reason)], ['inconclusive', ['few-baselines']]);
  assert.match(good.words, /2 campaigns on main before it do not show what two runs of one page differ by anyway: that takes 5\./);
  const bad = check(run(2000, randomSource(9)), runs(2, 1));
  assert.deepEqual([bad.outcome, bad.reasons.map(({ reason }) => reason)], ['inconclusive', ['few-baselines']]);
  const first = check(run(1000, randomSource(9)), []);
  assert.deepEqual([first.outcome, first.reasons.map(({ reason }) => reason), first.value], ['inconclusive', ['no-baseline'], null]);
});

test('a campaign that measured something else, or not well, is no baseline', () => {
  const measured = run(1000, randomSource(9));
  const reasons = (given: MadeUp) =>
    check(measured, [run(1000, randomSource(1), { id: '1', ...given })]).reasons.map(({ reason }) => reason);
  assert.ok(!reasons({}).includes('no-baseline'));
  const before = run(1000, randomSource(1), { id: '1' });
  const renamed = before.campaign.sites.map((site) => ({ ...site, url: 'https://preview.example/' }));
  const preview = { ...before, campaign: { ...before.campaign, sites: renamed } };
  assert.ok(!check(measured, [preview]).reasons.some(({ reason }) => reason === 'no-baseline'), 'the name is enough');
  const described = [{ name: 'native', description: 'As it is.', source: 'measured', baseRttMs: 0, up: {}, down: {} }];
  assert.ok(!reasons({ spec: { conditions: described } }).includes('no-baseline'), 'a description changes nothing');
  for (const given of [
    { sites: ['b'] },
    { conditions: ['4g'] },
    { protocols: ['h2'] },
    { finished: 5 },
    { spec: { conditions: [{ name: 'native', up: { delayMs: 5 }, down: {} }] } },
  ] satisfies MadeUp[]) {
    assert.ok(reasons(given).includes('no-baseline'), JSON.stringify(given));
  }
});

test('a load that failed is above those that take longer than the shortest limit there is', () => {
  const none = Number.POSITIVE_INFINITY;
  const before = [100_000, 101_000, 102_000, 103_000, 104_000].map((value) => [value]);
  // The limits of a slow condition are longer than the shortest one.
  const hangs = predictionEvidence('median', [none], before, notAbove(0.1), alphas, 300_000);
  assert.ok(hangs.pFail < 0.001, `${hangs.pFail}`);
  assert.deepEqual([hangs.value, hangs.high, hangs.pPass], [none, none, 1]);
  assert.ok((hangs.low ?? 0) > 1.5, `at least ${hangs.low}`);
  // Before, most campaigns hung; now it loads, and in no more time than they would have taken.
  const hung = [...new Array<number[]>(4).fill([none]), [99_000]];
  const loads = predictionEvidence('median', [100_000], hung, notAbove(0.1), alphas, 60_000);
  assert.equal(loads.low, Number.NEGATIVE_INFINITY);
  assert.ok(loads.pFail > 0.5, `${loads.pFail}`);
});
