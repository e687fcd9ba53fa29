// Fields of a form as a table, for FormFields.vue; how typed text becomes a value; what a change makes of an object.
import { noNumberWords, notNumbers, typedNumber } from '../../text/typed-number.ts';
import type { FieldProblem } from './problems.ts';

/** Undefined: nothing is typed. */
export interface TextForm<Value> {
  read(text: string): Value | undefined;
  write(value: Value | undefined): string;
}

/** The hint says what the chosen one means. */
export interface Choice<Value extends string = string> {
  value: Value;
  name: string;
  words?: string;
  /** The heading above it and its neighbours; empty or undefined: none. */
  group?: string;
}

/** The field of one key of an object. */
export type Field<Of extends object> = {
  key: keyof Of & string;
  label: string;
  hint?: string;
  /** The meaning of an empty field, as one would type it. */
  placeholder?: string;
  /** The value of an empty field or the first choice; default: its key is left out. */
  empty?: unknown;
} & (
  | { kind?: 'text'; maxLength?: number; suggestions?: readonly string[] }
  | { kind: 'number'; unit?: string; factor?: number }
  | { kind: 'lines'; form: TextForm<unknown>; rows?: number; suggestions?: readonly string[] }
  | { kind: 'choice'; choices: readonly Choice[] }
);

export const plainText: TextForm<string> = { read: (text) => text || undefined, write: (value = '') => value };

/** Without rounding errors of arithmetic: 7.000000000000001. */
export const exact = (number: number): number => Number(number.toPrecision(12));

/** NaN: the typed text is not a number. @param factor the shown number is the value times this: 100 for a share in percent. */
export const numberText = (factor = 1): TextForm<number> => ({
  read: (text) => {
    const number = typedNumber(text);
    return number === undefined ? undefined : exact(number / factor);
  },
  write: (value) => (value === undefined || Number.isNaN(value) ? '' : String(exact(value * factor))),
});

/** Typed text that is not a number. @param empty what an empty field means. */
export const wrongNumbers = (form: unknown, empty = ''): FieldProblem[] =>
  notNumbers(form).map((pointer) => ({ pointer, detail: `${noNumberWords}${empty}` }));

/** The trimmed parts of a text. */
export const listed = (text: string, separator: string | RegExp = ','): string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');

export type Change<Of> = { [Key in keyof Of]?: Of[Key] | undefined };

/** The object with a change; undefined is no value of JSON, so its key is left out. */
export const changed = <Of extends object>(whole: Of, change: Change<Of>): Of =>
  Object.fromEntries(Object.entries({ ...whole, ...change }).filter(([, value]) => value !== undefined)) as Of;

/** As `changed`; undefined where nothing is left. */
export function changedOrNone<Of extends object>(whole: Of | undefined, change: Change<Of>): Of | undefined {
  const next = changed({ ...whole } as Of, change);
  return Object.keys(next).length === 0 ? undefined : next;
}
