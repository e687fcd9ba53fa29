// Modes found in samples with two, beside samples with one; and beside Hartigan's dip test.
// Takes TT. node bench statistics/modes [REPETITIONS]
//
// The second mode is one round trip later, in a share of the visits. The dip test's critical value is that of the uniform distribution. Seeded.
import { proportion } from '../../packages/core/src/math/index.ts';
import { findModes } from '../../packages/core/src/verdict/index.ts';
import { dip } from '../shared/dip.ts';
import { gridded, normal, random, unimodal } from '../shared/shapes.ts';

const repetitions = Number(process.argv[2] ?? 4000);
const sizes = [6, 8, 10, 20, 50, 100];

const samplesOf = (draw: () => number, n: number) =>
  Array.from({ length: repetitions }, () => Array.from({ length: n }, draw).sort((a, b) => a - b));
const percent = (share: number) => (100 * share).toFixed(1).padStart(5);
const header = (title: string) => console.log(`\n${title.padEnd(34)}${sizes.map((n) => `n = ${n}`.padStart(14)).join('')}`);

const criticalDips = new Map(
  sizes.map((n) => {
    const dips = samplesOf(random, n).map(dip);
    return [n, dips.sort((a, b) => a - b)[Math.floor(0.95 * repetitions)] as number];
  }),
);

let worst = { count: 0, name: '', n: 0 };
function shares(name: string, draw: () => number): string {
  const cells = sizes.map((n) => {
    const samples = samplesOf(draw, n);
    const found = samples.filter((sample) => findModes(sample)?.bimodal === true).length;
    const dipped = samples.filter((sample) => dip(sample) > (criticalDips.get(n) as number) + 1e-12).length;
    if ((name in unimodal || name in gridded) && found > worst.count) worst = { count: found, name, n };
    return `${percent(found / repetitions)} /${percent(dipped / repetitions)}`.padStart(14);
  });
  return `${name.padEnd(34)}${cells.join('')}`;
}

console.log(`Share of ${repetitions} samples that are taken for two modes, %: findModes / dip test at 0.05`);
header('One mode (wanted: at most 5)');
for (const [name, draw] of Object.entries({ ...unimodal, ...gridded })) console.log(shares(name, draw));
const { share, low, high } = proportion(worst.count, repetitions);
console.log(
  `worst of findModes: ${worst.name}, n = ${worst.n}: ${percent(share)} % (95 % interval ${percent(low)} to ${percent(high)}, of the largest of many)`,
);

header('Two modes, distance in deviations');
for (const distance of [4, 6, 8, 10, 15]) {
  for (const late of [0.3, 0.5, 0.7]) {
    console.log(shares(`${distance}, ${100 * late} % late`, () => normal() + (random() < late ? distance : 0)));
  }
}
console.log(shares('10, 50 % late, stragglers', () => normal() + (random() < 0.5 ? 10 : 0) + (random() < 0.05 ? 100 * random() : 0)));

header('A round trip of 100 ms more, 30 % late');
for (const deviation of [5, 10, 15, 30])
  console.log(shares(`σ ${deviation} ms`, () => 500 + deviation * normal() + (random() < 0.3 ? 100 : 0)));
for (const deviation of [5, 15]) {
  const onGrid = () => Math.round((500 + deviation * normal() + (random() < 0.3 ? 100 : 0)) / 4) * 4;
  console.log(shares(`σ ${deviation} ms, on 4 ms`, onGrid));
}

header('Cost, µs');
const cost = sizes.map((n) => {
  const samples = samplesOf(random, n);
  const start = performance.now();
  for (const sample of samples) findModes(sample);
  return ((1000 * (performance.now() - start)) / repetitions).toFixed(1).padStart(14);
});
console.log(`${'a sample'.padEnd(34)}${cost.join('')}`);
