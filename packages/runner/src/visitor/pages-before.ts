// The pages that a visitor opens before the one that is measured: what they leave in the context is what makes a view warm.
import type { Visitor } from '@pronghorn/core/schemas';
import { kindOf } from '@pronghorn/core/vocabulary';
import { deriveResources } from '../derive/resources.ts';
import { faultOfArrival } from '../derive/verdict.ts';
import type { Load } from '../engines/engine.ts';
import type { Evidence } from '../gather/evidence.ts';
import { VisitorError } from './visitor-error.ts';

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
