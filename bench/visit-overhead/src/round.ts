// One round: everything is measured once, in random order, so that what drifts on the machine hits all alike.
import { shuffle } from '../../../packages/core/src/math/index.ts';
import { defaultLimits } from '../../../packages/core/src/schemas/index.ts';
import { CalmGate } from '../../../packages/runner/src/machine/cpu-gauge.ts';
import { type Command, runBrowsertime } from './browsertime.ts';
import type { Mode } from './modes.ts';
import { type Attempt, overheadMs, type Pair } from './overhead.ts';
import { type PronghornVisit, pronghornVisits } from './pronghorn.ts';
import type { Page, TestedProtocol } from './site.ts';

export interface Round {
  pronghorn: Attempt<PronghornVisit[]>;
  browsertime: Map<Mode, Pair>;
}

const pronghornVisitsPerRound = 10;
/** Of browsertime's longer command: enough for the cost of one more visit, few enough to end. */
const severalVisits = 3;
/** How often something invalid is tried. */
const tries = 3;
const calmWaitMs = 60_000;
/** Share of the machine's CPU time that other programs may take while something is measured; the same as for a visit. */
const maxForeignCpuShare = defaultLimits.foreignCpuShare;

export function emptyRound(modes: readonly Mode[]): Round {
  return { pronghorn: undefined, browsertime: new Map(modes.map((mode) => [mode, { single: undefined, several: undefined }])) };
}

/**
 * Fills an empty round, so that an interrupt keeps what was measured, and says on standard error what it found.
 *
 * @throws the reason of `signal` when that aborts
 */
export async function performRound(
  page: Page,
  protocol: TestedProtocol,
  round: Round,
  random: () => number,
  signal: AbortSignal,
): Promise<void> {
  const ours = async () => {
    const measure = () => pronghornVisits(page.url, page.trust, pronghornVisitsPerRound, protocol);
    round.pronghorn = await attempt(`pronghorn, ${pronghornVisitsPerRound} visits`, measure, describeVisits, signal);
  };
  const theirs = [...round.browsertime].flatMap(([mode, pair]) => {
    const command = (visits: number) =>
      attempt(
        `browsertime ${mode.name}, ${visits} ${visits === 1 ? 'visit' : 'visits'}`,
        () => calmBrowsertime(mode, page, protocol, visits, signal),
        describeCommand,
        signal,
      );
    return [
      async () => {
        pair.single = await command(1);
      },
      async () => {
        pair.several = await command(severalVisits);
      },
    ];
  });
  for (const part of shuffle([ours, ...theirs], random)) await part();
}

/** Pronghorn's visits judge themselves so; for browsertime it is done here. */
async function calmBrowsertime(...args: Parameters<typeof runBrowsertime>): Promise<Command> {
  const command = await runBrowsertime(...args);
  const share = command.foreignCpuShare;
  if (share > maxForeignCpuShare) {
    throw new Error(
      `other programs took ${(share * 100).toFixed(0)} % of the machine meanwhile, at most ${maxForeignCpuShare * 100} % is expected`,
    );
  }
  return command;
}

async function attempt<T>(
  name: string,
  measure: () => Promise<T>,
  describe: (measured: T) => string,
  signal: AbortSignal,
): Promise<T | 'invalid'> {
  for (let left = tries - 1; left >= 0; left--) {
    signal.throwIfAborted();
    try {
      await new CalmGate().pass(maxForeignCpuShare, signal, calmWaitMs);
      const measured = await measure();
      console.error(`  ${name}: ${describe(measured)}`);
      return measured;
    } catch (error) {
      signal.throwIfAborted();
      console.error(`  ${name}: invalid, ${error instanceof Error ? error.message : error}${left > 0 ? '; once more' : ''}`);
    }
  }
  return 'invalid';
}

function describeVisits(visits: PronghornVisit[]): string {
  return `overhead ${list(visits.map(({ wallMs, loadMs }) => wallMs - loadMs))} ms`;
}

function describeCommand(command: Command): string {
  const { loadMs, speedIndexMs } = command;
  const seen = speedIndexMs.length > 0 ? `, SpeedIndex ${list(speedIndexMs)} ms` : '';
  return `overhead ${(overheadMs(command) / 1_000).toFixed(2)} s, load ${list(loadMs)} ms${seen}`;
}

function list(values: number[]): string {
  return values.map((ms) => ms.toFixed(0)).join(' ');
}
