// Looking until a comparison is settled, by the rule of sequential.ts, beside looking without a rule: false claims, rounds, power.
// Takes 2 minutes. node bench statistics/sequential [REPETITIONS, default 4000]
//
// Data of three kinds; nine comparisons together, by Hommel and by Holm; what giving up would save; other ways to spend alpha. Seeded.

import { equivalence } from '../../packages/core/src/math/hodges-lehmann.ts';
import {
  adjustPValues,
  proportion,
  pseudomedian,
  randomSource,
  roundsToSettle,
  signedRankTest,
} from '../../packages/core/src/math/index.ts';
import { normalCdf, normalQuantile } from '../../packages/core/src/math/probability.ts';
import { type Look, planLooks, sequentialP, usualRounds } from '../../packages/core/src/verdict/index.ts';
import type { Adjustment } from '../../packages/core/src/vocabulary/choices.ts';

const repetitions = Number(process.argv[2] ?? 4000);
const [maximumRounds, alpha, comparisons] = [60, 0.05, 9];
const rounds = usualRounds(comparisons, true);
const random = randomSource(20260109);

const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
/** Of one visit, in the logarithm. */
const kinds: Record<string, () => number> = {
  normal: () => 0.07 * normal(),
  'heavy tails': () => 0.18 * normal() + (random() < 0.1 ? -0.7 * Math.log(1 - random()) : 0),
  'two modes': () => 0.04 * normal() + (random() < 0.3 ? Math.log(1.4) : 0),
};
/** Log-ratios of rounds: of two visits of about 300 ms, which clocks give in whole milliseconds. */
const roundsOf = (noise: () => number, shift = 0, count = maximumRounds) =>
  Array.from({ length: count }, () => Math.log(Math.round(300 * Math.exp(shift + noise())) / Math.round(300 * Math.exp(noise()))));

const psOf = (looks: readonly Look[], logRatios: readonly number[]) =>
  looks.map((look) => signedRankTest(logRatios.slice(0, look.rounds)).p);

