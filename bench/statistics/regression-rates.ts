// Regressions named where nothing changed, beside nights where a page takes 20 % longer; by the rule, and by four other rules.
// Takes 10 minutes. node bench statistics/regression-rates [CAMPAIGNS, default 2000]
//
// By night and by year. Other rules: all pairs of nights from the first on, the prediction interval of Student's t (one-sided, Holm), nights less
// their median over all series, and a test over visits. Also how often a trend is named where there is none. Seeded.
import { nightDistributions } from '../../packages/core/fixtures/night-distributions.ts';
import { mannWhitneyTest } from '../../packages/core/src/math/mann-whitney.ts';
import { studentTQuantile } from '../../packages/core/src/math/probability.ts';
import { proportion } from '../../packages/core/src/math/proportion.ts';
import { median } from '../../packages/core/src/math/quantile.ts';
import { randomSource } from '../../packages/core/src/math/random.ts';
import { autocorrelation, trend } from '../../packages/core/src/math/trend.ts';
import { findRegressions } from '../../packages/core/src/verdict/regression.ts';

const campaigns = Number(process.argv[2] ?? 2_000);
const threshold = 0.1;

type Nights = {
  draw: () => number;
  nights: number;
  series: number;
  /** Standard deviation of ln medians. */
  spread: number;
  /** Of a night to the one before: the coefficient of AR(1). */
  resemblance?: number;
  /** Share of the variance that all series of a night have in common: the machine, the network. */
  shared?: number;
  /** In the last two nights, of so many series. */
  factor?: number;
  slower?: number;
};

/** ln medians of each series. */
function nightsOf({ draw, nights, series, spread, resemblance = 0, shared = 0, factor = 1, slower = 1 }: Nights): number[][] {
  const walk = () => {
    let noise = draw();
    return Array.from({ length: nights }, () => {
      noise = resemblance * noise + Math.sqrt(1 - resemblance ** 2) * draw();
      return noise;
    });
  };
  const common = shared === 0 ? [] : walk();
  return Array.from({ length: series }, (_, place) => {
    const own = walk();
    return own.map((noise, night) => {
      const together = shared === 0 ? noise : Math.sqrt(shared) * (common[night] as number) + Math.sqrt(1 - shared) * noise;
      return Math.log(1000) + spread * together + (place < slower && night >= nights - 2 ? Math.log(factor) : 0);
    });
  });
}

/** Places of the series that are named. */
type Rule = (logs: readonly (readonly number[])[]) => number[];

const shipped: Rule = (logs) =>
  findRegressions(
    logs.map((series) => ({ medians: series.map(Math.exp) })),
    threshold,
  ).map(({ place }) => place);

/** The same statistic, with all pairs of nights as reference however many nights there are. */
const allPairs: Rule = (logs) => {
  const nights = logs[0]?.length ?? 0;
  const statistics = logs.map((series) => {
    const [sum, squares] = series.reduce(([a, b], value) => [a + value, b + value * value], [0, 0]) as [number, number];
    return (first: number, second: number) => {
      const [a, b] = [series[first] as number, series[second] as number];
      const others = nights - 2;
      const mean = (sum - a - b) / others;
      const sd = Math.sqrt(Math.max(1e-4, (squares - a * a - b * b - others * mean * mean) / (others - 1)));
      return { statistic: (Math.min(a, b) - mean) / sd, excess: Math.min(a, b) - mean };
    };
  });
  const largest: number[] = [];
  for (let second = 1; second < nights; second++) {
    for (let first = 0; first < second; first++) largest.push(Math.max(...statistics.map((of) => of(first, second).statistic)));
  }
  return statistics.flatMap((of, place) => {
    const { statistic, excess } = of(nights - 2, nights - 1);
    const p = largest.filter((other) => other >= statistic - 1e-9).length / largest.length;
    return p < 0.05 && excess >= Math.log1p(threshold) ? [place] : [];
  });
};

