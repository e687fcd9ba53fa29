// How often does a gate err at its limit, where it errs most, and how often does it decide away from it? Made-up campaigns, each through
// `checkGate`, seeded.
// node bench/statistics/gate-rates.ts [REPETITIONS]
import { madeUp, spread } from '../../packages/core/fixtures/made-up-campaign.ts';
import { checkGate, type GateRules, proportion, randomSource } from '../../packages/core/src/index.ts';
import { normalQuantile } from '../../packages/core/src/statistics/distributions.ts';

const repetitions = Number(process.argv[2] ?? 2000);
const random = randomSource(1);
type Made = ReturnType<typeof madeUp>;

/** Shares of gates that pass and that fail. */
function rates(what: string, rules: GateRules, make: () => { measured: Made; before?: Made[] }): void {
  const counts = { pass: 0, fail: 0, inconclusive: 0 };
  for (let i = 0; i < repetitions; i++) {
    const { measured, before } = make();
    counts[checkGate(rules, measured, before).outcome] += 1;
  }
  const told = (count: number) => {
    const { low, high } = proportion(count, repetitions);
    const percent = (share: number) => (100 * share).toFixed(1);
    return `${percent(count / repetitions)} % (${percent(low)}–${percent(high)})`.padEnd(20);
  };
  console.log(`${what.padEnd(62)} pass ${told(counts.pass)} fail ${told(counts.fail)}`);
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

for (const [shape, draw] of Object.entries(shapes)) {
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
for (const statistic of ['shift', 'p75'] as const) {
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
const run = (level: number, id: string) => {
  const off = spread(random, 0.03);
  return madeUp(() => ({ onLoad: level * off * spread(random, 0.1) }), { rounds: 20, protocols: ['h3'], id });
};
for (const campaigns of [1, 5, 10]) {
  for (const [where, ratio] of [
    ['at the margin', 1.1],
    ['equal', 1],
    ['20 % above', 1.2],
  ] as const) {
    const what = `onLoad <= baseline + 10 %, runs differ by 3 %, ${campaigns} before, ${where}`;
    rates(what, { assertions: ['onLoad <= baseline + 10 %'] }, () => ({
      measured: run(1000 * ratio, '99'),
      before: Array.from({ length: campaigns }, (_, i) => run(1000, String(i))),
    }));
  }
}

const normal = () => Math.log(spread(random, 1));
/** What runs of one page differ by, as logarithms of standard deviation 5 %; `one in ten`: such runs are slower by four times that. */
const runEffects: Record<string, () => number> = {
  normal: () => 0.05 * normal(),
  // ÷ √3: its standard deviation.
  't, 3 df': () => (0.05 * normal()) / Math.sqrt(normal() ** 2 + normal() ** 2 + normal() ** 2),
  exponential: () => 0.05 * (-Math.log(1 - random()) - 1),
  'one in ten': () => 0.05 * normal() + (random() < 0.1 ? 0.2 : 0),
};
for (const [effect, drawn] of Object.entries(runEffects)) {
  const runOf = (level: number, id: string, sites: readonly string[]) => {
    const off = new Map(sites.map((site) => [site, Math.exp(drawn())]));
    return madeUp(({ siteId }) => ({ onLoad: level * (off.get(siteId) ?? 1) * spread(random, 0.1) }), {
      rounds: 20,
      protocols: ['h3'],
      sites,
      id,
    });
  };
  for (const [campaigns, checks] of [
    [5, 1],
    [5, 24],
    [10, 24],
    [10, 60],
  ] as const) {
    const sites = Array.from({ length: checks }, (_, i) => `site-${i}`);
    rates(
      `baseline + 10 %, runs differ by 5 %, ${effect}, ${campaigns} before, ${checks} checks, all at the margin`,
      { assertions: ['onLoad <= baseline + 10 %'] },
      () => ({
        measured: runOf(1100, '99', sites),
        before: Array.from({ length: campaigns }, (_, i) => runOf(1000, String(i), sites)),
      }),
    );
  }
}
