import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MadeUp, madeUp, spread } from '../../../fixtures/made-campaign.ts';
import { randomSource } from '../../math/random.ts';
import type { GateCheck } from '../../schemas/gate-answer.ts';
import type { Allowed } from '../../text/assertion.ts';
import type { Measurements } from '../measured/measured.ts';
import { minToFail, pairP, predictionEvidence, twoRunsOf } from './baseline-evidence.ts';
import { checkGate } from './check-gate.ts';

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
  assert.equal(found.pFail, 1, 'one run fails nothing');
});

/** p by trying each pair of runs as the latest two, with the statistic written out. */
function byTrying(checks: readonly number[][]): number[] {
  const runs = checks[0]?.length ?? 0;
  const statistic = (values: readonly number[], pair: readonly number[]) => {
    const [those, others] = [true, false].map((isOf) => values.filter((_, run) => pair.includes(run) === isOf).map(Math.log)) as [
      number[],
      number[],
    ];
    const mean = others.reduce((sum, one) => sum + one, 0) / others.length;
    const spread = Math.sqrt(others.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (others.length - 1));
    return (Math.min(...those) - mean) / Math.max(0.01, spread);
  };
  const pairs = Array.from({ length: runs }, (_, second) => Array.from({ length: second }, (_, first) => [first, second])).flat();
  const largest = pairs.map((pair) => Math.max(...checks.map((values) => statistic(values, pair))));
  return checks.map((values) => {
    const its = statistic(values, [runs - 2, runs - 1]);
    return its > 0 ? largest.filter((one) => one >= its - 1e-9).length / pairs.length : 1;
  });
}

test('two runs are held against those before them by permutation, the largest over all checks', () => {
  const random = randomSource(5);
  for (let i = 0; i < 50; i++) {
    const runs = 5 + (i % 6);
    const drawn = Array.from({ length: 3 }, () => Array.from({ length: runs + 2 }, () => 1000 * spread(random, 0.05)));
    for (const values of drawn.slice(0, 2)) for (const run of [runs, runs + 1]) values[run] = (values[run] as number) * 1.25;
    const checks = drawn.map((values) => {
      const [other = 0, its = 0] = values.slice(-2);
      return twoRunsOf(
        'median',
        [its],
        [other],
        values.slice(0, -2).map((one) => [one]),
        notAbove(0.1),
        60_000,
      );
    });
    const moved = drawn.map((values) => values.map((value, run) => (run < runs ? value : value / 1.1)));
    assert.deepEqual(pairP(checks, 5), byTrying(moved), `${i}`);
  }
});

const p = (both: number, before: readonly number[], allowed: Allowed = notAbove(0)) =>
  pairP(
    [
      twoRunsOf(
        'median',
        [both],
        [both],
        before.map((one) => [one]),
        allowed,
        60_000,
      ),
    ],
    5,
  )[0];

test('what must not be below is held against those before by its being low, and what may be 0 by its value', () => {
  const shares = [0.9, 0.91, 0.92, 0.9, 0.91];
  assert.deepEqual([p(0.5, shares, { margin: 0.02, not: 'below' }), p(0.9, shares, { margin: 0.02, not: 'below' })], [1 / 21, 1]);
  assert.deepEqual([p(0, shares, { margin: 0.02, not: 'below' }), p(0, [0, 0, 0, 0, 0]), p(0.2, [0, 0, 0, 0, 0])], [1 / 21, 1, 1 / 21]);
});

test('only campaigns that all of the checks have are compared, and five of them at least', () => {
  const check = (earlier: (number | undefined)[]) => ({ earlier, latest: [1.3, 1.31] as const });
  const [whole, newer] = [check([1, 1.01, 0.99, 1, 1.02, 1.01, 1]), check([1, 1.01, 0.99, 1, 1.02, undefined, undefined])];
  assert.deepEqual(pairP([whole, null], 5), [1 / 36, 1]);
  assert.deepEqual(pairP([whole, newer], 5), [1 / 21, 1 / 21]);
  assert.deepEqual(pairP([whole, newer], 6), [1 / 36, 1], 'the newer one cannot fail, and takes nothing from the other');
  const scattered = check([1, undefined, 0.99, 1, 1.02, 1.01, undefined]);
  assert.deepEqual(pairP([newer, scattered], 5), [1, 1]);
});

test('how many campaigns before it a failure takes follows from the level', () => {
  for (const [level, runs] of [
    [0.05, 5],
    [0.025, 8],
    [0.01, 13],
    [0.2, 5],
  ] as const)
    assert.equal(minToFail(level), runs);
});

