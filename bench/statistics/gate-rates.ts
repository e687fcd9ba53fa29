// Gates at their limit, where they err most, beside gates away from it, where they should decide: how often each passes and fails.
// Takes 10 minutes. node bench statistics/gate-rates [REPETITIONS, default 2000] [baseline [WORDS]]
//
// `baseline`: relations to a baseline alone, and of those the lines that have the words. Made-up campaigns, each through `checkGate`. Seeded.
import { madeUp, spread } from '../../packages/core/fixtures/made-campaign.ts';
import {
  isBeyondAll,
  pairP,
  predictionEvidence,
  twoCampaignsEvidence,
  twoRunsOf,
} from '../../packages/core/src/campaign/gate/baseline-evidence.ts';
import { checkGate } from '../../packages/core/src/campaign/index.ts';
import { proportion, randomSource } from '../../packages/core/src/math/index.ts';
import { normalQuantile, studentTCdf } from '../../packages/core/src/math/probability.ts';
import { quantile } from '../../packages/core/src/math/quantile.ts';
import type { GateRules } from '../../packages/core/src/schemas/index.ts';

const repetitions = Number(process.argv[2] ?? 2000);
const isAll = process.argv[3] !== 'baseline';
const words = process.argv[4] ?? '';
const random = randomSource(1);
type Made = ReturnType<typeof madeUp>;

/** Shares of gates that pass and that fail. */
function rates(what: string, rules: GateRules, make: () => { measured: Made; before?: Made[]; otherRun?: Made }): void {
  if (!what.includes(words)) return;
  const counts = { pass: 0, fail: 0, inconclusive: 0, unmeasured: 0 };
  for (let i = 0; i < repetitions; i++) {
    const { measured, before, otherRun } = make();
    counts[checkGate(rules, measured, before, otherRun).outcome] += 1;
  }
  console.log(`${what.padEnd(62)} pass ${sharePlusError(counts.pass, repetitions)} fail ${sharePlusError(counts.fail, repetitions)}`);
}

const shapes: Record<string, (level: number) => number> = {
  'spread 10 %': (level) => level * spread(random, 0.1),
  'spread 50 %': (level) => level * spread(random, 0.5),
  'two modes': (level) => level * (random() < 0.3 ? 2 : 1) * spread(random, 0.05),
};
const trueP75: Record<string, number> = {
  'spread 10 %': Math.exp(0.1 * normalQuantile(0.75)),
  'spread 50 %': Math.exp(0.5 * normalQuantile(0.75)),
  // 0.7 lie in the lower mode; of the upper one a sixth is below the 75th percentile.
  'two modes': 2 * Math.exp(0.05 * normalQuantile(1 / 6)),
};

for (const [shape, draw] of isAll ? Object.entries(shapes) : []) {
  for (const rounds of [12, 30, 100]) {
    for (const [where, ratio] of [
      ['at the limit', 1],
      ['10 % below', 1 / 1.1],
      ['10 % above', 1.1],
    ] as const) {
      const max = (1000 * (trueP75[shape] as number)) / ratio;
      rates(
        `onLoad p75 <= limit, ${shape}, ${rounds} rounds, ${where}`,
        { assertions: [{ kind: 'bound', metric: 'onLoad', max }] },
        () => ({
          measured: madeUp(() => ({ onLoad: draw(1000) }), { rounds, protocols: ['h3'] }),
        }),
      );
    }
  }
}
for (const statistic of isAll ? (['shift', 'p75'] as const) : []) {
  for (const rounds of [12, 30, 100]) {
    for (const [where, ratio] of [
      ['at the margin', 1.05],
      ['equal', 1],
      ['20 % above', 1.2],
    ] as const) {
      const rules: GateRules = {
        assertions: [{ kind: 'protocols', metric: 'onLoad', statistic, candidate: 'h3', baseline: 'h2', margin: 0.05 }],
      };
      rates(`onLoad ${statistic} h3 <= h2 + 5 %, spread 10 %, ${rounds} rounds, ${where}`, rules, () => ({
        measured: madeUp(({ protocol }) => ({ onLoad: 1000 * (protocol === 'h3' ? ratio : 1) * spread(random, 0.1) }), { rounds }),
      }));
    }
  }
}

const normal = () => Math.log(spread(random, 1));
/** Differences between runs of one page, as logarithms of standard deviation 1; `one in ten`: such runs are slower by four times that. */
const runEffects: Record<string, () => number> = {
  normal,
  // ÷ √3: its standard deviation.
  't, 3 df': () => normal() / Math.sqrt(normal() ** 2 + normal() ** 2 + normal() ** 2),
  exponential: () => -Math.log(1 - random()) - 1,
  'one in ten': () => normal() + (random() < 0.1 ? 4 : 0),
};

