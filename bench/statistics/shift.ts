// What the shift of one sample against another costs, counted along the sorted samples, and with all differences written down: time and
// memory of both in one run, and whether they agree. `node bench/statistics/shift.ts [VALUES …]`: of each sample, default 30 to 10,000.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { hodgesLehmannShift, randomSource } from '../../packages/core/src/math/index.ts';

type Selecting = { quickselect(values: Float64Array, place: number): void };
const { quickselect } = createRequire(import.meta.resolve('../../packages/core/src/math/index.ts'))('simple-statistics') as Selecting;

const ways = ['written down', 'counted'] as const;
type Way = (typeof ways)[number];
type Cost = { ms: number; bytes: number; estimate: number };

function samplesOf(size: number): [number[], number[]] {
  const random = randomSource(size);
  const sample = () => Array.from({ length: size }, () => (1000 * (0.8 + 0.4 * random())) / (random() < 0.05 ? 0.4 : 1));
  return [sample(), sample()];
}

/** The median and the ends of an interval, of all differences. */
function writtenDown(x: readonly number[], y: readonly number[]): number {
  const differences = new Float64Array(x.length * y.length);
  let place = 0;
  for (const first of x) for (const second of y) differences[place++] = first - second;
  const at = (wanted: number) => {
    quickselect(differences, wanted);
    return differences[wanted] as number;
  };
  const count = differences.length;
  const depth = Math.floor(count * 0.48);
  const upper = at(count >> 1);
  const estimate = count % 2 === 1 ? upper : (at((count >> 1) - 1) + upper) / 2;
  return at(depth) > at(count - 1 - depth) ? Number.NaN : estimate;
}

function costOf(way: Way, size: number): Cost {
  const [x, y] = samplesOf(size);
  const compute = () => (way === 'counted' ? hodgesLehmannShift(x, y).estimate : writtenDown(x, y));
  const base = process.resourceUsage().maxRSS;
  // Small ones again and again: compiled, and long enough to be timed.
  const times = Math.max(1, Math.ceil(3e6 / size ** 2));
  const start = process.cpuUsage();
  let estimate = 0;
  for (let i = 0; i < times; i++) estimate = compute();
  const { user, system } = process.cpuUsage(start);
  return { ms: (user + system) / 1000 / times, bytes: 1024 * (process.resourceUsage().maxRSS - base), estimate };
}

const [first, second] = process.argv.slice(2);
if (ways.includes(first as Way)) console.log(JSON.stringify(costOf(first as Way, Number(second))));
else {
  const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [30, 100, 300, 1000, 3000, 10_000];
  console.log('values | written down | counted | ratio of time | of memory');
  for (const size of sizes) {
    const [before, after] = ways.map((way) => {
      const { stdout, stderr } = spawnSync(process.execPath, [import.meta.filename, way, String(size)], { encoding: 'utf8' });
      if (stdout === '') throw new Error(stderr);
      return JSON.parse(stdout) as Cost;
    }) as [Cost, Cost];
    if (before.estimate !== after.estimate) throw new Error(`${size} values: ${after.estimate}, expected ${before.estimate}`);
    const written = ({ ms, bytes }: Cost) => `${ms.toPrecision(3)} ms, ${(bytes / 1e6).toFixed(1)} MB`;
    const ratios = [before.ms / after.ms, before.bytes / Math.max(1e6, after.bytes)].map((ratio) => `${ratio.toPrecision(2)} ×`);
    console.log(`${size} and ${size} | ${written(before)} | ${written(after)} | ${ratios.join(' | ')}`);
  }
}
