import { ProblemError } from '../../../problems.ts';

/** What is answered in place of contents that retention removed. */
export const removed = (what: 'resources' | 'evidence', visitId: string) =>
  new ProblemError(
    'contents-removed',
    `The ${what} of visits as old as ${visitId} are not kept so long (retention.${what}Days). Its metrics stay.`,
  );
