// What the API says of which field of a form.
import { ApiError } from './ask.ts';

/**
 * What is wrong with one field, in sentences; empty for nothing.
 * @param field its JSON pointer, such as `/cron`; what is wrong below it counts too.
 */
export function problemAt(problem: Error | null, field: string): string {
  if (!(problem instanceof ApiError)) return '';
  const found = problem.errors.filter(({ pointer }) => isWithin(pathOf(pointer), field));
  return [...new Set(found.map(({ detail }) => detail))].join(' ');
}

/** What stands beside no field of the form: the whole message where nothing is said of fields, else of those that the form doesn't have. */
export function problemBeside(problem: Error | null, fields: readonly string[]): string {
  if (problem === null) return '';
  if (!(problem instanceof ApiError)) return 'This page has a fault; the browser’s console has the details.';
  if (problem.errors.length === 0) return problem.message;
  const others = problem.errors.filter(({ pointer }) => !fields.some((field) => isWithin(pathOf(pointer), field)));
  return [...new Set(others.map(({ detail }) => detail))].join(' ');
}

/** A pointer as a URI fragment (#/sites/0/url), or the bare name of a query's parameter. */
const pathOf = (pointer: string): string => {
  const path = pointer.replace(/^#/, '');
  return path.startsWith('/') || path === '' ? path : `/${path}`;
};
const isWithin = (path: string, field: string): boolean => path === field || path.startsWith(`${field}/`);
