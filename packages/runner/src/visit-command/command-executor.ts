// Performs campaigns by a visit command: each load in its own container, behind its own link.
import { isIP } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { addressWithoutPort } from '@pronghorn/core/network';
import type { Capabilities, Condition, LinkBackend, LinkCheck, VisitLink } from '@pronghorn/core/schemas';
import { isolations } from '@pronghorn/core/vocabulary';
import { deriveResources } from '../derive/resources.ts';
import type { DemoOrigin, Engine, Load } from '../engines/engine.ts';
import type { Executor, ExecutorOptions } from '../lease/executor.ts';
import type { LeaseTools } from '../lease/lease-tools.ts';
import type { AgentLink } from '../link/agent-link.ts';
import { backendAmong } from '../link/backends.ts';
import type { HostAddresses } from '../link/egress/resolver.ts';
import { LinkOutOfTolerance } from '../link/prepare.ts';
import { VisitCommand } from './visit-command.ts';
import type { LinkRequest } from './wire.ts';

/** Containers in which a condition is tried. */
const tries = 3;

/**
 * @param command for the shell; it has to end in `pronghorn visit`
 * @param containers what they can do: a campaign has the same link in each of them, whichever one of them may lack at the time
 */
export function commandExecutor(
  command: string,
  { choice, allowNet, fencing, congestionControl, lab }: ExecutorOptions,
  containers: Pick<Capabilities, 'backends'>,
): Executor {
  const visits = new VisitCommand(command);
  const proven: Proven = new Map();
  const hosts = new KnownHosts(lab?.serves);
  return {
    open: async ({ spec: { conditions } }) => {
      hosts.age(Date.now());
      const backend = backendAmong(containers.backends, choice, conditions);
      return commandTools(visits, { proven, hosts, lab, backend }, { conditions, allowNet, fencing, congestionControl });
    },
    abandon: async () => proven.clear(),
    close: () => visits.close(),
  };
}

/**
 * Capabilities of the containers; with other isolations too, where this machine itself can do as much: a lease may need either of the two.
 *
 * @param here null where this machine itself can't measure
 */
export function withContainers(here: Capabilities | null, containers: Capabilities): Capabilities {
  const has = <T>(own: readonly T[], theirs: readonly T[]) => theirs.every((one) => own.includes(one));
  const asMuch =
    here !== null &&
    has(here.engines, containers.engines) &&
    has(here.browsers, containers.browsers) &&
    has(here.backends, containers.backends);
  return { ...containers, isolations: asMuch ? [...isolations] : ['container'] };
}

/** Conditions that the containers' links were fully proven to meet, with what these links were made of; null: nothing to prove. */
type Proven = Map<string, Proof | null>;
type Proof = Pick<LinkCheck, 'kernel' | 'tcLines'>;

interface Known {
  proven: Proven;
  hosts: KnownHosts;
  lab: DemoOrigin | undefined;
  backend: LinkBackend;
}

function commandTools(
  visits: VisitCommand,
  { proven, hosts, lab, backend }: Known,
  common: Omit<LinkRequest, 'choice' | 'hosts'>,
): LeaseTools {
  const origin = lab === undefined ? null : { trust: lab.trust, settings: lab.settings };
  /** @param page its hosts are resolved beforehand; undefined: none */
  const linkFor = (page?: string): LinkRequest => ({ ...common, choice: backend, hosts: page === undefined ? {} : hosts.of(page) });
  let under: { condition: Condition; proof: Proof | null } | undefined;
  let made: LinkCheck[] = [];
  let seen: VisitLink | null = null;

  const agentLink: AgentLink = {
    // Each visit's container measures its own round trips before it loads: here only what that leaves open is proven, once.
    prepare: async (condition, report) => {
      under = undefined;
      made = [];
      const key = JSON.stringify([backend, condition]);
      const proof = proven.get(key);
      if (proof !== undefined) {
        under = { condition, proof };
        return null;
      }
      for (let attempt = 1; ; attempt++) {
        const { check } = await visits.ask({ ask: 'proof', link: linkFor(), condition });
        if (check !== null) await report(check);
        mustBeOf(backend, check);
        if (check === null || check.faults.length === 0) {
          proven.set(key, check);
          under = { condition, proof: check };
          return check;
        }
        if (attempt === tries) throw outOfTolerance(check, `in any of ${tries} containers`);
      }
    },
    clear: async () => {
      under = undefined;
    },
    takeChecks: () => made.splice(0),
    watch: () => {
      seen = null;
      return async () => seen;
    },
  };

  const load = async (request: Load, { condition, proof }: NonNullable<typeof under>) => {
    const answer = await visits.ask({ ask: 'load', link: linkFor(request.url), lab: origin, condition, load: request });
    if (answer.check !== null) made.push(answer.check);
    mustBeOf(backend, answer.check);
    // Another try gets another container.
    if (answer.kind === 'link-off') throw outOfTolerance(answer.check, 'in the container of this visit');
    if (answer.check !== null && proof !== null) mustBeAlike(answer.check, proof);
    return answer;
  };

  const engine: Engine = {
    load: async (request) => {
      if (under === undefined) throw new Error('A visit in a container has no condition.');
      const answer = await load(request, under).catch((error: unknown) => {
        // Containers may have become others: the next round proves its condition again, while this one's visits keep their proof.
        proven.clear();
        throw error;
      });
      const { evidence, environment, rawNetlog, trace } = answer;
      hosts.note(request.url, deriveResources(evidence), Date.now());
      seen = answer.link;
      return { evidence, environment, ...(rawNetlog && { rawNetlog }), ...(trace && { trace }) };
    },
    takeSteps: async (load) => (await visits.ask({ ask: 'steps', link: linkFor(load.url), lab: origin, load })).state,
    discover: async (site, campaign, runner, visitor) => {
      const link = linkFor(site.url);
      const { discovery, link: watched } = await visits.ask({
        ask: 'discovery',
        link,
        lab: origin,
        site,
        campaign,
        runner,
        ...(visitor && { visitor }),
      });
      hosts.note(
        site.url,
        discovery.hosts.map(({ host, remoteAddress }) => ({ url: `https://${host}/`, remoteAddress })),
        Date.now(),
      );
      seen = watched;
      return discovery;
    },
    close: () => visits.close(),
  };
  return { engine, link: agentLink };
}

