// A visitor as a load has one: references followed, own hosts named, and what the steps left.
import type { Step, Visitor } from '@pronghorn/core/schemas';
import type { InvalidReason, View } from '@pronghorn/core/vocabulary';
import type { Protocol as Cdp } from 'devtools-protocol';
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
export function pagesBefore({ url, view, visitor }: { url: string; view: View; visitor?: { visitor: Pick<Visitor, 'after'> } }): string[] {
  if (view === 'cold') return [];
  return visitor?.visitor.after?.map((one) => new URL(one, url).href) ?? [url];
}
