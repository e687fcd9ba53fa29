// A visitor as a load has one: references followed, own hosts named, and what the steps left.
import type { Step, Visitor } from '@pronghorn/core/schemas';
import { type InvalidReason, kindOf } from '@pronghorn/core/vocabulary';
import type { Protocol as Cdp } from 'devtools-protocol';
import { deriveResources } from '../derive/resources.ts';
import { faultOfArrival } from '../derive/verdict.ts';
import type { Load } from '../engines/engine.ts';
import type { Evidence } from '../gather/evidence.ts';
import type { CpuSlowdown } from '../machine/environment.ts';

/** State that steps leave behind, and that each fresh context begins with. */
export interface VisitorState {
  cookies: Cdp.Network.CookieParam[];
  storage: { origin: string; items: [key: string, value: string][] }[];
}

/** A step with its secret in place of the reference, and the hosts that may see that; null: any. */
export type ResolvedStep = Step & { hosts?: readonly string[] | null };

export interface LoadVisitor {
  /** Values stand in place of references: never to be stored, logged or put into a flag. */
  visitor: Omit<Visitor, 'steps'> & { steps?: ResolvedStep[] };
  /** The page's, which may not be what is loaded: discovery asks other hosts too. */
  pageUrl: string;
  /** Patterns, as `ownHosts` gives them. */
  ownHosts: readonly string[];
  state: VisitorState;
  cpuSlowdown: CpuSlowdown;
}

/** A prerequisite of the page failed: nothing was loaded, and its visits are invalid for this reason. */
export class VisitorError extends Error {
  readonly reason: InvalidReason;

  constructor(reason: InvalidReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** URLs that are loaded in the visit's context before the page: of a warm visit the page itself, unless its visitor says which. */
export function pagesBefore({
  url,
  view,
  visitor,
}: Pick<Load, 'url' | 'view'> & { visitor?: { visitor: Pick<Visitor, 'after'> } }): string[] {
  if (view === 'cold') return [];
  return visitor?.visitor.after?.map((one) => new URL(one, url).href) ?? [url];
}

/**
 * @throws VisitorError that names the page where it did not come: the page that is measured was not tried then. What is a failure of a page is one
 *   of the page behind it too, or a protocol that fails on the way there would be judged by the visits that got through.
 */
export function mustHaveCome(url: string, evidence: Evidence): void {
  const fault = faultOfArrival({ url, view: 'warm', expectStatus: 200, usual: null }, evidence, deriveResources(evidence));
  if (fault === null) return;
  const reason = kindOf(fault.reason) === 'unfit' ? 'step-failed' : fault.reason;
  throw new VisitorError(reason, `The page before, ${url}, failed (${fault.reason}), so this one was not opened: ${fault.detail}`);
}
