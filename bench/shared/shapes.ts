// Seeded random numbers of the shapes that load times have, and worse ones, for the simulations beside this file.
import { randomSource } from '../../packages/core/src/math/index.ts';

/** All simulations draw from it, in a fixed order, so a script prints the same figures each time. */
export const random = randomSource(20260210);

export const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
export const exponential = () => -Math.log(1 - random());
/** ÷ this, a normal number becomes one of Student's t with 3 degrees of freedom. */
export const t3Scale = () => Math.sqrt((normal() ** 2 + normal() ** 2 + normal() ** 2) / 3);

/** Paint times as Chrome reports them: of steady pages a few multiples of 4 ms, or of a frame of 60 Hz. */
const onGrid = (step: number, deviation: number) => () => Math.round((500 + deviation * normal()) / step) * step;
/** Distributions with one mode whose values lie on a grid. */
export const gridded: Record<string, () => number> = Object.fromEntries([
  ...[2, 4, 6, 12, 30].map((deviation) => [`normal, σ ${deviation} ms, on 4 ms`, onGrid(4, deviation)] as const),
  ...[4, 8, 16, 30].map((deviation) => [`normal, σ ${deviation} ms, on 16.7 ms`, onGrid(1000 / 60, deviation)] as const),
]);

/** Distributions with one mode, by name. Uniform pieces are the hardest to distinguish from two modes, above all a peak before a plateau. */
export const unimodal: Record<string, () => number> = {
  normal,
  'log-normal, σ 0.5': () => Math.exp(0.5 * normal()),
  'log-normal, σ 1.5': () => Math.exp(1.5 * normal()),
  exponential,
  'Pareto, α 3': () => (1 - random()) ** (-1 / 3),
  'Pareto, α 1': () => 1 / (1 - random()),
  Laplace: () => exponential() * (random() < 0.5 ? -1 : 1),
  't, 3 df': () => normal() / t3Scale(),
  uniform: random,
  'plateau 5 × a peak of 30 %': () => random() * (random() < 0.3 ? 1 : 5),
  'plateau 20 × a peak of 40 %': () => random() * (random() < 0.4 ? 1 : 20),
  'plateau 100 × a peak of 30 %': () => random() * (random() < 0.3 ? 1 : 100),
  'plateau 10,000 × a peak of 40 %': () => random() * (random() < 0.4 ? 1 : 10_000),
  'peak of 40 % inside a plateau': () => random() * (random() < 0.4 ? 1 : random() < 0.5 ? -20 : 20),
};
