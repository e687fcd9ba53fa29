// Performs campaigns by a visit command: each load in a container of its own, behind a link of its own.
import { type Capabilities, type Condition, isolations, type LinkCheck, needsShaping, type VisitLink } from '@pronghorn/core';
import type { AgentLink } from '../agent.ts';
import type { Engine, Lab } from '../engines/engine.ts';
import { LinkOutOfTolerance } from '../link/prepare.ts';
import type { LeaseTools } from '../perform-lease.ts';
import type { Workplace, WorkplaceOptions } from '../workplace.ts';
import { VisitCommand } from './visit-command.ts';
import type { LinkAsked } from './wire.ts';

/** Of containers to prove a condition in. */
const tries = 3;

/** @param command for the shell; it has to end in `pronghorn visit` */
export function visitCommandWorkplace(command: string, { choice, allowNet, congestionControl, lab }: WorkplaceOptions): Workplace {
  const visits = new VisitCommand(command);
  const proven = new Set<string>();
  return {
    open: async ({ spec: { conditions } }) => commandTools(visits, proven, { choice, conditions, allowNet, congestionControl }, lab),
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

/** @param proven conditions that a container's link was wholly proven to do */
function commandTools(visits: VisitCommand, proven: Set<string>, link: LinkAsked, lab: Lab | undefined): LeaseTools {
  const origin = lab === undefined ? null : { trust: lab.trust, settings: lab.settings };
  let under: { condition: Condition; report(check: LinkCheck): Promise<void> } | undefined;
  let seen: VisitLink | null = null;

  const agentLink: AgentLink = {
    // Each visit's container measures its own round trips before it loads: here only what that leaves open is proven, once.
    prepare: async (condition, report) => {
      under = { condition, report };
      const key = JSON.stringify([link.conditions.some(needsShaping), condition]);
      if (proven.has(key)) return null;
      for (let attempt = 1; ; attempt++) {
        const { check } = await visits.ask({ ask: 'proof', link, condition });
        if (check !== null) await report(check);
        if (check === null || check.faults.length === 0) {
          proven.add(key);
          return check;
        }
        if (attempt === tries) throw outOfTolerance(check, `in any of ${tries} containers`);
      }
    },
    clear: async () => {
      under = undefined;
    },
    watch: () => {
      seen = null;
      return async () => seen;
    },
  };

  const engine: Engine = {
    load: async (load) => {
      if (under === undefined) throw new Error('No condition was chosen for a visit in a container.');
      const { condition, report } = under;
      const answer = await visits.ask({ ask: 'load', link, lab: origin, condition, load }).catch((error: unknown) => {
        // Whatever it was: a campaign's rounds must not run through a command that no longer works, so the next one begins with a proof.
        proven.clear();
        throw error;
      });
      if (answer.check !== null) await report(answer.check);
      if (answer.told === 'link-off') {
        // Another try gets another container; the next round proves the condition anew.
        proven.clear();
        throw outOfTolerance(answer.check, 'in the container of this visit');
      }
      seen = answer.link;
      return { evidence: answer.evidence, environment: answer.environment };
    },
    discover: async (site, campaign, runner) => {
      const answer = await visits.ask({ ask: 'discovery', link, lab: origin, site, campaign, runner });
      seen = answer.link;
      return answer.discovery;
    },
    close: () => visits.close(),
  };
  return { engine, link: agentLink };
}

const outOfTolerance = ({ backend, kernel, condition, faults }: LinkCheck, where: string): Error =>
  new LinkOutOfTolerance(
    `The link (${backend}, kernel ${kernel}) does not do what condition ${condition} says ${where}: ${faults.join('; ')}.`,
  );
