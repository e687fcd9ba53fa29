// Problems of a form's fields, by JSON pointer, as the API reports them.
import { ApiRefusal } from '@pronghorn/core/client';
import { isApiError } from '../../service/ask.ts';

export type FieldProblem = { pointer: string; detail: string };

/** The problems of some fields and of everything in them. @param pointers such as `#/sites` */
export const within = (problems: readonly FieldProblem[], ...pointers: string[]): FieldProblem[] =>
  problems.filter((problem) => pointers.some((pointer) => problem.pointer === pointer || problem.pointer.startsWith(`${pointer}/`)));

/** Moves what is wrong with a part as a whole to its first field. @param first such as `{ '#/down/jitter': 'ms' }` */
export const atFirstFields = (problems: readonly FieldProblem[], first: Readonly<Record<string, string>>): FieldProblem[] =>
  problems.map(({ pointer, detail }) => ({ pointer: pointer in first ? `${pointer}/${first[pointer]}` : pointer, detail }));

/** How a field shows a number: times a factor, with a unit, such as 100 and % for a share. */
export type Shown = { factor?: number | undefined; unit?: string | undefined };

/**
 * The text beside a field, which shows the given value already: `/rounds is 0; expected at least 1` becomes `Expected at least 1.`.
 * Limits are in the field's own unit: for a share shown in percent, `expected at most 1` becomes `Expected at most 100 %.`.
 */
export function besideField(detail: string, { factor = 1, unit = '' }: Shown = {}): string {
  const [, given, expected] = /^\/\S+ is (.*); expected (?:this: )?(.+?)\.?$/s.exec(detail) ?? [];
  if (expected === undefined) return detail;
  if (given === '""') return 'Fill this in.';
  const words = expected.replace(
    /^(at least|at most|more than|less than) (-?[\d.e+]+)$/,
    (_, side, limit) => `${side} ${Number((Number(limit) * factor).toPrecision(12))}${unit === '' ? '' : ` ${unit}`}`,
  );
  return `Expected: ${words}.`.replace(/^Expected: (?=at |more |less |one |an? )/, 'Expected ');
}

/** Refusals that concern one field by their kind. */
const fieldsOfKinds: Readonly<Record<string, string>> = { 'name-taken': '#/name', 'address-refused': '#/url' };

/** The API's refusals, by field. */
export function refusals(problem: Error | null): FieldProblem[] {
  if (!(problem instanceof ApiRefusal)) return [];
  const pointer = fieldsOfKinds[problem.type.split(':').at(-1) ?? ''];
  const errors = problem.problem?.errors ?? [];
  if (errors.length === 0) return pointer === undefined ? [] : [{ pointer, detail: problem.message }];
  return errors.map(({ pointer, detail }) => ({ pointer: pointerOf(pointer), detail }));
}

/** A URI fragment (#/sites/0/url) may also be the bare name of a query's parameter. */
function pointerOf(pointer: string): string {
  const path = pointer.replace(/^#?\/?/, '');
  return path === '' ? '#' : `#/${path}`;
}

const sentences = (details: readonly string[]): string => [...new Set(details)].join(' ');

/** The problems of a field and of everything in it, as sentences; empty: none. @param field such as `/cron` */
export function problemAt(problem: Error | null, field: string, shown: Shown = {}): string {
  const all = within(refusals(problem), `#${field}`);
  return sentences(all.map(({ pointer, detail }) => (pointer === `#${field}` ? besideField(detail, shown) : detail)));
}

/** The problems of no shown field: the whole message if the API names no field, else those of other fields. */
export function problemBeside(problem: Error | null, fields: readonly string[]): string {
  if (problem === null) return '';
  if (!isApiError(problem)) return 'This page has a fault; the browser’s console has the details.';
  const all = refusals(problem);
  if (all.length === 0) return problem.message;
  const own = new Set(within(all, ...fields.map((field) => `#${field}`)));
  return sentences(all.filter((one) => !own.has(one)).map(({ detail }) => detail));
}
