// How often a regression is named where nothing changed, and where a page takes 20 % longer, beside the prediction interval of
// Student's t (one-sided, Holm), which needs one night less and normal nights.
// And how often a test over visits does. Seeded. node bench/statistics/regression-rates.ts [campaigns]
import { nightDistributions } from '../../packages/core/fixtures/night-distributions.ts';
import { randomSource } from '../../packages/core/src/random.ts';
import { studentTQuantile } from '../../packages/core/src/statistics/distributions.ts';
import { mannWhitneyTest } from '../../packages/core/src/statistics/mann-whitney.ts';
import { findRegressions } from '../../packages/core/src/statistics/regression.ts';

const campaigns = Number(process.argv[2] ?? 2_000);
const threshold = 0.1;

/** @param resemblance of a night to the one before: the coefficient of AR(1). */
function nightsOf(draw: () => number, nights: number, series: number, spread: number, factor: number, resemblance: number): number[][] {
  return Array.from({ length: series }, (_, place) => {
    let noise = draw();
    return Array.from({ length: nights }, (_, night) => {
      noise = resemblance * noise + Math.sqrt(1 - resemblance ** 2) * draw();
      return Math.log(1000) + spread * noise + (place === 0 && night >= nights - 2 ? Math.log(factor) : 0);
    });
  });
}

const named = (logs: number[][]) =>
  findRegressions(
    logs.map((series) => ({ medians: series.map(Math.exp) })),
    threshold,
  ).map(({ place }) => place);

/** Of the last night against those before, the one before it left out: as many as the other has. */
function namedByT(logs: number[][]): number[] {
  return logs.flatMap((series, place) => {
    const [before, last] = [series.slice(0, -2), series.at(-1) as number];
    const n = before.length;
    const mean = before.reduce((sum, value) => sum + value, 0) / n;
    const sd = Math.sqrt(before.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1));
    const beyond = (last - mean) / (sd * Math.sqrt(1 + 1 / n)) > studentTQuantile(1 - 0.05 / logs.length, n - 1);
    return beyond && last - mean >= Math.log(1 + threshold) ? [place] : [];
  });
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`.padStart(8);
const share = (count: number) => percent(count / campaigns);

console.log(`${campaigns} campaigns each; share that names any series where nothing changed, and the first where it takes 20 % longer`);
console.log('nights series spread  nights’ distribution     false: ours       t    found: ours       t');
for (const [name, resemblance] of [
  ['normal', 0],
  ['heavyTailed', 0],
  ['contaminated', 0],
  ['skewed', 0],
  ['verySkewed', 0],
  ['normal', 0.3],
  ['normal', 0.6],
] as const) {
  for (const nights of [9, 16]) {
    for (const series of [1, 6, 24]) {
      for (const spread of [0.03, 0.05, 0.15]) {
        const draw = nightDistributions(randomSource(1))[name];
        let [ours, t, oursFound, tFound] = [0, 0, 0, 0];
        for (let i = 0; i < campaigns; i++) {
          const same = nightsOf(draw, nights, series, spread, 1, resemblance);
          if (named(same).length > 0) ours++;
          if (namedByT(same).length > 0) t++;
          const slower = nightsOf(draw, nights, series, spread, 1.2, resemblance);
          if (named(slower).includes(0)) oursFound++;
          if (namedByT(slower).includes(0)) tFound++;
        }
        const what = resemblance === 0 ? name : `${name}, like the night before: ${resemblance}`;
        console.log(
          `${nights - 2} + 2 ${String(series).padStart(6)} ${percent(spread)}  ${what.padEnd(34)} ${share(ours)} ${share(t)}       ${share(oursFound)} ${share(tFound)}`,
        );
      }
    }
  }
}

console.log('\nMann–Whitney over visits, 20 of tonight against 140 of seven nights, one comparison: where nothing changed, p < 0.05 in');
for (const spread of [0, 0.02, 0.03, 0.05]) {
  const draw = nightDistributions(randomSource(1)).normal;
  const night = () => {
    const ofNight = spread * draw();
    return Array.from({ length: 20 }, () => Math.exp(ofNight + 0.1 * draw()));
  };
  let found = 0;
  for (let i = 0; i < campaigns; i++) {
    const tonight = night();
    if (mannWhitneyTest(tonight, Array.from({ length: 7 }, night).flat()).p < 0.05) found++;
  }
  console.log(`${share(found)}  where visits differ by 10 % and nights by ${percent(spread).trim()}`);
}
