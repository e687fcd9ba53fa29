// Visits that record a netlog beside visits that do not: times, length of the visit, size. Two without (A/A) show what chance alone does.
// Takes 3 minutes, as root. node bench link/netlog [ROUNDS, default 20] [SITE] [CONDITION] [FILE]
//
// FILE gets a line for each round.
import { appendFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { type Interval, median, medianInterval, randomSource, shuffle } from '../../packages/core/src/math/index.ts';
import { pairedTest } from '../../packages/core/src/verdict/index.ts';
import { type Measured, openLab, presetOf } from '../shared/lab.ts';

const [roundCount = '20', name = 'article', conditionName = 'native', file] = process.argv.slice(2);
const condition = presetOf(conditionName);
const protocols = ['h2', 'h3'] as const;
const slots = ['without', 'again', 'with'] as const;
const metrics = ['ttfb', 'firstContentfulPaint', 'largestContentfulPaint', 'speedIndex', 'onLoad'] as const;

await using lab = await openLab([condition]);
const site = lab.origin.sites.find((one) => one.name === name);
if (site === undefined) throw new Error(`The demo has no page ${name}.`);
await lab.under(condition);

type Times = Record<(typeof metrics)[number] | 'tookMs', number>;
interface Log {
  events: number;
  bytes: number;
  gzipped: number;
}
interface Block {
  times: Record<(typeof slots)[number], Times>;
  raw: Log;
  kept: Log;
}
const blocks: Record<(typeof protocols)[number], Block[]> = { h2: [], h3: [] };
const random = randomSource(1);
for (let round = 1; round <= Number(roundCount); round++) {
  for (const protocol of shuffle(protocols, random)) {
    const visits: Partial<Record<(typeof slots)[number], Measured | undefined>> = {};
    for (const slot of shuffle(slots, random)) {
      const wishes = { protocols: [protocol], ...(slot === 'with' ? { netlog: 'raw' as const } : {}) };
      visits[slot] = (await lab.visit(site.url, 1, wishes))[protocol][0];
    }
    const { without, again, with: recorded } = visits;
    if (without === undefined || again === undefined || recorded === undefined) continue;
    const { rawNetlog, evidence } = recorded.loaded;
    const block: Block = {
      times: { without: timesOf(without), again: timesOf(again), with: timesOf(recorded) },
      raw: logOf(rawNetlog ?? [], rawNetlog?.length ?? 0),
      kept: logOf(evidence.netlog ?? null, evidence.netlog?.events.length ?? 0),
    };
    blocks[protocol].push(block);
    if (file !== undefined) appendFileSync(file, `${JSON.stringify({ round, protocol, ...block })}\n`);
  }
}

console.log(`${name} under ${condition.name}; medians of ${blocks.h2.length} rounds over HTTP/2, ${blocks.h3.length} over HTTP/3.`);
for (const protocol of protocols) {
  const rounds = blocks[protocol];
  console.log(`\n${protocol}: ratio of a round's two visits, median and its 95 % interval`);
  console.table(
    Object.fromEntries(
      [...metrics, 'tookMs' as const].map((metric) => {
        const of = (slot: (typeof slots)[number]) => rounds.map(({ times }) => times[slot][metric]);
        const [without, again, recorded] = [of('without'), of('again'), of('with')];
        return [
          metric === 'tookMs' ? 'whole visit' : metric,
          {
            'without, ms': Math.round(median(without)),
            'with, ms': Math.round(median(recorded)),
            'again ÷ without': ratios(again, without),
            'with ÷ without': ratios(recorded, without),
            'again, p': pOf(again, without),
            'with, p': pOf(recorded, without),
          },
        ];
      }),
    ),
  );
  for (const [words, which] of [
    ['a netlog', 'raw'],
    ['what of it is kept', 'kept'],
  ] as const) {
    const middle = (of: keyof Log) => median(rounds.map((block) => block[which][of]));
    console.log(`${words}: ${middle('events')} events, ${kilobytes(middle('bytes'))}, gzipped ${kilobytes(middle('gzipped'))}`);
  }
}

function timesOf(visit: Measured): Times {
  const times = metrics.map((metric) => [metric, visit[metric] ?? Number.NaN]);
  return Object.fromEntries([...times, ['tookMs', visit.tookMs]]);
}

function logOf(log: unknown, events: number): Log {
  const text = JSON.stringify(log);
  return { events, bytes: text.length, gzipped: gzipSync(text).length };
}

/** Of the exact test by round that verdicts use. */
function pOf(candidate: readonly number[], baseline: readonly number[]): string {
  const pairs = candidate.map((value, round) => ({ candidate: value, baseline: baseline[round] ?? Number.NaN }));
  const p = pairedTest(pairs)?.p;
  return p === undefined ? '–' : p < 0.001 ? '< 0.001' : p.toFixed(3);
}

function ratios(over: readonly number[], under: readonly number[]): string {
  const each = over.map((value, round) => value / (under[round] ?? Number.NaN));
  const interval: Interval | null = medianInterval(each);
  const words = interval === null ? 'too few rounds' : `${interval.low.toFixed(3)} to ${interval.high.toFixed(3)}`;
  return `${median(each).toFixed(3)} (${words})`;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`;
}
