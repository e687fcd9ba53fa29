// Rules for the end of a visit, on made-up pages whose content comes by the network, or by a timer since navigation or since load: how often each
// names a winner that the page or the clock made, or the wrong one, and what it costs. node bench statistics/one-window [CAMPAIGNS, default 1000]
//
// What decides whether a visit is made again is what a runner decides by. Seeded.
import { randomSource } from '../../packages/core/src/math/index.ts';
import { normalQuantile } from '../../packages/core/src/math/probability.ts';
import type { Watch } from '../../packages/core/src/schemas/index.ts';
import { pairedTest } from '../../packages/core/src/verdict/comparison.ts';
import { longer, missed, type Seen } from '../../packages/runner/src/derive/equally-watched.ts';

const campaigns = Number(process.argv[2] ?? 1000);
const random = randomSource(38);
const quietMs = 500;
const settleMaxMs = 15_000;

interface Page {
  name: string;
  /** Median time of the load event, milliseconds. */
  load: { h2: number; h3: number };
  spread: number;
  /** Share of loads that take four times as long: a retransmission time-out. */
  stalls: number;
  /** When the hero comes, with what the page loads; by a timer since navigation, or since load. */
  hero: 'load' | { since: 'navigation' | 'load'; ms: number };
}

/** A load as it would go on for ever. */
interface LoadOf {
  loadMs: number;
  headerMs: number;
  heroMs: number;
}

type Protocol = 'h2' | 'h3';
const spread = (by: number) => Math.exp(by * normalQuantile(random()));

function loadOf(page: Page, protocol: Protocol): LoadOf {
  const loadMs = page.load[protocol] * spread(page.spread) * (random() < page.stalls ? 4 : 1);
  const late = page.hero === 'load' ? 0 : page.hero.ms + 15 * random();
  const heroMs = page.hero === 'load' ? loadMs : page.hero.since === 'load' ? loadMs + late : Math.max(late, 0.5 * loadMs);
  return { loadMs, headerMs: 0.3 * loadMs, heroMs };
}

function picture(...pixels: number[]): Uint32Array {
  const histogram = new Uint32Array(3 * 256);
  for (const [colour, count] of pixels.entries()) histogram[100 * colour + 50] = count;
  return histogram;
}
const [header, whole] = [picture(100), picture(100, 900)];

/** How a visit ends that is watched so. */
function watched({ loadMs, headerMs, heroMs }: LoadOf, { untilMs, pauseMs }: Watch): Seen {
  const needed = Math.max(quietMs, pauseMs);
  let last = loadMs;
  if (heroMs > last && heroMs - last < needed) last = heroMs;
  let endMs = Math.min(Math.max(last + needed, untilMs), loadMs + settleMaxMs);
  let pause = 0;
  if (heroMs > last && heroMs <= endMs) {
    pause = heroMs - headerMs;
    last = heroMs;
    endMs = Math.max(endMs, heroMs + Math.max(needed, 1.25 * pause));
  }
  const pictures = [{ atMs: headerMs, histogram: header }, ...(heroMs <= endMs ? [{ atMs: heroMs, histogram: whole }] : [])];
  return {
    endMs,
    idleMs: endMs - Math.max(last, Math.min(heroMs, endMs)),
    pauseMs: pause,
    requests: new Map([['/', 0]]),
    pictures,
    ...{
      motion: 0,
      cycle: [],
      moves: false,
      isEndless: false,
      cyclesFromMs: Infinity,
      movedOnMs: 0,
      largest: null,
      loadMs: 300,
      isFed: false,
      blocked: [],
      shifted: [],
    },
  };
}

const speedIndex = ({ pictures }: Pick<Seen, 'pictures'>): number => {
  const [first, second] = pictures.map(({ atMs }) => atMs) as [number, number | undefined];
  return second === undefined ? first : 0.1 * first + 0.9 * second;
};

interface Rule {
  name: string;
  /** @returns what counts of a round; null: it is missing; and how many visits were made */
  round(
    draw: (protocol: Protocol) => LoadOf,
    cell: { watch: Watch },
  ): { seen: Record<Protocol, Seen> | null; visits: number; spentMs: number };
}

const none: Watch = { untilMs: 0, pauseMs: 0 };
const both = (draw: (protocol: Protocol) => LoadOf, watch: Watch): Record<Protocol, Seen> => ({
  h2: watched(draw('h2'), watch),
  h3: watched(draw('h3'), watch),
});
const spent = (...seen: Seen[]) => seen.reduce((sum, { endMs }) => sum + endMs, 0);
/** Last change of the picture. */
const lastOf = (seen: Seen): number => seen.pictures.at(-1)?.atMs ?? 0;

