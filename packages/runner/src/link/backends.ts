// The kinds of link that this machine may have: a table, tried from the top.
import { needsShaping } from '@pronghorn/core/network';
import type { Condition, LinkBackend } from '@pronghorn/core/schemas';
import { type LinkChoice, linkChoices } from '@pronghorn/core/vocabulary';
import { run, toolPath } from '../machine/run.ts';
import { canFence, type Fencing } from './fence/fence.ts';
import type { Namespace } from './net/namespace.ts';
import { canGuest, openGuest } from './shapers/guest.ts';
import { canNetem, openNetem } from './shapers/netem.ts';
import { openVeth, type Shaper } from './shapers/shaper.ts';

interface Backend {
  name: LinkBackend;
  shapes: boolean;
  /** True if this machine has it; else the reason. */
  available(fencing: Fencing): Promise<true | string>;
  openShaper?: (near: Namespace, far: Namespace) => Promise<Shaper>;
}

const backends: readonly Backend[] = [
  { name: 'veth', shapes: false, available: canNamespaces, openShaper: openVeth },
  { name: 'netem', shapes: true, available: async () => both(await canNamespaces(), canNetem), openShaper: openNetem },
  { name: 'guest', shapes: true, available: async () => both(await canNamespaces(), canGuest), openShaper: openGuest },
  { name: 'direct', shapes: false, available: async (fencing) => (fencing === 'unfenced' ? true : fenced()) },
];

export { type LinkChoice, linkChoices };

/** No link of this machine supports what is needed; the message says why, for each. */
export class LinkUnavailable extends Error {}

/**
 * Chooses the first of the table that can do all conditions: a visit namespace wherever there can be one, and emulation only
 * where a condition needs it.
 *
 * @param fencing of the link direct
 * @throws LinkUnavailable with the reason for each
 */
export async function chooseBackend(
  choice: LinkChoice,
  conditions: readonly Condition[],
  fencing: Fencing = 'unfenced',
): Promise<LinkBackend> {
  const shaped = conditions.filter(needsShaping).map(({ name }) => name);
  const candidates = backends.filter(({ name }) => choice === 'auto' || name === choice);
  const fitting = candidates.filter(({ shapes }) => shapes === shaped.length > 0 || (choice !== 'auto' && shapes));
  const reasons: string[] = [];
  for (const { name, available } of fitting) {
    const can = await available(fencing);
    if (can === true) return name;
    reasons.push(`${name}: ${can}`);
  }
  if (fitting.length === 0) {
    throw new LinkUnavailable(
      `The link ${choice} can’t shape packets, as the condition${shaped.length === 1 ? '' : 's'} ${shaped.join(', ')} require${shaped.length === 1 ? 's' : ''}: ` +
        'use link auto, netem or guest, or the condition native.',
    );
  }
  const what = shaped.length === 0 ? `The link ${choice}` : `A link for ${shaped.join(', ')}`;
  throw new LinkUnavailable(`${what} is not available on this machine. ${reasons.join('. ')}.`);
}

/**
 * The same choice among links that are known to be there, such as those of another place.
 *
 * @throws LinkUnavailable when none of them can do all conditions
 */
export function backendAmong(there: readonly LinkBackend[], choice: LinkChoice, conditions: readonly Condition[]): LinkBackend {
  if (choice !== 'auto') return choice;
  const shaping = conditions.some(needsShaping);
  const backend = backends.find(({ name, shapes }) => shapes === shaping && there.includes(name));
  if (backend === undefined) throw new LinkUnavailable(`None of the links ${there.join(', ')} supports the campaign’s conditions.`);
  return backend.name;
}

/** The availability of each backend on this machine, for `doctor`. */
export async function surveyBackends(fencing: Fencing = 'unfenced'): Promise<{ name: LinkBackend; can: true | string }[]> {
  return await Promise.all(backends.map(async ({ name, available }) => ({ name, can: await available(fencing) })));
}

export function shaperOf(backend: LinkBackend): Backend['openShaper'] {
  return backends.find(({ name }) => name === backend)?.openShaper;
}

async function canNamespaces(): Promise<true | string> {
  if (process.getuid?.() !== 0) return 'network namespaces need root (start it with sudo)';
  try {
    for (const program of ['ip', 'tc', 'nft', 'ethtool', 'nsenter', 'setpriv']) toolPath(program);
    await run(['unshare', '--net', '--', 'true']);
    return true;
  } catch (error) {
    return `network namespaces can’t be made (${error instanceof Error ? error.message : error})`;
  }
}

/** The reason names the way out: only the operator knows what this machine reaches. */
function fenced(): true | string {
  const can = canFence();
  return can === true
    ? true
    : `visits can't be kept away from inner addresses here: ${can}. --no-fence lets them reach everything that this machine reaches`;
}

async function both(first: true | string, second: () => Promise<true | string>): Promise<true | string> {
  return first === true ? await second() : first;
}
