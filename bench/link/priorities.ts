// HTTP/3 beside HTTP/2 on servers that differ in priorities and in the order of resending, in the same rounds on the demo's shop.
// Takes 9 minutes a run, as root. node bench link/priorities [--rounds 20] [--conditions LIST] [--minutes 9] [--busy 0.2] [--print] FILE [SERVER…]
//
// Servers: nginx, caddy@2.11.4, caddy@2.11.9 (nginx/install-caddy.sh .tools/caddy-2.11.9 2.11.9). Each visit is a line of FILE; with the same
// FILE the next run goes on where this one stopped. --print only computes. --busy: share of the CPU that other work may take in a visit that counts.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { serverWish } from '../../nginx/src/index.ts';
import { adjustPValues, median, pseudomedian, randomSource, shuffle } from '../../packages/core/src/math/index.ts';
import { type Comparison, defaultLimits, type Environment, type PageMetrics } from '../../packages/core/src/schemas/index.ts';
import { asShareOf, logRatios, pairedTest } from '../../packages/core/src/verdict/index.ts';
import { CalmGate } from '../../packages/runner/src/machine/cpu-gauge.ts';
import { compareVisits, ms, openLab, presetOf, pWords, signed } from '../shared/lab.ts';

const protocols = ['h2', 'h3'] as const;
const metrics = ['speedIndex', 'largestContentfulPaint', 'onLoad'] as const;
/** A round that is incomplete this long after the end is dropped: on a busy machine each visit waits. */
const graceMs = 20_000;
/** That rounds without a valid visit in each slot are few. */
const triesOfSlot = 3;

interface Slot {
  server: string;
  protocol: (typeof protocols)[number];
}
interface Line extends Slot {
  round: number;
  condition: string;
  metrics: PageMetrics;
  receiveDrops: number | null;
  /** Of the link, before the round. */
  rttMs: number | null;
  /** When the page's web font was loaded, which its style sheet requests after the pictures and with the highest priority. */
  fontMs: number | null;
  /** Number of invalid visits of this slot before this one. */
  invalid: number;
}
/** A slot of a round without a valid visit, after so many invalid ones. */
type LostSlot = Pick<Line, 'round' | 'condition' | 'server' | 'protocol' | 'invalid'> & { isLost: true };
/** Before the first round of each run. */
interface Run {
  startedAt: string;
  /** Largest share of the CPU that other programs may take in a counted visit. */
  foreignCpuShare: number;
  environment: Omit<Environment, 'origin'>;
  servers: Record<string, Record<string, unknown>>;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '20' },
    conditions: { type: 'string', default: 'bandwidth-5,loss-2,native' },
    minutes: { type: 'string', default: '9' },
    busy: { type: 'string', default: String(defaultLimits.foreignCpuShare) },
    print: { type: 'boolean', default: false },
  },
});
const [file, ...named] = positionals;
if (file === undefined) throw new Error('Name the file of the visits.');
const servers = named.length > 0 ? named : ['caddy@2.11.4', 'caddy@2.11.9', 'nginx'];
const conditions = values.conditions.split(',');
const foreignCpuShare = Number(values.busy);
const slots = servers.flatMap((server) => protocols.map((protocol): Slot => ({ server, protocol })));

if (!values.print) await measure(Number(values.rounds), performance.now() + Number(values.minutes) * 60_000);
printTables(slotsOf(file));

function slotsOf(path: string): (Line | LostSlot)[] {
  if (!existsSync(path)) return [];
  const lines: (Line | LostSlot | Run)[] = readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return lines.filter((line): line is Line | LostSlot => 'round' in line);
}

/** Rounds that are not in the file yet, until the time is over: the conditions of a round in random order, the slots of each in random order. */
async function measure(rounds: number, until: number): Promise<void> {
  const known = new Set(slotsOf(file as string).map(({ round, condition }) => `${round} ${condition}`));
  await using lab = await openLab(
    conditions.map(presetOf),
    servers.map((server) => serverWish(server)),
  );
  const shops = lab.origins.map(({ sites }) => sites.find(({ name }) => name === 'shop')?.url as string);
  // The same Chrome loads from all of them: each has a port of its own, and all are forced.
  const forced = shops.map((url) => new URL(url).host);
  const visit = async ({ server, protocol }: Slot) => {
    const gate = new CalmGate();
    await gate.pass(foreignCpuShare);
    const wishes = { protocols: [protocol], forced, foreignCpuShare };
    const found = (await lab.visit(shops[servers.indexOf(server)] as string, 1, wishes))[protocol][0];
    gate.close();
    return found;
  };
  let isTold = false;
  for (let round = 1; round <= rounds; round++) {
    const random = randomSource(round);
    for (const condition of shuffle(conditions, random)) {
      const order = shuffle(slots, random);
      if (known.has(`${round} ${condition}`)) continue;
      if (performance.now() > until) return;
      const rttMs = await lab.under(presetOf(condition));
      const block: (Line | LostSlot)[] = [];
      for (const slot of order) {
        let invalid = 0;
        for (; invalid < triesOfSlot; invalid++) {
          if (performance.now() > until + graceMs) return;
          const found = await visit(slot);
          if (found === undefined) continue;
          const { link, resources, settled: _, tookMs: __, loaded, ...its } = found;
          if (!isTold) append(runOf(loaded.environment));
          isTold = true;
          const font = resources.find(({ url }) => url.endsWith('.woff2'));
          block.push({
            ...{ round, condition, ...slot, invalid, fontMs: font?.endMs ?? null },
            ...{ receiveDrops: link?.receiveDrops ?? null, rttMs, metrics: its },
          });
          break;
        }
        if (invalid === triesOfSlot) block.push({ round, condition, ...slot, invalid, isLost: true });
      }
      append(...block);
      const valid = block.filter((line) => !('isLost' in line)).length;
      console.error(`round ${round} ${condition}: ${valid} of ${slots.length} slots`);
    }
  }

  function runOf({ origin: _, ...environment }: Environment): Run {
    const settings = Object.fromEntries(servers.map((server, i) => [server, lab.origins[i]?.settings ?? {}]));
    return { startedAt: new Date().toISOString(), foreignCpuShare, environment, servers: settings };
  }
}