/** Of the last night against those before, the one before it left out: as many as the others have. */
const byT: Rule = (logs) =>
  logs.flatMap((series, place) => {
    const [before, last] = [series.slice(0, -2), series.at(-1) as number];
    const n = before.length;
    const mean = before.reduce((sum, value) => sum + value, 0) / n;
    const sd = Math.sqrt(before.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1));
    const beyond = (last - mean) / (sd * Math.sqrt(1 + 1 / n)) > studentTQuantile(1 - 0.05 / logs.length, n - 1);
    return beyond && last - mean >= Math.log1p(threshold) ? [place] : [];
  });

/** First removes the night's effect on the median series from all of them. */
const nightTakenOut: Rule = (logs) => {
  const centred = logs.map((series) => {
    const centre = median(series);
    return series.map((value) => value - centre);
  });
  const ofNight = (logs[0] ?? []).map((_, night) => median(centred.map((series) => series[night] as number)));
  return shipped(logs.map((series) => series.map((value, night) => value - (ofNight[night] as number))));
};

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
/** With the 95 % interval of the simulation. */
function share(count: number, of = campaigns): string {
  const { share: rate, low, high } = proportion(count, of);
  return `${percent(rate)} [${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}]`.padEnd(19);
}
const timesOf = (rule: Rule, given: Nights, isHit: (named: number[]) => boolean) => {
  let hits = 0;
  for (let i = 0; i < campaigns; i++) if (isHit(rule(nightsOf(given)))) hits++;
  return hits;
};
const any = (named: number[]) => named.length > 0;
const first = (named: number[]) => named.includes(0);
const drawOf = (name: keyof ReturnType<typeof nightDistributions>) => nightDistributions(randomSource(1))[name];

/** Of the shipped rule by how nights are spread, beside Student's t. */
function byDistribution(): void {
  console.log(`${campaigns} campaigns each; share that names any series where nothing changed, and the first where it takes 20 % longer`);
  console.log('before series spread  nights    | false: ours | t | found: ours | t');
  for (const name of ['normal', 'heavyTailed', 'contaminated', 'skewed', 'verySkewed'] as const) {
    for (const before of [7, 14, 28]) {
      for (const series of [1, 24]) {
        for (const spread of [0.03, 0.05, 0.15]) {
          const given = { draw: drawOf(name), nights: before + 2, series, spread };
          const falsely = [shipped, byT].map((rule) => share(timesOf(rule, given, any)));
          const found = [shipped, byT].map((rule) => share(timesOf(rule, { ...given, factor: 1.2 }, first)));
          console.log(
            `${before} + 2 ${String(series).padStart(4)} ${percent(spread)} ${name.padEnd(12)} | ${[...falsely, ...found].join(' | ')}`,
          );
        }
      }
    }
  }
}

/** Where a night resembles the one before. */
function byResemblance(): void {
  console.log('\n24 series, normal; as above, nights that resemble the one before by so much');
  console.log('before  resemblance | false, by 15 %: ours | all pairs | by 5 %: ours | all pairs | found, by 5 %: ours | all pairs');
  for (const resemblance of [0, 0.3, 0.6]) {
    for (const before of [7, 14, 20, 28, 60]) {
      const given = { nights: before + 2, series: 24, resemblance };
      const falsely = [0.15, 0.05].flatMap((spread) =>
        [shipped, allPairs].map((rule) => share(timesOf(rule, { ...given, spread, draw: drawOf('normal') }, any))),
      );
      const found = [shipped, allPairs].map((rule) =>
        share(timesOf(rule, { ...given, spread: 0.05, factor: 1.2, draw: drawOf('normal') }, first)),
      );
      console.log(`${String(before).padStart(2)} + 2  ${resemblance.toFixed(1)} | ${[...falsely, ...found].join(' | ')}`);
    }
  }
}

