// What it does to look again and again until a comparison is settled: false claims without a difference, by the rule of sequential.ts and
// without one, for data of three kinds; what the rule costs in rounds and power; and other ways to spend alpha beside it. Seeded.
// node bench/statistics/sequential.ts [REPETITIONS]
import {
  adjustPValues,
  type Look,
  planLooks,
  proportion,
  randomSource,
  sequentialP,
  signedRankTest,
} from '../../packages/core/src/index.ts';
import { normalCdf, normalQuantile } from '../../packages/core/src/statistics/distributions.ts';
import { equivalence } from '../../packages/core/src/statistics/equivalence.ts';

const repetitions = Number(process.argv[2] ?? 4000);
const [rounds, maximumRounds, alpha, comparisons] = [10, 60, 0.05, 12];
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

/** A campaign of several comparisons: for each the look at which it was found different, -1 where at none. */
function settledAt(looks: readonly Look[], family: readonly (readonly number[])[], by: 'rule' | 'naive'): number[] {
  const settled = family.map(() => -1);
  const ps: number[][] = family.map(() => []);
  for (const [k, look] of looks.entries()) {
    for (const [i, logRatios] of family.entries()) if (settled[i] === -1) ps[i]?.push(signedRankTest(logRatios.slice(0, look.rounds)).p);
    const adjusted = adjustPValues(ps.map((each) => (by === 'rule' ? sequentialP(looks, each) : (each.at(-1) as number))));
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
const ofFamily = planLooks({ rounds, maximumRounds, comparisons });

function falsePositives(): void {
  console.log(`False claims without a difference, ${repetitions} campaigns each, with 95 % intervals`);
  console.log(`  looks at (level): ${planWords(single)}; for ${comparisons} comparisons: ${planWords(ofFamily)}`);
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
  const campaigns = Math.ceil(repetitions / 4);
  console.log(`Any false claim among ${comparisons} comparisons by Holm, ${campaigns} campaigns each`);
  for (const [kind, noise] of Object.entries(kinds)) {
    for (const different of [0, comparisons / 2]) {
      let [byRule, naive] = [0, 0];
      for (let i = 0; i < campaigns; i++) {
        const family = Array.from({ length: comparisons }, (_, place) => roundsOf(noise, place < different ? 0.2 : 0));
        const falseClaim = (by: 'rule' | 'naive', looks: readonly Look[]) =>
          settledAt(looks, family, by)
            .slice(different)
            .some((look) => look !== -1);
        if (falseClaim('rule', ofFamily)) byRule++;
        if (falseClaim('naive', single)) naive++;
      }
      const name = `${different} of them differ by 20 %, ${kind}`.padEnd(38);
      console.log(`  ${name}  rule ${shareWords(byRule, campaigns)}   Holm at 0.05 at each look ${shareWords(naive, campaigns)}`);
    }
  }
}

function cost(): void {
  const campaigns = Math.ceil(repetitions / 4);
  console.log(`What ${rounds} to ${maximumRounds} rounds find, ${campaigns} campaigns each; normal log-ratios; equivalence within ±5 %`);
  for (const sd of [0.1, 0.25]) {
    for (const difference of [0, 0.01, 0.05, 0.1, 0.2]) {
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
spendingFunctions();
