// What recording a netlog costs: its size, the seconds of a visit, and what it does to the times that are measured. In each round, over each protocol, in
// random order: twice without (A/A: what chance alone does) and once with.
// Usage: node bench/netlog.ts [MINUTES] [SITE] [CONDITION]
import { gzipSync } from 'node:zlib';
import { type Interval, median, medianInterval, randomSource, shuffle } from '../packages/core/src/index.ts';
import { type Measured, openLab, presetOf } from './link/lab.ts';

const [minutes = '8', name = 'article', conditionName = 'native'] = process.argv.slice(2);
const condition = presetOf(conditionName);
const protocols = ['h2', 'h3'] as const;
const slots = ['without', 'again', 'with'] as const;
const metrics = ['ttfb', 'firstContentfulPaint', 'largestContentfulPaint', 'speedIndex', 'onLoad'] as const;

await using lab = await openLab([condition]);
const site = lab.origin.sites.find((one) => one.name === name);
if (site === undefined) throw new Error(`The demo has no page ${name}.`);
await lab.under(condition);

type Block = Record<(typeof slots)[number], Measured>;
const blocks: Record<(typeof protocols)[number], Block[]> = { h2: [], h3: [] };
const random = randomSource(1);
const end = performance.now() + Number(minutes) * 60_000;
while (performance.now() < end) {
  for (const protocol of shuffle(protocols, random)) {
    const block: Partial<Block> = {};
    for (const slot of shuffle(slots, random)) {
      const wishes = { protocols: [protocol], ...(slot === 'with' ? { netlog: 'raw' as const } : {}) };
      const [visit] = (await lab.visit(site.url, 1, wishes))[protocol];
      if (visit !== undefined) block[slot] = visit;
    }
    if (slots.every((slot) => block[slot] !== undefined)) blocks[protocol].push(block as Block);
  }
}

console.log(`${name} under ${condition.name}; medians of ${blocks.h2.length} rounds over HTTP/2, ${blocks.h3.length} over HTTP/3.`);
for (const protocol of protocols) {
  const rounds = blocks[protocol];
  console.log(`\n${protocol}: ratio of a round's two visits, median and its 95 % interval`);
  console.table(
    Object.fromEntries(
      [...metrics, 'tookMs' as const].map((metric) => {
        const of = (slot: (typeof slots)[number]) => rounds.map((block) => block[slot][metric] ?? Number.NaN);
        const [without, again, recorded] = [of('without'), of('again'), of('with')];
        return [
          metric === 'tookMs' ? 'whole visit' : metric,
          {
            'without, ms': Math.round(median(without)),
            'with, ms': Math.round(median(recorded)),
            'again ÷ without': ratios(again, without),
            'with ÷ without': ratios(recorded, without),
          },
        ];
      }),
    ),
  );
  const logs = rounds.map((block) => block.with.loaded);
  const sizes = (of: (one: (typeof logs)[number]) => unknown) => {
    const texts = logs.map((one) => JSON.stringify(of(one)));
    return `${kilobytes(median(texts.map(({ length }) => length)))}, gzipped ${kilobytes(median(texts.map((text) => gzipSync(text).length)))}`;
  };
  console.log(`a netlog: ${median(logs.map(({ rawNetlog }) => rawNetlog?.length ?? 0))} events, ${sizes(({ rawNetlog }) => rawNetlog)}`);
  console.log(
    `what of it is kept: ${median(logs.map(({ evidence }) => evidence.netlog?.events.length ?? 0))} events, ${sizes(({ evidence }) => evidence.netlog)}`,
  );
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