/** A campaign of several comparisons: for each the look at which it was found different, -1 where at none. What is settled gets no more rounds. */
function settledAt(
  looks: readonly Look[],
  family: readonly (readonly number[])[],
  by: 'rule' | 'naive',
  adjustment: Adjustment = 'hommel',
): number[] {
  const settled = family.map(() => -1);
  const ps: number[][] = family.map(() => []);
  for (const [k, look] of looks.entries()) {
    for (const [i, logRatios] of family.entries()) if (settled[i] === -1) ps[i]?.push(signedRankTest(logRatios.slice(0, look.rounds)).p);
    const adjusted = adjustPValues(
      ps.map((each) => (by === 'rule' ? sequentialP(looks, each) : (each.at(-1) as number))),
      adjustment,
    );
    for (const [i, p] of adjusted.entries()) if (settled[i] === -1 && p <= alpha) settled[i] = k;
  }
  return settled;
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`.padStart(7);
function shareWords(count: number, of: number): string {
  const { share, low, high } = proportion(count, of);
  return `${percent(share)} (${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)})`;
}
const planWords = (looks: readonly Look[]) => looks.map(({ rounds: n, level }) => `${n} (${level.toFixed(4)})`).join(', ');

const single = planLooks({ rounds, maximumRounds });
/** Holm's: each p must reach its level by itself. */
const ofHolm = planLooks({ rounds, maximumRounds, comparisons });

function falsePositives(): void {
  console.log(`False claims without a difference, ${repetitions} campaigns each, with 95 % intervals`);
  console.log(`  looks at (level): ${planWords(single)}; for ${comparisons} comparisons by Holm: ${planWords(ofHolm)}`);
  for (const [kind, noise] of Object.entries(kinds)) {
    let [byRule, naive, eachRound] = [0, 0, 0];
    for (let i = 0; i < repetitions; i++) {
      const logRatios = roundsOf(noise);
      const ps = psOf(single, logRatios);
      if (sequentialP(single, ps) <= alpha) byRule++;
      if (ps.some((p) => p <= alpha)) naive++;
      for (let n = rounds; n <= maximumRounds; n++) {
        if (signedRankTest(logRatios.slice(0, n)).p > alpha) continue;
        eachRound++;
        break;
      }
    }
    const [rule, atLooks, always] = [byRule, naive, eachRound].map((count) => shareWords(count, repetitions));
    console.log(`  one comparison, ${kind.padEnd(11)}  rule ${rule}   0.05 at each look ${atLooks}   0.05 after each round ${always}`);
  }
  const campaigns = Math.ceil(repetitions / 2);
  console.log(`Any false claim among ${comparisons} comparisons by Hommel, ${campaigns} campaigns each`);
  for (const [kind, noise] of Object.entries(kinds)) {
    for (const different of [0, 4]) {
      let [byRule, naive] = [0, 0];
      for (let i = 0; i < campaigns; i++) {
        const family = Array.from({ length: comparisons }, (_, place) => roundsOf(noise, place < different ? 0.2 : 0));
        const falseClaim = (by: 'rule' | 'naive') =>
          settledAt(single, family, by)
            .slice(different)
            .some((look) => look !== -1);
        if (falseClaim('rule')) byRule++;
        if (falseClaim('naive')) naive++;
      }
      const name = `${different} of them differ by 20 %, ${kind}`.padEnd(38);
      console.log(`  ${name}  rule ${shareWords(byRule, campaigns)}   Hommel at 0.05 at each look ${shareWords(naive, campaigns)}`);
    }
  }
}

/** Rounds until a difference is found, of comparisons that all differ, and of nine of which half do. */
function together(): void {
  const campaigns = Math.ceil(repetitions / 8);
  console.log(
    `${comparisons} comparisons, rounds differ by 10 %, ${campaigns} campaigns each: rounds until it is found, of those that differ`,
  );
  for (const different of [comparisons, 4, 1]) {
    for (const difference of [0.4, 0.2, 0.1, 0.05]) {
      const words = (['hommel', 'holm'] as const).map((adjustment) => {
        const looks = adjustment === 'holm' ? ofHolm : single;
        let [used, found, wrong] = [0, 0, 0];
        for (let i = 0; i < campaigns; i++) {
          const family = Array.from({ length: comparisons }, (_, place) =>
            roundsOf(() => (0.1 / Math.SQRT2) * normal(), place < different ? difference : 0),
          );
          const settled = settledAt(looks, family, 'rule', adjustment);
          for (const at of settled.slice(0, different)) {
            used += looks[at]?.rounds ?? maximumRounds;
            if (at !== -1) found++;
          }
          if (settled.slice(different).some((at) => at !== -1)) wrong++;
        }
        const all = different * campaigns;
        return `${adjustment} ${(used / all).toFixed(1)} rounds, found ${percent(found / all)}, any false ${shareWords(wrong, campaigns)}`;
      });
      console.log(`  ${different} differ by ${percent(difference)}: ${words.join('   ')}`);
    }
  }
}

/** Chances to find a difference, and to show equivalence, below which a comparison is given up. */
type GivingUp = { confidence: number; difference: number; equivalence: number };

/** True if neither result has such a chance by the last look, even with the most favourable shift in the interval. */
function isGivenUp(logRatios: readonly number[], { confidence, difference, equivalence: other }: GivingUp): boolean {
  const { level } = single.at(-1) as Look;
  const { estimate, interval } = pseudomedian(logRatios, confidence);
  const ends = [estimate, interval?.low ?? estimate, interval?.high ?? estimate];
  if (interval !== null && interval.low < 0 && interval.high > 0) ends.push(0);
  const never = (options: Parameters<typeof roundsToSettle>[1]) =>
    ends.every((shift) => roundsToSettle(logRatios, { ...options, shift, maxRounds: maximumRounds })?.total === null);
  return (
    never({ alpha: level, power: difference }) &&
    // No difference is found at such a level, so only equivalence counts.
    never({ alpha: 1e-100, equivalenceAlpha: level, margin: 0.05, power: other })
  );
}

function givingUp(): void {
  const campaigns = Math.ceil(repetitions / 4);
  const rules: (GivingUp | null)[] = [
    null,
    { confidence: 0.95, difference: 0.5, equivalence: 0.2 },
    { confidence: 0.95, difference: 0.8, equivalence: 0.2 },
    { confidence: 0.95, difference: 0.8, equivalence: 0.8 },
    { confidence: 0.8, difference: 0.8, equivalence: 0.2 },
  ];
  console.log(
    `Giving up what will hardly be settled, ${campaigns} campaigns each: mean rounds, found different, equivalent; by confidence and both chances`,
  );
  for (const sd of [0.1, 0.15, 0.25, 0.4]) {
    for (const difference of [0, 0.03, 0.05, 0.1, 0.2]) {
      const sums = rules.map(() => ({ used: 0, different: 0, equivalent: 0 }));
      for (let i = 0; i < campaigns; i++) {
        const logRatios = roundsOf(() => (sd / Math.SQRT2) * normal(), Math.log1p(difference));
        const open = new Set(rules.keys());
        for (const { rounds: n, level } of single) {
          const seen = logRatios.slice(0, n);
          const outcome = equivalence(seen, { alpha: level })?.equivalent
            ? 'equivalent'
            : signedRankTest(seen).p <= level
              ? 'different'
              : null;
          for (const at of open) {
            const [rule, sum] = [rules[at], sums[at] as (typeof sums)[number]];
            if (outcome !== null) sum[outcome]++;
            else if (n < maximumRounds && !(rule && isGivenUp(seen, rule))) continue;
            sum.used += n;
            open.delete(at);
          }
        }
      }
      const words = sums.map(({ used, different, equivalent }, at) => {
        const [rule, mean] = [rules[at], (used / campaigns).toFixed(1)];
        return `${rule ? `${rule.confidence}, ${rule.difference}, ${rule.equivalence}` : 'never'}: ${mean}, ${percent(different / campaigns)}, ${percent(equivalent / campaigns)}`;
      });
      console.log(`  sd ${sd.toFixed(2)}, differ by ${percent(difference)}: ${words.join('   ')}`);
    }
  }
}

function cost(): void {
  const campaigns = Math.ceil(repetitions / 4);
  console.log(`What ${rounds} to ${maximumRounds} rounds find, ${campaigns} campaigns each; normal log-ratios; equivalence within ±5 %`);
  for (const sd of [0.1, 0.25]) {
    for (const difference of [0, 0.01, 0.03, 0.05, 0.1, 0.2]) {
      let [found, used, fixed, different, equivalent, usedByBoth] = [0, 0, 0, 0, 0, 0];
      for (let i = 0; i < campaigns; i++) {
        const logRatios = roundsOf(() => (sd / Math.SQRT2) * normal(), Math.log1p(difference));
        const ps = psOf(single, logRatios);
        const at = single.findIndex(({ level }, k) => (ps[k] as number) <= level);
        if (at !== -1) found++;
        used += (single[at] ?? (single.at(-1) as Look)).rounds;
        if ((ps.at(-1) as number) <= alpha) fixed++;
        const end = single.findIndex(
          ({ rounds: n, level }, k) => k === at || equivalence(logRatios.slice(0, n), { alpha: level })?.equivalent,
        );
        if (end !== -1 && end === at) different++;
        else if (end !== -1) equivalent++;
        usedByBoth += (single[end] ?? (single.at(-1) as Look)).rounds;
      }
      const [a, b, c, d] = [found, fixed, different, equivalent].map((count) => percent(count / campaigns));
      const mean = (sum: number) => (sum / campaigns).toFixed(1);
      console.log(
        `  sd ${sd.toFixed(2)}, shift ${percent(difference)}: found ${a} in ${mean(used)} rounds, by one look at ${maximumRounds} ${b}; with equivalence: different ${c}, equivalent ${d}, ${mean(usedByBoth)} rounds`,
      );
    }
  }
}

/** Of alpha, what is used up when a share t of the rounds is done (Lan & DeMets 1983; two-sided). */
const spendings: Record<string, (t: number) => number> = {
  linear: (t) => alpha * t,
  'O’Brien–Fleming': (t) => 4 - 4 * normalCdf(-normalQuantile(alpha / 4) / Math.sqrt(t)),
  Pocock: (t) => alpha * Math.log1p((Math.E - 1) * t),
  'at the last look only': (t) => (t === 1 ? alpha : 0),
};

/** At the looks that `planLooks` makes, for one comparison. */
function looksBy(spending: (t: number) => number): Look[] {
  const looks: Look[] = [];
  let spent = 0;
  for (const { rounds: n } of single) {
    const level = spending(n / maximumRounds) - spent;
    if (2 ** (1 - n) > level) continue;
    looks.push({ rounds: n, level });
    spent += level;
  }
  return looks;
}

function spendingFunctions(): void {
  const campaigns = Math.ceil(repetitions / 2);
  console.log(`Ways to spend alpha by the union bound: power and mean rounds, ${campaigns} campaigns each, normal log-ratios`);
  const plans = Object.entries(spendings).map(([name, spending]) => ({ name, looks: looksBy(spending) }));
  for (const { name, looks } of plans) console.log(`  ${name.padEnd(22)} looks at (level): ${planWords(looks)}`);
  for (const sd of [0.1, 0.25]) {
    for (const difference of [0, 0.05, 0.1, 0.2]) {
      const sums = plans.map(() => ({ found: 0, used: 0 }));
      for (let i = 0; i < campaigns; i++) {
        const logRatios = roundsOf(() => (sd / Math.SQRT2) * normal(), Math.log1p(difference));
        const pAt = new Map(psOf(single, logRatios).map((p, k) => [single[k]?.rounds, p]));
        for (const [place, { looks }] of plans.entries()) {
          const at = looks.find((look) => (pAt.get(look.rounds) as number) <= look.level);
          const sum = sums[place] as { found: number; used: number };
          if (at) sum.found++;
          sum.used += at?.rounds ?? maximumRounds;
        }
      }
      const words = sums.map(
        ({ found, used }, place) => `${plans[place]?.name} ${percent(found / campaigns)} in ${(used / campaigns).toFixed(1)}`,
      );
      console.log(`  sd ${sd.toFixed(2)}, shift ${percent(difference)}: ${words.join('   ')}`);
    }
  }
}

falsePositives();
cost();
together();
givingUp();
spendingFunctions();
