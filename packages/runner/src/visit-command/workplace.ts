// Performs campaigns by a visit command: each load in a container of its own, behind a link of its own.
import { isDeepStrictEqual } from 'node:util';
import type { Capabilities, Condition, LinkBackend, LinkCheck, VisitLink } from '@pronghorn/core/schemas';
import { isolations } from '@pronghorn/core/vocabulary';
import type { AgentLink } from '../agent.ts';
import { deriveResources } from '../derive/resources.ts';
import type { Engine, Lab, Load } from '../engines/engine.ts';
import { backendAmong } from '../link/backends.ts';
import { LinkOutOfTolerance } from '../link/prepare.ts';
import type { LeaseTools } from '../perform-lease.ts';
import type { Workplace, WorkplaceOptions } from '../workplace.ts';
import { KnownHosts } from './known-hosts.ts';
import { VisitCommand } from './visit-command.ts';
import type { LinkAsked } from './wire.ts';

/** Of containers to prove a condition in. */
const tries = 3;

/**
 * @param command for the shell; it has to end in `pronghorn visit`
 * @param containers what they can do: a campaign has the same link in each of them, whichever one of them may lack at the time
 */
export function visitCommandWorkplace(
  command: string,
  { choice, allowNet, fencing, congestionControl, lab }: WorkplaceOptions,
  containers: Pick<Capabilities, 'backends'>,
): Workplace {
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
 * What the containers can do; campaigns of other isolations too, where this machine itself can do as much: a campaign is lent to whoever can do
 * what it asks for, whichever of the two that takes.
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

/** What containers' links were wholly proven to do, and what these were made of; null: nothing was to be proven. */
type Proven = Map<string, Proof | null>;
type Proof = Pick<LinkCheck, 'kernel' | 'tcLines'>;

interface Known {
  proven: Proven;
  hosts: KnownHosts;
  lab: Lab | undefined;
  /** Of every container. */
  backend: LinkBackend;
}

function commandTools(
  visits: VisitCommand,
  { proven, hosts, lab, backend }: Known,
  common: Omit<LinkAsked, 'choice' | 'hosts'>,
): LeaseTools {
  const origin = lab === undefined ? null : { trust: lab.trust, settings: lab.settings };
  /** @param page whose hosts are asked for beforehand; undefined: nobody's */
  const linkFor = (page?: string): LinkAsked => ({ ...common, choice: backend, hosts: page === undefined ? {} : hosts.of(page) });
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

  const load = async (asked: Load, { condition, proof }: NonNullable<typeof under>) => {
    const answer = await visits.ask({ ask: 'load', link: linkFor(asked.url), lab: origin, condition, load: asked });
    if (answer.check !== null) made.push(answer.check);
    mustBeOf(backend, answer.check);
    // Another try gets another container.
    if (answer.told === 'link-off') throw outOfTolerance(answer.check, 'in the container of this visit');
    if (answer.check !== null && proof !== null) mustBeAlike(answer.check, proof);
    return answer;
  };

  const engine: Engine = {
    load: async (asked) => {
      if (under === undefined) throw new Error('No condition was chosen for a visit in a container.');
      const answer = await load(asked, under).catch((error: unknown) => {
        // Containers may have become others: the next round proves its condition anew, while this one's visits stay with what it was proven by.
        proven.clear();
        throw error;
      });
      const { evidence, environment, rawNetlog, trace } = answer;
      hosts.note(asked.url, deriveResources(evidence), Date.now());
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
  const found = check?.backend ?? 'direct';
  if (found === backend) return;
  throw new Error(
    `The visit command was asked for the link ${backend}, and measured ${check === null ? 'nothing of it' : `one of ${found}`}.`,
  );
}

/** What a proof says of loss and rates holds for what is made alike. */
function mustBeAlike({ condition, ...check }: LinkCheck, proof: Proof): void {
  if (check.kernel === proof.kernel && isDeepStrictEqual(check.tcLines, proof.tcLines)) return;
  throw new Error(
    `The container of this visit (kernel ${check.kernel}; ${check.tcLines.join('; ')}) is not like the one in which condition ${condition} was ` +
      `proven (kernel ${proof.kernel}; ${proof.tcLines.join('; ')}): all containers of a visit command have to be of one image, on machines with one kernel.`,
  );
}

const outOfTolerance = ({ backend, kernel, condition, faults }: LinkCheck, where: string): Error =>
  new LinkOutOfTolerance(
    `The link (${backend}, kernel ${kernel}) does not do what condition ${condition} says ${where}: ${faults.join('; ')}.`,
  );