function append(...lines: (Line | LostSlot | Run)[]): void {
  appendFileSync(file as string, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

function printTables(found: readonly (Line | LostSlot)[]): void {
  const lines = found.filter((line): line is Line => !('isLost' in line));
  const lost = found.length - lines.length;
  const measured = conditions.filter((condition) => lines.some((line) => line.condition === condition));
  const of = (condition: string, { server, protocol }: Slot) =>
    lines.filter((line) => line.condition === condition && line.server === server && line.protocol === protocol);
  const places = measured.flatMap((condition) => servers.map((server) => ({ condition, server })));
  const comparisons = compareVisits(
    places.map(({ condition, server }) => lines.filter((line) => line.condition === condition && line.server === server)),
  );

  const invalid = found.reduce((sum, slot) => sum + slot.invalid, 0);
  console.log(`${lines.length} valid visits; ${invalid} invalid ones; ${lost} slots of a round without a valid one.`);
  for (const metric of metrics) {
    console.log(`\n${metric}, median ms\n\n| condition | server | rounds | h2 | h3 | H3-Delta (95 %) | p, corrected | verdict |`);
    console.log('| --- | --- | --: | --: | --: | --: | --: | --- |');
    for (const [i, { condition, server }] of places.entries()) {
      const one = comparisons[i]?.find((comparison) => comparison.metric === metric) as Comparison;
      const middle = (protocol: Slot['protocol']) =>
        ms(median(of(condition, { server, protocol }).map((line) => line.metrics[metric] ?? NaN)));
      const { delta, signedRank, verdict, rounds } = one;
      const ends = delta === null ? '–' : `${signed(delta.value, 2)} (${signed(delta.low, 2)} to ${signed(delta.high, 2)})`;
      const doubts = verdict.doubts.map(({ doubt }) => doubt).join(', ');
      console.log(
        `| \`${condition}\` | ${server} | ${rounds} | ${middle('h2')} | ${middle('h3')} | ${ends} | ${pWords(signedRank?.adjustedP)} | ${verdict.outcome}${doubts && ` (${doubts})`} |`,
      );
    }
  }

  const pairs = servers.flatMap((baseline, i) => servers.slice(i + 1).map((candidate) => ({ candidate, baseline })));
  const against = measured.flatMap((condition) =>
    pairs.flatMap(({ candidate, baseline }) =>
      protocols.flatMap((protocol) =>
        metrics.map((metric) => {
          const others = new Map(of(condition, { server: baseline, protocol }).map((line) => [line.round, line.metrics[metric]]));
          const both = of(condition, { server: candidate, protocol }).flatMap((line) => {
            const [mine, other] = [line.metrics[metric], others.get(line.round)];
            return mine == null || other == null ? [] : [{ candidate: mine, baseline: other }];
          });
          const { estimate, interval } = pseudomedian(logRatios(both) ?? [NaN]);
          return { condition, candidate, baseline, protocol, metric, both, estimate, interval, p: pairedTest(both)?.p ?? 1 };
        }),
      ),
    ),
  );
  const adjusted = adjustPValues(against.map(({ p }) => p));
  console.log(`\nBuilds against each other, round by round; Holm over these ${against.length}\n`);
  console.log(
    '| condition | of | against | over | metric | rounds | medians, ms | by (95 %) | p, corrected |\n| --- | --- | --- | --- | --- | --: | --: | --: | --: |',
  );
  for (const [i, { condition, candidate, baseline, protocol, metric, both, estimate, interval }] of against.entries()) {
    const percent = (log: number | undefined) => (log === undefined ? '–' : `${signed(100 * asShareOf(log), 0)} %`);
    const medians = `${ms(median(both.map((pair) => pair.baseline)))} → ${ms(median(both.map((pair) => pair.candidate)))}`;
    const shift = `${percent(estimate)} (${percent(interval?.low)} to ${percent(interval?.high)})`;
    console.log(
      `| \`${condition}\` | ${candidate} | ${baseline} | ${protocol} | ${metric} | ${both.length} | ${medians} | ${shift} | ${pWords(adjusted[i])} |`,
    );
  }

  console.log('\nThe web font was there after, median ms\n');
  console.log(
    `| condition | ${slots.map(({ server, protocol }) => `${server} ${protocol}`).join(' | ')} |\n| --- |${slots.map(() => ' --: |').join('')}`,
  );
  for (const condition of measured) {
    const cells = slots.map((slot) => ms(median(of(condition, slot).flatMap(({ fontMs }) => fontMs ?? []))));
    console.log(`| \`${condition}\` | ${cells.join(' | ')} |`);
  }
}
