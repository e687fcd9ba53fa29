// Names of runners' states, links and isolations, and the order of runners in lists.
import type { Priority, Runner, RunnerState } from '@pronghorn/core/schemas';
import type { Isolation } from '@pronghorn/core/vocabulary';

export const runnerStateWords: Readonly<Record<RunnerState, string>> = {
  alive: 'ready, waiting for work',
  busy: 'measuring a round',
  draining: 'finishing its last round',
  lost: 'missed three heartbeats',
  stopped: 'shut down normally',
};

type Backend = Runner['capabilities']['backends'][number];
export const backendNames: Readonly<Record<Backend, string>> = {
  direct: 'direct: the machine’s own network',
  veth: 'veth: no delay or loss',
  netem: 'netem: this kernel shapes packets',
  guest: 'guest: a kernel of its own shapes packets',
};

/** A runner's link; for the machine's own network also what visits reach over it. */
export const backendWords = (backend: Backend, { isFenced }: Runner['capabilities']): string => {
  if (backend !== 'direct' || isFenced === undefined) return backendNames[backend];
  return `${backendNames[backend]}; ${isFenced ? 'fenced: public addresses only' : 'no fence: visits reach everything the machine reaches'}`;
};

export const isolationNames: Readonly<Record<Isolation, string>> = {
  auto: 'as each page needs',
  context: 'a fresh browser context',
  process: 'a fresh Chrome',
  container: 'a fresh container',
};

/** A runner that does not list them has no containers. */
export const isolationsOf = ({ isolations = ['auto', 'context', 'process'] }: Runner['capabilities']): readonly Isolation[] => isolations;

export const priorityNames: Readonly<Record<Priority, string>> = {
  interactive: 'interactive: people',
  ci: 'ci: pipelines',
  schedule: 'schedule',
};

const ranks: readonly RunnerState[] = ['busy', 'alive', 'draining', 'lost', 'stopped'];
/** Live ones first, then by name. */
export const inOrder = (runners: readonly Runner[]): Runner[] =>
  [...runners].sort((one, other) => ranks.indexOf(one.state) - ranks.indexOf(other.state) || one.name.localeCompare(other.name, 'en'));

/** Such as: 2 busy, 1 lost. */
export function countWords(runners: readonly Runner[]): string {
  return ranks
    .map((state) => ({ state, count: runners.filter((runner) => runner.state === state).length }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => `${count} ${state}`)
    .join(', ');
}