test('campaigns that are all alike foretell the same again', () => {
  const before = new Array<number[]>(5).fill([42]);
  const outcome = (value: number, margin: number) => {
    const { pPass } = predictionEvidence('median', [value], before, notAbove(margin), alphas, 60_000);
    return [pPass, p(value, before.flat(), notAbove(margin))];
  };
  assert.deepEqual(outcome(42, 0), [0, 1]);
  assert.deepEqual(outcome(43, 0), [1, 1 / 21]);
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

const check = (measured: Measurements, before: Measurements[], text = 'onLoad <= baseline + 10 %', other?: Measurements): GateCheck => {
  const [one] = checkGate({ assertions: [text] }, measured, before, other).checks;
  return one as GateCheck;
};
const reasonOf = ({ outcome, reasons }: GateCheck) => [outcome, ...reasons.map(({ reason }) => reason)];

test('what is not worse than five campaigns or more passes; what is worse fails when a second run is, too', () => {
  const before = runs(6, 2);
  const at = (level: number) => run(level, randomSource(10), { id: '98' });
  assert.deepEqual(reasonOf(check(at(1000), before)), ['pass']);
  assert.deepEqual(reasonOf(check(at(1100), before)), ['inconclusive', 'undecided']);
  const suspected = check(at(1300), before);
  assert.deepEqual(reasonOf(suspected), ['inconclusive', 'second-run']);
  assert.match(suspected.words, /worse than all 6 earlier campaigns by more than is allowed, .* a second run would decide\.$/);

  const second = (level: number) => check(run(level, randomSource(11), { repeats: '98' }), before, undefined, at(1300));
  const failed = second(1290);
  assert.deepEqual([failed.outcome, failed.pFail], ['fail', 1 / 28]);
  assert.match(failed.words, /Campaign 98, the other run, confirms it \(p = 0\.036\)\.$/);
  assert.deepEqual(reasonOf(second(1000)), ['pass'], 'the second run is the one that is judged');
  const open = check(run(1300, randomSource(11), { repeats: '98' }), before, undefined, at(1000));
  assert.deepEqual(reasonOf(open), ['inconclusive', 'undecided']);
  assert.match(open.words, /campaign 98, the other run, does not confirm it\.$/);
  // Of a schedule the run before it was not asked for, and there will be another.
  const night = check(run(1300, randomSource(11)), before, undefined, at(1000));
  assert.deepEqual(reasonOf(night), ['inconclusive', 'second-run']);
  assert.match(night.words, /but campaign 98, the run before it, was not: the next run decides\.$/);
  const { baseline } = checkGate({ assertions: ['onLoad <= baseline + 10 %'] }, run(1000, randomSource(9)), before);
  assert.deepEqual(
    baseline?.campaigns.map(({ campaignId, commit }) => [campaignId, commit]),
    ['6', '5', '4', '3', '2', '1'].map((id) => [id, `c${id}`]),
  );
});

test('beside other assertions a failure takes eight campaigns before it', () => {
  const rules = { assertions: ['onLoad <= baseline + 10 %', 'onLoad p75 <= 60 s'] };
  const outcome = (campaigns: number) => {
    const first = run(1300, randomSource(10), { id: '98' });
    return checkGate(rules, run(1300, randomSource(11), { repeats: '98' }), runs(campaigns, 2), first);
  };
  assert.deepEqual([outcome(8).outcome, outcome(8).checks[0]?.pFail], ['fail', 2 / 45]);
  assert.equal(outcome(7).outcome, 'inconclusive');
  assert.match(outcome(7).checks[0]?.words ?? '', /; failing needs 8 earlier campaigns and a second run\.$/);
});

test('a page that lacks more objects than before does not pass by that, nor does one fail that lacks fewer', () => {
  const facts = { requests: 40, finishedBytes: 800_000, ipv6Share: 0, h3Share: 1, h3ByteShare: 1, documentAddress: null };
  const page = (failedRequests: number) => ({ page: () => ({ ...facts, failedRequests, ownShare: 0.4, refused: 0, cutShort: 0 }) });
  const random = randomSource(3);
  const before = (lost: number) => Array.from({ length: 6 }, (_, i) => run(1000, random, { id: String(6 - i), ...page(lost) }));
  assert.deepEqual(reasonOf(check(run(1000, random, page(1)), before(1))), ['pass']);
  const lacking = check(run(1000, random, page(2)), before(0));
  assert.deepEqual(reasonOf(lacking), ['inconclusive', 'parity']);
  assert.match(
    lacking.words,
    /The median visit lacked 2 objects, those of the campaigns before it at most 0: a page with missing objects loads faster\.$/,
  );
  const slower = (lost: number) => run(1300, random, { id: '98', ...page(lost) });
  assert.deepEqual(reasonOf(check(slower(1), before(1), undefined, slower(1))), ['fail']);
  assert.deepEqual(reasonOf(check(slower(0), before(1), undefined, slower(0))), ['inconclusive', 'parity']);
});

test('with fewer than five campaigns before it nothing passes or fails, but by the point estimate, with a caution', () => {
  const good = check(run(1000, randomSource(9)), runs(2, 1), 'onLoad <= baseline + 20 %');
  assert.deepEqual([good.outcome, good.reasons.map(({ reason }) => reason)], ['inconclusive', ['few-baselines']]);
  assert.match(good.words, /2 campaigns on main before it do not show how much two runs of one page normally differ: that needs 5\./);
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
  assert.deepEqual([hangs.value, hangs.high, hangs.pPass], [none, none, 1]);
  assert.ok((hangs.low ?? 0) > 1.5, `at least ${hangs.low}`);
  assert.equal(pairP([twoRunsOf('median', [none], [none], before, notAbove(0.1), 300_000)], 5)[0], 1 / 21);
  // Before, most campaigns hung; now it loads, and in no more time than they would have taken.
  const hung = [...new Array<number[]>(4).fill([none]), [99_000]];
  const loads = predictionEvidence('median', [100_000], hung, notAbove(0.1), alphas, 60_000);
  assert.equal(loads.low, Number.NEGATIVE_INFINITY);
  assert.equal(pairP([twoRunsOf('median', [100_000], [100_000], hung, notAbove(0.1), 60_000)], 5)[0], 1);
});
