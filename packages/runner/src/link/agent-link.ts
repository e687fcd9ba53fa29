// A link as visits use it: where browsers run, and the facts about their packets.
import type { Condition, Environment, LinkCheck, VisitLink } from '@pronghorn/core/schemas';
import type { LaunchContext } from '../machine/unprivileged.ts';

export interface VantagePoint extends LaunchContext {
  link: Environment['link'];
}

/** A link as the loop uses it. */
export interface AgentLink {
  /**
   * Before sites are discovered: learns from their hosts whether IPv6 works, if that is not known yet.
   * @returns what the operator should know
   */
  beginCampaign?(urls: readonly string[]): Promise<string[]>;
  /**
   * Before a round: resolves one set of addresses for its visits, whatever the hosts' nameservers answer in between.
   * @param urls of all hosts that the page is known to use
   * @returns what the operator should know
   */
  beginRound?(urls: readonly string[]): Promise<string[]>;
  /** Applies a condition and proves it, reporting each check; null if there is nothing to prove. See Preparation. */
  prepare(condition: Condition, report: (check: LinkCheck) => Promise<void>): Promise<LinkCheck | null>;
  /** Checks that loads made beside the preparation, since the last call: they are of the round, as those that it reported. */
  takeChecks?(): LinkCheck[];
  /** Removes every condition. */
  clear(): Promise<void>;
  /** Begins to watch. @returns a function that ends it and returns what was observed; null where there is nothing to observe */
  watch(): () => Promise<Watched | null>;
}

/** Observations of the link during a visit, with its shaper's counters before and after, as text of `tc -s qdisc show`. */
export type Watched = VisitLink & { counters?: { before: string; after: string } };

/** Splits it into what the visit's record holds and what its evidence holds. */
export function splitWatched(watched: Watched | null): { link: VisitLink | null; linkCounters: Watched['counters'] } {
  if (watched === null) return { link: null, linkCounters: undefined };
  const { counters, ...link } = watched;
  return { link, linkCounters: counters };
}

/** @returns what was refused, and what to do about it, as sentences; undefined: nothing was */
export function refusalText(refused: readonly string[]): string | undefined {
  if (refused.length === 0) return undefined;
  const more = refused.length > 5 ? ` and ${refused.length - 5} more` : '';
  return `Refused: ${refused.slice(0, 5).join(', ')}${more}. Visits reach public addresses only; --allow-net opens others.`;
}
