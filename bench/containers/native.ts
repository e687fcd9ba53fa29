// onLoad in a runner's container, beside a runner that is a process of the same machine: same pages, origin and service, in turn.
// Takes 15 minutes, as root, where dockerd runs. node bench containers/native [ROUNDS, default 40] [--any-load]
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { median, pseudomedian, randomSource, shuffle } from '../../packages/core/src/math/index.ts';
import { pageMetrics, type Visit } from '../../packages/core/src/schemas/index.ts';
import type { Protocol } from '../../packages/core/src/vocabulary/index.ts';
import { openForwarding, startNativeRunner } from '../shared/native-runner.ts';
import { Stack, shop } from '../shared/stack.ts';

/** No new round begins after this time. */
const limitMs = 10.5 * 60_000;
const places = ['container', 'native'] as const;
const conditions = ['native', 'latency-50'];
const protocols: Protocol[] = ['h2', 'h3'];
const rounds = Number(process.argv.slice(2).find((word) => !word.startsWith('--')) ?? 40);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('The number of rounds is expected as a whole number.');
if (process.getuid?.() !== 0) throw new Error('The native runner makes network namespaces: start this as root.');
/** Permits a trial run on a busy machine; the times of such a run mean nothing. */
const limits = process.argv.includes('--any-load') ? { foreignCpuShare: 1 } : {};

const execute = promisify(execFile);
await using stack = await Stack.up({ PRONGHORN_LOCATION: 'container' });
await using closing = new AsyncDisposableStack();
await openForwarding(stack, closing);
await startNativeRunner(stack, closing);

type Pair = Record<(typeof places)[number], number>;
const pairs = new Map<string, Pair[]>();
const environments = new Map<string, Set<string>>(places.map((place) => [place, new Set()]));
const invalid: Record<(typeof places)[number], Map<string, number>> = { container: new Map(), native: new Map() };
const random = randomSource(1);
/** The first signal ends the rounds and prints the results; the second one ends the process. */
let isStopped = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (isStopped = true));
const began = performance.now();
// The first round of each runner is not counted: it opens the link, discovers the site's hosts and starts the Chromes.
for (let round = 0; round <= rounds && !isStopped && performance.now() - began < limitMs; round++) {
  const found = {} as Record<(typeof places)[number], Visit[]>;
  for (const place of shuffle(places, random)) {
    const wanted = { sites: [{ url: shop }], protocols, conditions, rounds: 1, limits, location: place };
    const visits = await stack.campaign(wanted, 120_000).catch((error: unknown) => {
      // Ctrl-C in a terminal ends the waiting too.
      if (!isStopped) throw error;
    });
    if (visits === undefined) break;
    found[place] = visits;
    for (const { environmentId } of found[place]) if (environmentId !== null) environments.get(place)?.add(environmentId);
  }
  if (round === 0 || places.some((place) => found[place] === undefined)) continue;
  for (const place of places) {
    for (const { condition, protocol, outcome } of found[place]) {
      if (outcome.verdict !== 'invalid') continue;
      const reason = `${condition} | ${protocol}: ${outcome.reason} (${outcome.detail.slice(0, 120)})`;
      invalid[place].set(reason, (invalid[place].get(reason) ?? 0) + 1);
    }
  }
  for (const condition of conditions) {
    for (const protocol of protocols) {
      const [container, native] = places.map((place) => onLoad(found[place], condition, protocol));
      if (container !== undefined && native !== undefined) add(`${condition} | ${protocol}`, { container, native });
    }
  }
}

for (const place of places) {
  for (const id of environments.get(place) ?? []) {
    const { runner, browser, link, machine } = await stack.outside.ask('GET /environments/{id}', { id });
    if (browser.flags.includes('--disable-quic'))
      console.log(
        `${place}: ${browser.product}, ${browser.executable}, Node ${runner.node}, kernel ${machine.kernel}, link ${JSON.stringify(link)}`,
      );
  }
}
console.log(`chromium: in the container ${await versionIn('container')}; native ${await versionIn('native')}`);
console.log(`\nonLoad, ms, in ${((performance.now() - began) / 60_000).toFixed(1)} minutes. Invalid visits:`);
for (const place of places) {
  const all = [...invalid[place].values()].reduce((sum, count) => sum + count, 0);
  console.log(`${place}: ${all}`);
  for (const [reason, count] of invalid[place]) console.log(`  ${count} × ${reason}`);
}
console.log('');
console.log(
  '| condition | protocol | rounds | container, median | native, median | ratio of medians | container ÷ native, Hodges–Lehmann | 95 % |',
);
console.log('| --- | --- | --: | --: | --: | --: | --: | --- |');
for (const [cell, measured] of pairs) {
  const [container, native] = places.map((place) => median(measured.map((pair) => pair[place]))) as [number, number];
  const { estimate, interval } = pseudomedian(measured.map((pair) => Math.log(pair.container / pair.native)));
  const ends = interval === null ? 'too few rounds' : `${Math.exp(interval.low).toFixed(3)} to ${Math.exp(interval.high).toFixed(3)}`;
  const medians = `${container.toFixed(0)} | ${native.toFixed(0)} | ${(container / native).toFixed(3)}`;
  console.log(`| ${cell} | ${measured.length} | ${medians} | ${Math.exp(estimate).toFixed(3)} | ${ends} |`);
}

function onLoad(visits: readonly Visit[], condition: string, protocol: Protocol): number | undefined {
  const visit = visits.find((one) => one.counted && one.condition === condition && one.protocol === protocol);
  return visit && pageMetrics(visit.outcome)?.onLoad;
}

function add(cell: string, pair: Pair): void {
  pairs.set(cell, [...(pairs.get(cell) ?? []), pair]);
}

async function versionIn(place: (typeof places)[number]): Promise<string> {
  const output =
    place === 'container' ? await stack.project.exec('runner', 'chromium', '--version') : (await execute('chromium', ['--version'])).stdout;
  return output.trim();
}