const rules: Rule[] = [
  {
    name: 'its own rest',
    round: (draw) => {
      const seen = both(draw, none);
      return { seen, visits: 2, spentMs: spent(seen.h2, seen.h3) };
    },
  },
  {
    name: 'latest rest',
    round: (draw, cell) => {
      const seen = both(draw, cell.watch);
      let [visits, spentMs] = [2, spent(seen.h2, seen.h3)];
      const isShort = (one: Seen, other: Seen) => lastOf(other) > one.endMs;
      const untilMs = Math.max(cell.watch.untilMs, seen.h2.endMs, seen.h3.endMs);
      for (const [one, other] of [['h2', 'h3'] as const, ['h3', 'h2'] as const]) {
        if (!isShort(seen[one], seen[other])) continue;
        seen[one] = watched(draw(one), { untilMs, pauseMs: 0 });
        visits += 1;
        spentMs += seen[one].endMs;
      }
      cell.watch = { untilMs: Math.max(untilMs, seen.h2.endMs, seen.h3.endMs), pauseMs: 0 };
      return { seen: isShort(seen.h2, seen.h3) || isShort(seen.h3, seen.h2) ? null : seen, visits, spentMs };
    },
  },
  {
    name: 'what was missed',
    round: (draw, cell) => {
      const seen = both(draw, cell.watch);
      let [visits, spentMs] = [2, spent(seen.h2, seen.h3)];
      const short = [['h2', 'h3'] as const, ['h3', 'h2'] as const].flatMap(([one, other]) => {
        const needed = missed(seen[one], seen[other]);
        return needed === null ? [] : [[one, longer(cell.watch, needed)] as const];
      });
      for (const [one, watch] of short) {
        seen[one] = watched(draw(one), watch);
        cell.watch = longer(cell.watch, watch);
        visits += 1;
        spentMs += seen[one].endMs;
      }
      return { seen: (missed(seen.h2, seen.h3) ?? missed(seen.h3, seen.h2)) ? null : seen, visits, spentMs };
    },
  },
];

const fast = { load: { h2: 640, h3: 290 }, spread: 0.05, stalls: 0 };
const pages: Page[] = [
  { name: 'no timer, alike', load: { h2: 800, h3: 800 }, spread: 0.15, stalls: 0, hero: 'load' },
  { name: 'no timer, alike, stalls', load: { h2: 800, h3: 800 }, spread: 0.3, stalls: 0.1, hero: 'load' },
  { name: 'no timer, alike, one stalls', load: { h2: 800, h3: 800 }, spread: 0.3, stalls: 0.1, hero: 'load' },
  { name: 'no timer, h3 10 % faster', load: { h2: 800, h3: 720 }, spread: 0.1, stalls: 0, hero: 'load' },
  { name: '1 s after navigation', ...fast, hero: { since: 'navigation', ms: 1_000 } },
  { name: '1 s after navigation, stalls', ...fast, spread: 0.2, stalls: 0.1, hero: { since: 'navigation', ms: 1_000 } },
  { name: '3 s after navigation', ...fast, hero: { since: 'navigation', ms: 3_000 } },
  { name: '0.7 s after load', load: { h2: 1_100, h3: 300 }, spread: 0.1, stalls: 0, hero: { since: 'load', ms: 700 } },
  { name: '0.7 s after load, alike', load: { h2: 600, h3: 600 }, spread: 0.2, stalls: 0, hero: { since: 'load', ms: 700 } },
  { name: '0.5 s after load, alike', load: { h2: 600, h3: 600 }, spread: 0.2, stalls: 0.05, hero: { since: 'load', ms: 490 } },
];

const percent = (share: number) => `${(100 * share).toFixed(1)}`.padStart(5);
console.log(
  `${campaigns} campaigns each; "against": shares in % of campaigns that name a winner by SpeedIndex (p ≤ 0.05) where a visitor who waits sees none,`,
);
console.log(
  'or the other one; "named": the right one; "missing": rounds without a value; visits a round; seconds a round beyond its visits’ own rest\n',
);
console.log(['page'.padEnd(32), 'rounds', 'rule'.padEnd(16), 'against', 'named', 'missing', 'visits', 'beyond'].join('  '));
for (const page of pages) {
  const truth = (protocol: Protocol) => {
    const values = Array.from({ length: 2_001 }, () => {
      const { headerMs, heroMs } = loadOf(page, protocol);
      return 0.1 * headerMs + 0.9 * heroMs;
    }).sort((a, b) => a - b);
    return values[1_000] as number;
  };
  const ratio = truth('h3') / truth('h2');
  const right = ratio < 0.95 ? -1 : ratio > 1.05 ? 1 : 0;
  for (const rounds of [10, 20, 50, 100]) {
    for (const rule of rules) {
      const tally = { against: 0, named: 0, missing: 0, visits: 0, beyondMs: 0 };
      for (let campaign = 0; campaign < campaigns; campaign++) {
        const cell = { watch: none };
        const pairs: { candidate: number; baseline: number }[] = [];
        for (let round = 0; round < rounds; round++) {
          const draw = (protocol: Protocol) => loadOf(page, protocol);
          const { seen, visits, spentMs } = rule.round(draw, cell);
          tally.visits += visits;
          const own = both(draw, none);
          tally.beyondMs += spentMs - spent(own.h2, own.h3);
          if (seen === null) tally.missing += 1;
          else pairs.push({ candidate: speedIndex(seen.h3), baseline: speedIndex(seen.h2) });
        }
        const test = pairedTest(pairs);
        // As a verdict: significant, and beyond what counts as none where nothing differs.
        const named = test !== null && test.p <= 0.05 ? Math.sign(test.rankBiserial) : 0;
        const shift = Math.abs(median(pairs.map(({ candidate, baseline }) => Math.log(candidate / baseline))));
        if (named !== 0 && named === right) tally.named += 1;
        else if (named !== 0 && (right !== 0 || shift > 0.05)) tally.against += 1;
      }
      const all = campaigns * rounds;
      console.log(
        [
          page.name.padEnd(32),
          String(rounds).padStart(6),
          rule.name.padEnd(16),
          `${percent(tally.against / campaigns)}  `,
          percent(tally.named / campaigns),
          `${percent(tally.missing / all)}  `,
          (tally.visits / all).toFixed(2).padStart(6),
          (tally.beyondMs / all / 1_000).toFixed(2).padStart(6),
        ].join('  '),
      );
    }
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
