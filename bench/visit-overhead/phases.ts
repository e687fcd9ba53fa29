// Phases of visits in Chromes of their own, beside visits in contexts, and beside those of another checkout of the project.
// Takes 3 minutes. node bench visit-overhead/phases [VISITS OF EACH, default 20] [--beside CHECKOUT] [--quiet MS] [--seed N] [--site NAME, default shop]
//
// CHECKOUT has its packages installed. Its visits are made in the same run, in turn with these.
import { subscribe } from 'node:diagnostics_channel';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { median, randomSource, shuffle } from '../../packages/core/src/math/index.ts';
import { defaultLimits } from '../../packages/core/src/schemas/index.ts';
import type * as Deriving from '../../packages/runner/src/derive/outcome.ts';
import type * as Runner from '../../packages/runner/src/index.ts';
import { phaseChannel } from '../../packages/runner/src/machine/phases.ts';
import { ratio } from '../shared/figures.ts';
import { openSite } from './src/site.ts';

/** Of one kind, before it is the next one's turn. The first of them is not counted: it begins after a pause. */
const blockVisits = 5;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    beside: { type: 'string' },
    quiet: { type: 'string', default: '100' },
    site: { type: 'string', default: 'shop' },
    seed: { type: 'string', default: `${Date.now() % 2 ** 31}` },
  },
});
const [visits, quietMs, seed] = [Number(positionals[0] ?? 20), Number(values.quiet), Number(values.seed)];
if (!(visits > 0 && quietMs >= 0 && seed >= 0)) throw new Error('Visits, --quiet and --seed are expected as numbers.');
const here = resolve(import.meta.dirname, '../..');
const checkouts = [here, ...(values.beside === undefined ? [] : [resolve(values.beside)])];

interface Way {
  name: string;
  visit(): Promise<Map<string, number>>;
  close(): Promise<void>;
  seen: Map<string, number>[];
}

let marks: { phase: string; at: number }[] = [];
subscribe(phaseChannel, (mark) => void marks.push(mark as (typeof marks)[number]));
const site = await openSite(values.site);
const ways: Way[] = [];
for (const checkout of checkouts) for (const isolation of ['context', 'process'] as const) ways.push(await openWay(checkout, isolation));
try {
  const random = randomSource(seed);
  for (let made = 0; made < visits; made += blockVisits) {
    for (const { visit, seen } of shuffle(ways, random)) {
      for (let i = -1; i < blockVisits; i++) {
        const phases = await visit();
        if (i >= 0) seen.push(phases);
      }
      // What it opens ahead comes to rest before the next one's turn.
      await new Promise((rested) => setTimeout(rested, 1_500));
    }
  }
} finally {
  for (const { close } of ways) await close();
  await site.stop();
}
print();

async function openWay(checkout: string, isolation: 'context' | 'process'): Promise<Way> {
  const source = (path: string) => import(pathToFileURL(`${checkout}/packages/runner/src/${path}`).href);
  const { openLink, puppeteerEngine } = (await source('index.ts')) as typeof Runner;
  const { deriveOutcome } = (await source('derive/outcome.ts')) as typeof Deriving;
  const link = await openLink({ choice: 'direct', conditions: [], outside: true });
  const { hostname } = new URL(site.url);
  const engine = puppeteerEngine({ trust: site.trust, serves: (name) => name === hostname, settings: {} }, link.vantagePoint);
  const choices = { url: site.url, protocol: 'h2', discovery: 'forced', view: 'cold', forced: [] } as const;
  const visit = async (): Promise<Map<string, number>> => {
    marks = [];
    const start = performance.now();
    const { evidence } = await engine.load({ ...choices, isolation, browser: 'chrome', limits: { ...defaultLimits, quietMs } });
    const loaded = performance.now();
    // On a busy machine too: both checkouts have the same one.
    const { outcome } = await deriveOutcome({ ...choices, expectStatus: 200, finalUrl: site.url, usual: null }, evidence, 1);
    const derived = performance.now();
    if (outcome.verdict === 'invalid' || evidence.page === null) {
      console.error(`once more: ${JSON.stringify(outcome).slice(0, 200)}`);
      return await visit();
    }
    const { loadEventEnd, speedIndex, largestContentfulPaint } = outcome.metrics;
    const navigation = evidence.page.timeOrigin - performance.timeOrigin;
    const inTime = [
      ...marks.filter(({ at }) => at <= loaded),
      { phase: 'navigation begun', at: navigation },
      { phase: 'load', at: navigation + loadEventEnd },
      { phase: 'loaded', at: loaded },
      { phase: 'derived', at: derived },
    ].sort((a, b) => a.at - b.at);
    const phases = new Map<string, number>();
    let before = start;
    for (const { phase, at } of inTime) {
      phases.set(phase, (phases.get(phase) ?? 0) + at - before);
      before = at;
    }
    const wallMs = derived - start;
    const settledMs = evidence.settled?.ms ?? Number.NaN;
    phases.set('= beyond the load', wallMs - loadEventEnd);
    phases.set('= beyond load and settling', wallMs - loadEventEnd - settledMs);
    phases.set('= settling', settledMs);
    phases.set('= onLoad', loadEventEnd);
    phases.set('= SpeedIndex', speedIndex ?? Number.NaN);
    phases.set('= LCP', largestContentfulPaint ?? Number.NaN);
    return phases;
  };
  const close = async () => {
    await engine.close();
    await link.close();
  };
  return { name: `${checkout === here ? 'here' : basename(checkout)}, ${isolation}`, visit, close, seen: [] };
}

/** Medians over visits, ms; a phase that a visit found done ahead took it no time. */
function print(): void {
  console.log(
    `${ways[0]?.seen.length} visits each of ${values.site}, quiet ${quietMs} ms, seed ${seed}; medians, ms; each phase is told by its end\n`,
  );
  const names = [...new Set(ways.flatMap(({ seen }) => seen.flatMap((phases) => [...phases.keys()])))];
  const isSum = (name: string) => name.startsWith('= ');
  const line = (cells: readonly string[]) => cells.map((cell, i) => (i === 0 ? cell.padEnd(28) : cell.padStart(22))).join('');
  console.log(line(['', ...ways.flatMap(({ name }, i) => (i === 0 ? [name] : [name, '÷ first']))]));
  for (const name of [...names.filter((one) => !isSum(one)), ...names.filter(isSum)]) {
    const medians = ways.map(({ seen }) => median(seen.map((phases) => phases.get(name) ?? 0)));
    const [first = 0] = medians;
    const ratioOf = (value: number) => (first > 0 ? ratio(value, first) : '–');
    console.log(line([name, ...medians.flatMap((value, i) => (i === 0 ? [value.toFixed(1)] : [value.toFixed(1), ratioOf(value)]))]));
  }
}