interface Setting {
  effect: string;
  /** As a logarithm's standard deviation. */
  runsDifferBy: number;
  earlier: number;
  checks: number;
  /** True ratio to the campaigns before: of the first check, and of the others. */
  ratios: readonly [first: number, others: number];
  rounds?: number;
  /** Share of the variance of runs that both runs of a gate have in common: its hour; default none. */
  common?: number;
}

/** Of each check what a run is off by, as a share of what runs differ by. */
const effectsOf = ({ effect, checks }: Setting) => Array.from({ length: checks }, runEffects[effect] as () => number);

/** Of each check the visits of one run: it is off by what runs differ by, its visits by 10 %. */
function runOf(setting: Setting, [first, others]: Setting['ratios'], ofHour?: readonly number[]): number[][] {
  const { runsDifferBy, rounds = 20, common = 0 } = setting;
  return effectsOf(setting).map((own, place) => {
    const off = ofHour === undefined ? own : Math.sqrt(1 - common) * own + Math.sqrt(common) * (ofHour[place] as number);
    const level = 1000 * (place === 0 ? first : others) * Math.exp(runsDifferBy * off);
    return Array.from({ length: rounds }, () => level * spread(random, 0.1));
  });
}

const allowed = { margin: 0.1, not: 'above' } as const;
const alphas = { pass: 0.05, fail: 0.05 };

/** The earlier rule: one run beyond Student's prediction interval, by Holm. */
function failsByStudent(run: number[][], before: number[][][]): boolean {
  const k = before.length;
  const ps = run.map((values, check) => {
    const logs = before.map((one) => Math.log(quantile(one[check] as number[], 0.5)));
    const mean = logs.reduce((sum, one) => sum + one, 0) / k;
    const deviation = Math.sqrt(logs.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (k - 1));
    return 1 - studentTCdf((Math.log(quantile(values, 0.5)) - mean - Math.log(1.1)) / (deviation * Math.sqrt(1 + 1 / k)), k - 1);
  });
  return Math.min(...ps) * ps.length <= 0.05;
}

/** One gate as a pipeline checks it, through `checkGate`: where a check seems to fail, a second run is measured. */
function pipeline(
  first: number[][],
  before: number[][][],
  again: () => number[][],
): { outcome: 'pass' | 'fail' | 'inconclusive'; runs: 1 | 2 } {
  const ofCheck = (check: number) => before.map((one) => one[check] as number[]);
  const passes = (values: number[], check: number) =>
    predictionEvidence('median', values, ofCheck(check), allowed, alphas, 60_000).pPass <= alphas.pass;
  const looksWorse = (values: number[], check: number) => {
    const alone = twoRunsOf('median', values, values, ofCheck(check), allowed, 60_000);
    return !passes(values, check) && isBeyondAll(alone, alone.latest[1]);
  };
  if (!first.some(looksWorse)) return { outcome: first.every(passes) ? 'pass' : 'inconclusive', runs: 1 };
  const second = again();
  const ps = pairP(
    second.map((values, check) => twoRunsOf('median', values, first[check] as number[], ofCheck(check), allowed, 60_000)),
    5,
  );
  const isFail = second.some((values, check) => (ps[check] as number) <= alphas.fail && !passes(values, check));
  return { outcome: isFail ? 'fail' : second.every(passes) ? 'pass' : 'inconclusive', runs: 2 };
}

function againstBaseline(what: string, setting: Setting): void {
  if (!what.includes(words)) return;
  const counts = { pass: 0, fail: 0, inconclusive: 0, second: 0, before: 0 };
  for (let i = 0; i < repetitions; i++) {
    const before = Array.from({ length: setting.earlier }, () => runOf(setting, [1, 1]));
    const ofHour = setting.common === undefined ? undefined : effectsOf(setting);
    const first = runOf(setting, setting.ratios, ofHour);
    const { outcome, runs } = pipeline(first, before, () => runOf(setting, setting.ratios, ofHour));
    counts[outcome] += 1;
    counts.second += runs - 1;
    if (failsByStudent(first, before)) counts.before += 1;
  }
  const [pass, fail, second, before] = [counts.pass, counts.fail, counts.second, counts.before].map((count) =>
    sharePlusError(count, repetitions),
  );
  console.log(`${what.padEnd(62)} pass ${pass} fail ${fail} second run ${second} one run, Student: fail ${before}`);
}