/** Shows whether it helps to remove the night's effect on the median series first. */
function byNightTakenOut(): void {
  console.log(
    '\n28 + 2 nights, 24 series of which a share of the variance is the night’s; ours, and with the night’s median taken out first',
  );
  console.log(
    'shared resemblance | false, by 15 % | taken out | found, one of 24 | taken out | any of six that are slower | taken out | any where all are | taken out',
  );
  for (const shared of [0, 0.5, 0.8]) {
    for (const resemblance of [0, 0.6]) {
      const given = { nights: 30, series: 24, shared, resemblance };
      const cells = [
        { spread: 0.15, is: any },
        { spread: 0.05, factor: 1.2, slower: 1, is: first },
        { spread: 0.05, factor: 1.2, slower: 6, is: any },
        { spread: 0.05, factor: 1.2, slower: 24, is: any },
      ].flatMap(({ is, ...more }) =>
        [shipped, nightTakenOut].map((rule) => share(timesOf(rule, { ...given, ...more, draw: drawOf('normal') }, is))),
      );
      console.log(`${shared.toFixed(1)} ${resemblance.toFixed(1)} | ${cells.join(' | ')}`);
    }
  }
}

/** Nights of a year that name something though nothing ever changed. */
function byYear(): void {
  const years = Math.max(4, Math.round(campaigns / 100));
  console.log(
    `\nNights that name any of so many series, in a year of nights without a change (${years} years each, 95 % interval of the mean)`,
  );
  console.log('before series spread resemblance | ours | all pairs');
  for (const before of [7, 14, 28]) {
    for (const series of [6, 24]) {
      for (const spread of [0.05, 0.1]) {
        for (const resemblance of [0, 0.3, 0.6]) {
          const draw = drawOf('normal');
          const rules = before < 20 ? [shipped] : [shipped, allPairs];
          const alarms = rules.map((): number[] => []);
          for (let year = 0; year < years; year++) {
            const logs = nightsOf({ draw, nights: 365 + before + 1, series, spread, resemblance });
            for (const [i, rule] of rules.entries()) {
              let nights = 0;
              for (let night = 0; night < 365; night++) if (any(rule(logs.map((one) => one.slice(night, night + before + 2))))) nights++;
              alarms[i]?.push(nights);
            }
          }
          const words = alarms.map((each) => {
            const mean = each.reduce((sum, value) => sum + value, 0) / years;
            const sd = Math.sqrt(each.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (years - 1));
            return `${mean.toFixed(1)} ± ${((1.96 * sd) / Math.sqrt(years)).toFixed(1)}`;
          });
          console.log(`${before} + 2 ${series} ${percent(spread)} ${resemblance.toFixed(1)} | ${words.join(' | ')}`);
        }
      }
    }
  }
}

/** How often a trend is reported of medians without one (Mann–Kendall), and how often without the hint that it may be a wander. */
function byTrend(): void {
  console.log(
    '\nA trend is told of campaigns without one | of these neighbours are not seen to resemble one another: told without a hedge if there were none for so few',
  );
  for (const resemblance of [0, 0.3, 0.6, 0.9]) {
    for (const nights of [10, 20, 29, 30, 60]) {
      const draw = drawOf('normal');
      let [told, plain] = [0, 0];
      for (let i = 0; i < campaigns; i++) {
        const [logs = []] = nightsOf({ draw, nights, series: 1, spread: 0.05, resemblance });
        if ((trend(logs)?.p ?? 1) >= 0.05) continue;
        told++;
        const neighbours = autocorrelation(logs, { seed: nights, resamples: 499 });
        if (!neighbours || neighbours.coefficient <= 0 || neighbours.p >= 0.05) plain++;
      }
      console.log(`${String(nights).padStart(2)} campaigns, resemblance ${resemblance.toFixed(1)} | ${share(told)} | ${share(plain)}`);
    }
  }
}

function overVisits(): void {
  console.log('\nMann–Whitney over visits, 20 of tonight against 140 of seven nights, one comparison: where nothing changed, p < 0.05 in');
  for (const spread of [0, 0.02, 0.03, 0.05]) {
    const draw = drawOf('normal');
    const night = () => {
      const ofNight = spread * draw();
      return Array.from({ length: 20 }, () => Math.exp(ofNight + 0.1 * draw()));
    };
    let found = 0;
    for (let i = 0; i < campaigns; i++) {
      const tonight = night();
      if (mannWhitneyTest(tonight, Array.from({ length: 7 }, night).flat()).p < 0.05) found++;
    }
    console.log(`${share(found)}  where visits differ by 10 % and nights by ${percent(spread)}`);
  }
}

byDistribution();
byResemblance();
byNightTakenOut();
byYear();
byTrend();
overVisits();
