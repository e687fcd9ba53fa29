import type { EvidenceGone } from '@pronghorn/core/schemas';
import { ProblemError } from '../../../problems.ts';

/** What is answered in place of contents that were there. */
export const removed = (what: 'resources' | 'evidence', visitId: string, why: EvidenceGone = 'age') =>
  new ProblemError('contents-removed', `${wordsOf(what, visitId, why)} Its metrics stay.`);

function wordsOf(what: 'resources' | 'evidence', visitId: string, why: EvidenceGone): string {
  switch (why) {
    case 'age':
      return `The ${what} of visits as old as ${visitId} are not kept so long (retention.${what}Days).`;
    case 'budget':
      return `The ${what} of visit ${visitId} made room for others’ (evidence.budgetMb). Pin what shall stay.`;
    case 'policy':
      return `The ${what} of visit ${visitId} was kept until its campaign was over, which keeps only other visits’ (evidence).`;
    case 'lost':
      return `The ${what} of visit ${visitId} is lost: its file was missing or damaged. A backup of the folder brings it back.`;
  }
}
