// Tests of interactions where there is none, beside studies where there are: errors and power, and those of a test that does not fit again.
// Takes TT. node bench statistics/factorial [STUDIES, default 1000] [ROUNDS, default 3]
//
// Studies have 2 × 2 × 3 combinations. Seeded.

import { interactionsOf, type RatioCell } from '../../packages/core/src/campaign/factorial/interactions.ts';
import { type RandomSource, randomSource, shuffle } from '../../packages/core/src/math/random.ts';

const studies = Number(process.argv[2] ?? 1_000);
const rounds = Number(process.argv[3] ?? 3);
const permutations = 499;
const levels = { method: ['GET', 'POST'], payload: ['2 MB', '10 MB'], condition: ['native', 'medium', 'poor'] };

const normal = (random: RandomSource) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
/** Student’s t of 3 degrees of freedom: a slow run now and then. */
const heavy = (random: RandomSource) => normal(random) / Math.sqrt((normal(random) ** 2 + normal(random) ** 2 + normal(random) ** 2) / 3);

interface World {
  name: string;
  /** ln of the ratio. */
  effect(place: Record<keyof typeof levels, number>): number;
  /** Standard deviation of rounds. */
  spread?(condition: number): number;
  noise?: (random: RandomSource) => number;
  isFraction?: boolean;
}
const factors = ({ method, payload, condition }: Record<string, number>) =>
  0.3 * (method ?? 0) - 0.5 * (payload ?? 0) - 0.4 * (condition ?? 0);
const worlds: World[] = [
  { name: 'nothing', effect: () => -0.2 },
  { name: 'each factor by itself', effect: factors },
  { name: 'the same, slow runs now and then', effect: factors, noise: heavy },
  { name: 'the same, spread × 5 under poor', effect: factors, spread: (condition) => [0.1, 0.2, 0.5][condition] ?? 0.1 },
  { name: 'the same, of two conditions half', effect: factors, isFraction: true },
  { name: 'nothing, spread × 5 under poor', effect: () => -0.2, spread: (condition) => [0.1, 0.2, 0.5][condition] ?? 0.1 },
  { name: 'payload × condition of 15 %', effect: (at) => factors(at) + (at.payload === 1 && at.condition === 2 ? 0.28 : 0) },
];

function study({ effect, spread = () => 0.1, noise = normal, isFraction = false }: World, random: RandomSource): RatioCell[] {
  return levels.method.flatMap((method, m) =>
    levels.payload.flatMap((payload, p) =>
      levels.condition.flatMap((condition, c): RatioCell[] => {
        if (isFraction && (c === 2 || (m + p + c) % 2 !== 0)) return [];
        const middle = effect({ method: m, payload: p, condition: c });
        const logRatios = Array.from({ length: rounds }, () => middle + spread(c) * noise(random));
        return [{ levels: { method, payload, condition }, logRatios }];
      }),
    ),
  );
}

/** Residuals of both main effects, exchanged within the method: what is exchanged has main effects again, and what was found has none. */
function unfitted(cells: readonly RatioCell[], random: RandomSource): number {
  const middle = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const strata = [...Map.groupBy(cells, ({ levels: { method } }) => method).values()].map((its) => {
    let found = its.flatMap(({ levels: at, logRatios }) => logRatios.map((value) => ({ at, value })));
    for (const factor of ['none', 'payload', 'condition'] as const) {
      const means = new Map(
        [...Map.groupBy(found, ({ at }) => at[factor] ?? '')].map(([level, those]) => [level, middle(those.map(({ value }) => value))]),
      );
      found = found.map(({ at, value }) => ({ at, value: value - (means.get(at[factor] ?? '') ?? 0) }));
    }
    return { labels: found.map(({ at }) => `${at.payload} ${at.condition}`), values: found.map(({ value }) => value) };
  });
  const statistic = (labels: readonly (readonly string[])[]) => {
    const all = strata.flatMap(({ values }, n) => values.map((value, i) => ({ value, label: labels[n]?.[i] ?? '' })));
    return [...Map.groupBy(all, ({ label }) => label).values()].reduce(
      (sum, those) => sum + those.length * middle(those.map(({ value }) => value)) ** 2,
      0,
    );
  };
  const observed = statistic(strata.map(({ labels }) => labels));
  let beyond = 1;
  for (let n = 0; n < permutations; n++) if (statistic(strata.map(({ labels }) => shuffle(labels, random))) >= observed) beyond += 1;
  return beyond / (permutations + 1);
}

console.log(
  `${studies} studies of ${rounds} rounds in each combination: per cent with p ≤ 0.05, ± ${(196 * Math.sqrt((0.05 * 0.95) / studies)).toFixed(1)} at 5`,
);
const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const terms = ['method', 'payload', 'condition', 'method × payload', 'method × condition', 'payload × condition'];
console.log(line(['the ratio depends on', ...terms, 'payload × condition, unfitted']));
console.log(line(Array.from({ length: terms.length + 2 }, () => '---')));
for (const world of worlds) {
  const named = new Map<string, number>();
  let [random, shy] = [randomSource(1), 0];
  for (let n = 0; n < studies; n++) {
    const cells = study(world, random);
    for (const { factors: of, p } of interactionsOf(cells, n, permutations))
      named.set(of.join(' × '), (named.get(of.join(' × ')) ?? 0) + (p === null ? Number.NaN : Number(p <= 0.05)));
    if (!world.isFraction && n < studies / 5) shy += Number(unfitted(cells, random) <= 0.05);
  }
  const percent = (count: number | undefined, of = studies) =>
    count === undefined || Number.isNaN(count) ? '–' : ((100 * count) / of).toFixed(1);
  console.log(line([world.name, ...terms.map((term) => percent(named.get(term))), world.isFraction ? '–' : percent(shy, studies / 5)]));
}
