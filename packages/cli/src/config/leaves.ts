// The single settings of a configuration's schema: each with its path, its environment variable, and what it may be in words.
import Type, { type TSchema } from 'typebox';
import { Check, Errors } from 'typebox/value';

export type Leaf = {
  /** Such as ['listen', 'port']. */
  path: string[];
  /** Such as PRONGHORN_LISTEN_PORT. */
  variable: string;
  schema: TSchema & { default?: unknown; description?: string; secret?: boolean };
};

export function leavesOf(schema: TSchema, path: string[] = []): Leaf[] {
  if (!Type.IsObject(schema)) return [{ path, variable: variableOf(path), schema }];
  return Object.entries(schema.properties).flatMap(([key, property]) => leavesOf(property, [...path, key]));
}

export const variableOf = (path: readonly string[]): string =>
  ['PRONGHORN', ...path.map((word) => word.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase())].join('_');

/** What a setting may be, as the end of "expected …". */
export function expectedOf(schema: TSchema): string {
  const { minimum, maximum, pattern } = schema as { minimum?: number; maximum?: number; pattern?: string };
  if (Type.IsUnion(schema)) return schema.anyOf.map(expectedOf).join(' or ');
  if (Type.IsNull(schema)) return 'null';
  if (Type.IsBoolean(schema)) return 'true or false';
  if (Type.IsEnum(schema)) return `one of ${schema.enum.join(', ')}`;
  if (Type.IsInteger(schema)) return `a whole number from ${minimum} to ${maximum}`;
  if (Type.IsArray(schema)) return Type.IsObject(schema.items) ? 'a list of objects (JSON)' : 'a list of texts';
  if (Type.IsString(schema)) return pattern === undefined ? 'a text' : `a text that begins like ${pattern}`;
  return 'an object';
}

export const fits = (schema: TSchema, value: unknown): boolean => Check(schema, value);

/** What an environment variable or a flag says, typed; what can't be read so stays text, and is refused with its own words. */
export function parsed(schema: TSchema, text: string): unknown {
  const options = Type.IsUnion(schema) ? schema.anyOf : [schema];
  if (options.some(Type.IsNull) && (text === 'null' || text === '')) return null;
  for (const option of options) {
    if (Type.IsBoolean(option) && /^(true|false|yes|no|on|off|1|0)$/i.test(text)) return /^(true|yes|on|1)$/i.test(text);
    if (Type.IsInteger(option) && /^-?\d+$/.test(text.trim())) return Number(text);
    if (Type.IsArray(option) && Type.IsObject(option.items)) return jsonOr(text);
    if (Type.IsArray(option)) return text.split(',').flatMap((item) => item.trim() || []);
  }
  return text;
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Of a list of objects: where it is wrong, as the end of a sentence; nothing of others, which are short. */
export function faultIn(schema: TSchema, value: unknown): string {
  if (!Type.IsArray(schema) || !Type.IsObject(schema.items) || !Array.isArray(value)) return '';
  const [first] = Errors(schema, value);
  if (first === undefined) return '';
  const words = first.message === 'schema is false' ? 'is not known' : first.message;
  return ` (${first.instancePath.slice(1).replaceAll('/', '.')} ${words})`;
}

/** What of `known` was likely meant; undefined where nothing is close. */
export function closest(word: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((each) => ({ each, steps: stepsBetween(word.toLowerCase(), each.toLowerCase()) }))
    .sort((a, b) => a.steps - b.steps);
  return best !== undefined && best.steps <= Math.max(2, word.length / 3) ? best.each : undefined;
}

/** Letters to add, remove or replace (Levenshtein 1966). */
function stepsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (const [j, against] of [...other].entries()) {
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (letter === against ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
