// What the API says of which field of a form.
import { ApiError } from './ask.ts';

/** How a field shows a number: times a factor, with a unit, such as 100 and % for a share. */
export type Shown = { factor?: number | undefined; unit?: string | undefined };

/**
 * As it is said beside its field, where what was given stands already: `/rounds is 0; expected at least 1` becomes `Expected at least 1.`.
 * Limits are in the field's own unit: of a share that is shown in percent, `expected at most 1` becomes `Expected at most 100 %.`.
 */
export function besideField(detail: string, { factor = 1, unit = '' }: Shown = {}): string {
  const [, found, expected] = /^\/\S+ is (.*); expected (?:this: )?(.+?)\.?$/s.exec(detail) ?? [];
  if (expected === undefined) return detail;
  if (found === '""') return 'Fill this in.';
  const words = expected.replace(
    /^(at least|at most|more than|less than) (-?[\d.e+]+)$/,
    (_, side, limit) => `${side} ${Number((Number(limit) * factor).toPrecision(12))}${unit === '' ? '' : ` ${unit}`}`,
  );
  return `Expected: ${words}.`.replace(/^Expected: (?=at |more |less |one |an? )/, 'Expected ');
}

/**
 * What is wrong with one field, in sentences; empty for nothing.
 * @param field its JSON pointer, such as `/cron`; what is wrong below it counts too. A name that another has is wrong at `/name`, a refused address at `/url`.
 */
export function problemAt(problem: Error | null, field: string, shown: Shown = {}): string {
  if (!(problem instanceof ApiError)) return '';
  if (fieldOf(problem) !== undefined) return field === fieldOf(problem) ? problem.message : '';
  const errors = problem.errors.filter(({ pointer }) => isWithin(pathOf(pointer), field));
  const words = errors.map(({ pointer, detail }) => (pathOf(pointer) === field ? besideField(detail, shown) : detail));
  return [...new Set(words)].join(' ');
}
/** Of refusals that are of one field by their kind. */
const fieldOf = ({ type, errors }: ApiError): string | undefined => (errors.length === 0 ? fieldsOfKinds[type] : undefined);
const fieldsOfKinds: Readonly<Record<string, string>> = { 'name-taken': '/name', 'address-refused': '/url' };

/** What stands beside no field of the form: the whole message where nothing is said of fields, else of those that the form doesn't have. */
export function problemBeside(problem: Error | null, fields: readonly string[]): string {
  if (problem === null) return '';
  if (!(problem instanceof ApiError)) return 'This page has a fault; the browser’s console has the details.';
  if (fields.includes(fieldOf(problem) ?? '')) return '';
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
