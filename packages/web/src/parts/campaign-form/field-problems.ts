// What is wrong with which field of a campaign's request, by JSON pointer, as the API names it.
import type { CampaignRequest } from '@pronghorn/core/schemas';
import { noNumberWords, notNumbers } from '../../text/typed-number.ts';
import { visitorTextProblems } from './visitor-text.ts';

export type FieldProblem = { pointer: string; detail: string };

/** Those of one field and of what is in it. @param pointer such as `#/sites`. */
export const within = (problems: readonly FieldProblem[], ...pointers: string[]): FieldProblem[] =>
  problems.filter((problem) => pointers.some((pointer) => problem.pointer === pointer || problem.pointer.startsWith(`${pointer}/`)));

/** What can be said at once, without asking; all else is the API's to say. */
export function problemsOf(request: CampaignRequest): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (request.sites.length === 0) problems.push({ pointer: '#/sites', detail: 'Type or paste the URL of at least one page.' });
  if (request.conditions?.length === 0) problems.push({ pointer: '#/conditions', detail: 'Choose at least one condition.' });
  if (request.protocols?.length === 0) problems.push({ pointer: '#/protocols', detail: 'Choose at least one protocol.' });
  if (request.views?.length === 0) problems.push({ pointer: '#/views', detail: 'Choose at least one view.' });
  problems.push(...visitorTextProblems(request.visitor ?? {}));
  for (const pointer of notNumbers(request)) {
    const [, place] = /^#\/sites\/(\d+)\/expectStatus$/.exec(pointer) ?? [];
    const detail =
      place === undefined
        ? `${noNumberWords} Empty means the default.`
        : `The status of page ${Number(place) + 1} is no number; expected one from 100 to 599, such as 200.`;
    problems.push({ pointer, detail });
  }
  return problems;
}

export type Change = { [Key in keyof CampaignRequest]?: CampaignRequest[Key] | undefined };

/** A request without what was left open: undefined is no value of JSON. */
export const changed = (request: CampaignRequest, change: Change): CampaignRequest =>
  Object.fromEntries(Object.entries({ ...request, ...change }).filter(([, value]) => value !== undefined)) as CampaignRequest;