/** Per cent, with the interval of its Monte Carlo error. */
function sharePlusError(count: number, times: number): string {
  const { low, high } = proportion(count, times);
  const percent = (share: number) => (100 * share).toFixed(1);
  return `${percent(count / times)} % (${percent(low)}–${percent(high)})`.padEnd(20);
}

const sizes = [
  [5, 1],
  [5, 24],
  [10, 1],
  [10, 24],
  [10, 60],
] as const;
for (const effect of Object.keys(runEffects)) {
  for (const [earlier, checks] of sizes) {
    for (const [where, ratio] of [
      ['all at the margin', 1.1],
      ['nothing changed', 1],
    ] as const) {
      againstBaseline(`runs ${effect}, ${earlier} before, ${checks} checks, ${where}`, {
        ...{ effect, runsDifferBy: 0.05, earlier, checks, ratios: [ratio, ratio] },
      });
    }
  }
}
for (const runsDifferBy of [0.02, 0.03, 0.05]) {
  for (const [earlier, checks] of sizes) {
    for (const [where, ratio] of [
      ['one 20 % slower', 1.2],
      ['one 30 % slower', 1.3],
    ] as const) {
      const what = `runs differ by ${100 * runsDifferBy} %, ${earlier} before, ${checks} checks, ${where}`;
      againstBaseline(what, { effect: 'normal', runsDifferBy, earlier, checks, ratios: [ratio, 1] });
    }
  }
}
// The second run comes at once: what its hour does to it, the first one has too.
for (const common of [0.5, 0.75, 0.9]) {
  for (const [earlier, checks] of sizes.slice(0, 4)) {
    for (const [where, ratio] of [
      ['all at the margin', 1.1],
      ['nothing changed', 1],
    ] as const) {
      againstBaseline(`${100 * common} % of one hour, ${earlier} before, ${checks} checks, ${where}`, {
        ...{ effect: 'normal', runsDifferBy: 0.05, earlier, checks, ratios: [ratio, ratio], common },
      });
    }
  }
}
// With a budget that is exactly met beside it, the chance to fail is halved between both. Through `checkGate`.
const mixed: GateRules = { assertions: ['onLoad <= baseline + 10 %', { kind: 'bound', metric: 'onLoad', statistic: 'median', max: 1100 }] };
for (const effect of Object.keys(runEffects)) {
  for (const earlier of [5, 8, 10]) {
    // Runs do not differ, or not every run would meet the budget.
    const made = (level: number, given: { id: string; repeats?: string }) =>
      madeUp(() => ({ onLoad: level * Math.exp(0.1 * (runEffects[effect] as () => number)()) }), {
        rounds: 20,
        protocols: ['h3'],
        ...given,
      });
    const centre = quantile(
      Array.from({ length: 20_001 }, () => Math.exp(0.1 * (runEffects[effect] as () => number)())),
      0.5,
    );
    rates(`median budget and baseline + 10 %, both at the limit, ${effect} visits, ${earlier} before`, mixed, () => {
      const before = Array.from({ length: earlier }, (_, i) => made(1000 / centre, { id: String(i) }));
      const measured = made(1100 / centre, { id: '98' });
      const { outcome, checks } = checkGate(mixed, measured, before);
      if (outcome === 'fail' || !checks.some(({ reasons }) => reasons.some(({ reason }) => reason === 'second-run')))
        return { measured, before };
      return { measured: made(1100 / centre, { id: '99', repeats: '98' }), before, otherRun: measured };
    });
  }
}

// With one campaign before it, by the visits of two runs alone: no longer decided.
for (const runsDifferBy of [0.03, 0.05, 0.1]) {
  for (const rounds of [20, 50, 100]) {
    const setting: Setting = { effect: 'normal', runsDifferBy, earlier: 1, checks: 1, ratios: [1.1, 1.1], rounds };
    const what = `runs differ by ${100 * runsDifferBy} %, 1 before, ${rounds} rounds, at the margin`;
    if (!what.includes(words)) continue;
    let passed = 0;
    for (let i = 0; i < repetitions; i++) {
      const [[before], [values]] = [runOf(setting, [1, 1]), runOf(setting, setting.ratios)] as [[number[]], [number[]]];
      if (twoCampaignsEvidence('median', values, before, allowed, alphas).pPass <= alphas.pass) passed += 1;
    }
    console.log(`${what.padEnd(62)} visits alone: pass ${sharePlusError(passed, repetitions)}`);
  }
}