function mustBeOf(backend: LinkBackend, check: LinkCheck | null): void {
  const measured = check?.backend ?? 'direct';
  if (measured === backend) return;
  throw new Error(`The visit command was to use the link ${backend}, and checked ${check === null ? 'none' : `the link ${measured}`}.`);
}

/** A proof of loss and rates also holds for links that are made alike. */
function mustBeAlike({ condition, ...check }: LinkCheck, proof: Proof): void {
  if (check.kernel === proof.kernel && isDeepStrictEqual(check.tcLines, proof.tcLines)) return;
  throw new Error(
    `The container of this visit (kernel ${check.kernel}; ${check.tcLines.join('; ')}) differs from the one in which condition ${condition} was ` +
      `proven (kernel ${proof.kernel}; ${proof.tcLines.join('; ')}): a visit command must start all containers from one image, on machines with one kernel.`,
  );
}

const outOfTolerance = ({ backend, kernel, condition, faults }: LinkCheck, where: string): Error =>
  new LinkOutOfTolerance(`The link (${backend}, kernel ${kernel}) does not match condition ${condition} ${where}: ${faults.join('; ')}.`);

// Remembers the addresses of pages' hosts: each container has its own resolver, and the visits of a round should reach the same ones.

/** The least time for which a link's resolver keeps an answer. */
const keepMs = 300_000;
/** Keeps the pages that were loaded last. */
const maxPages = 200;
const maxHostsOfPage = 500;
/** URLs may have other hosts too, with a comma for example; each of these is one word to any program. */
const hostName = /^(?!-)[a-z0-9_-]+(\.[a-z0-9_-]+)*$/;

export class KnownHosts {
  readonly #ignored: (name: string) => boolean;
  /** Hosts of each page; the last seen is the last of a map. */
  readonly #pages = new Map<string, Map<string, { address: string | null; notedAt: number }>>();

  /** @param ignored names that are never resolved */
  constructor(ignored: (name: string) => boolean = () => false) {
    this.#ignored = ignored;
  }

  /**
   * @param page its URL
   * @param seen what was loaded for it; the first address of a host is kept
   * @param now milliseconds
   */
  note(page: string, seen: Iterable<{ url: string; remoteAddress?: string | null | undefined }>, now: number): void {
    const hosts = this.#pages.get(page) ?? new Map<string, { address: string | null; notedAt: number }>();
    this.#pages.delete(page);
    this.#pages.set(page, hosts);
    for (const { url, remoteAddress } of seen) {
      const name = URL.parse(url)?.hostname ?? '';
      if (!remoteAddress || !hostName.test(name) || isIP(name) !== 0 || this.#ignored(name)) continue;
      const address = addressWithoutPort(remoteAddress);
      if (isIP(address) === 0) continue;
      const known = hosts.get(name);
      hosts.delete(name);
      hosts.set(name, known?.address ? known : { address, notedAt: now });
    }
    keepLast(hosts, maxHostsOfPage);
    keepLast(this.#pages, maxPages);
  }

  /** Forgets addresses that are older than five minutes: between rounds, since those of one should have the same. */
  age(now: number): void {
    for (const hosts of this.#pages.values()) for (const known of hosts.values()) if (now - known.notedAt > keepMs) known.address = null;
  }

  /** Null: the name is known, its address has expired. */
  of(page: string): HostAddresses {
    return Object.fromEntries([...(this.#pages.get(page) ?? [])].map(([name, { address }]) => [name, address]));
  }
}

function keepLast(map: Map<string, unknown>, max: number): void {
  for (const oldest of [...map.keys()].slice(0, -max)) map.delete(oldest);
}
