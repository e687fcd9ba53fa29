// Pronghorn beside browsertime on one page: what a visit takes beyond its page's own load.
// Takes 3 minutes a round. node bench visit-overhead/browsertime [ROUNDS, default 3] [--protocols LIST] [--modes LIST]; README.md says more.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { randomSource, shuffle } from '../../packages/core/src/math/index.ts';
import { type Choices, readChoices, usage } from './src/choices.ts';
import type { Mode } from './src/modes.ts';
import { browsertimeRow, pronghornRow, type Row } from './src/overhead.ts';
import { emptyRound, performRound, type Round } from './src/round.ts';
import { openSite, type Page, type TestedProtocol } from './src/site.ts';
import { goals, table } from './src/table.ts';

process.exitCode = await main();

async function main(): Promise<number> {
  let choices: Choices | undefined;
  try {
    choices = readChoices(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    return 64;
  }
  if (choices === undefined) {
    console.log(usage);
    return 0;
  }
  execFileSync(join(import.meta.dirname, 'bring'), { stdio: 'inherit' });
  process.env.PRONGHORN_TOOLS = join(import.meta.dirname, '../../.tools');
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort(new Error(`ended by ${signal}`)));
  const shop = await openSite();
  const rounds = new Map<TestedProtocol, Round[]>(choices.protocols.map((protocol) => [protocol, []]));
  try {
    await measure(shop, choices, rounds, interrupted.signal);
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    console.error('\nInterrupted; this is what was measured:');
  } finally {
    await shop.stop();
  }
  const complete = report(rounds, choices.modes);
  return interrupted.signal.aborted ? 130 : complete ? 0 : 1;
}

async function measure(
  page: Page,
  { rounds, protocols, modes, seed }: Choices,
  into: Map<TestedProtocol, Round[]>,
  signal: AbortSignal,
): Promise<void> {
  console.log(`${page.url} over ${protocols.join(', ')}, rounds ${rounds}, seed ${seed}`);
  const random = randomSource(seed);
  for (let number = 1; number <= rounds; number++) {
    for (const protocol of shuffle(protocols, random)) {
      console.error(`\nround ${number} of ${rounds} over ${protocol}`);
      const round = emptyRound(modes);
      into.get(protocol)?.push(round);
      await performRound(page, protocol, round, random, signal);
    }
  }
}

/** @returns whether every row of every table has its numbers */
function report(measured: ReadonlyMap<TestedProtocol, Round[]>, modes: readonly Mode[]): boolean {
  let complete = true;
  for (const [protocol, rounds] of measured) {
    const rows = toRows(rounds, modes);
    console.log(`\nMedian overhead of a visit over ${protocol}: wall time beyond loadEventEnd. All but the first row are browsertime.\n`);
    console.log(table(rows, rows[0]?.oneMoreMs ?? null));
    console.log(`\n${goals(rows).join('\n')}`);
    complete &&= rows.every(({ oneMoreMs }) => oneMoreMs !== null);
  }
  return complete;
}

function toRows(rounds: readonly Round[], modes: readonly Mode[]): Row[] {
  const theirs = modes.map((mode) => {
    const pairs = rounds.map(({ browsertime }) => browsertime.get(mode)).filter((pair) => pair !== undefined);
    return browsertimeRow(mode.name, pairs);
  });
  return [pronghornRow(rounds.map(({ pronghorn }) => pronghorn)), ...theirs];
}
