// Reads a configuration: defaults, then the file, then the environment, then flags; later ones win. Also the settings of its schema: path, environment
// variable, and expected value in words.
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import Type, { type TSchema } from 'typebox';
import { Check, Errors } from 'typebox/value';
import { UsageError } from '../program/errors.ts';
import { dataFolder, readJson } from '../program/files.ts';
import { table } from '../program/terminal.ts';
import { type Config, ConfigSchema } from './schema.ts';

export interface ConfiguredOptions {
  config?: string;
  data?: string;
}

const usualFile = 'pronghorn.config.json';

/** Variables with our prefix that belong to other commands. */
const otherVariables =
  /^PRONGHORN_(CONFIG|API|TOKEN|ID_TOKEN|DEBUG|LINK|TOOLS|CHROME|HEADLESS_SHELL|NO_SANDBOX|NGINX|CADDY|NAME|LOCATION|TEST_\w+|BENCH_\w+|FUZZ_\w+)$/;

type Sources = {
  /** Named by --config. */
  file?: string | undefined;
  environment: Record<string, string | undefined>;
  /** By path, such as 'listen.port'. */
  flags?: Record<string, unknown>;
  /** The folder of the usual file, and the base of relative paths in the environment and in flags. */
  directory: string;
};

/** The source of each value: 'default', the name of a file, a variable, or a flag. */
export type Origins = Record<string, string>;

type Effective<Config> = { config: Config; origins: Origins; warnings: string[] };

type Finding = { value: unknown; origin: string };

/**
 * @param schema an object of objects, whose leaves have defaults
 * @throws UsageError that names every problem with its place, its value and what was expected
 */
export function readConfig<Config>(schema: TSchema, { file, environment, flags = {}, directory }: Sources): Effective<Config> {
  const leaves = leavesOf(schema);
  const findings = new Map<string, Finding>();
  const problems: string[] = [];
  const note = ({ path, schema: leaf }: Leaf, value: unknown, origin: string, place: string) => {
    if (fits(leaf, value)) findings.set(path.join('.'), { value, origin });
    else problems.push(`${place} is ${shown(leaf, value)}; expected ${expectedOf(leaf)}${faultIn(leaf, value)}.`);
  };

  const path = file ?? environment.PRONGHORN_CONFIG ?? (existsSync(resolve(directory, usualFile)) ? usualFile : undefined);
  if (path !== undefined) {
    const name = resolve(directory, path);
    const content = readJson(name, 'The configuration', ' Name another with --config.');
    problems.push(...strangers(schema, content, name));
    for (const leaf of leaves) {
      const value = valueAt(content, leaf.path);
      if (value !== undefined)
        note(leaf, isPath(leaf, value) ? resolve(dirname(name), value) : value, name, `${name}: ${leaf.path.join('.')}`);
    }
  }
  for (const leaf of leaves) {
    const text = environment[leaf.variable];
    if (text === undefined) continue;
    const value = parsed(leaf.schema, text);
    note(leaf, isPath(leaf, value) ? resolve(directory, value) : value, leaf.variable, leaf.variable);
  }
  for (const [key, value] of Object.entries(flags)) {
    const leaf = leaves.find((each) => each.path.join('.') === key);
    if (leaf === undefined) throw new Error(`There is no setting ${key}.`);
    if (value !== undefined) note(leaf, isPath(leaf, value) ? resolve(directory, value) : value, 'flag', `The flag for ${key}`);
  }
  if (problems.length > 0) throw new UsageError(`The configuration cannot be used:\n${problems.map((text) => `  ${text}`).join('\n')}`);

  const config = {} as Record<string, unknown>;
  const origins: Origins = {};
  for (const { path: at, schema: leaf } of leaves) {
    const { value, origin } = findings.get(at.join('.')) ?? { value: leaf.default, origin: 'default' };
    put(config, at, value);
    origins[at.join('.')] = origin;
  }
  return { config: config as Config, origins, warnings: unknownVariables(leaves, environment) };
}

const isPath = ({ path }: Leaf, value: unknown): value is string => path.join('.') === 'data' && typeof value === 'string';

/** Keys that no setting has, and values where a section is expected. */
function strangers(schema: TSchema, content: unknown, name: string, path: readonly string[] = []): string[] {
  if (!Type.IsObject(schema)) return [];
  const place = path.length === 0 ? name : `${name}: ${path.join('.')}`;
  if (content === null || typeof content !== 'object' || Array.isArray(content))
    return [`${place} is ${shown({}, content)}; expected an object.`];
  const known = Object.keys(schema.properties);
  return Object.entries(content).flatMap(([key, value]) => {
    const property = schema.properties[key];
    if (property !== undefined) return strangers(property, value, name, [...path, key]);
    if (path.length === 0 && key === '$schema') return []; // editors use it
    const meant = closest(key, known);
    return [
      `${name}: ${[...path, key].join('.')} is unknown; ${meant === undefined ? `expected one of ${known.join(', ')}` : `did you mean ${meant}?`}${meant === undefined ? '.' : ''}`,
    ];
  });
}

/** A variable that nothing reads is most likely misspelt. */
function unknownVariables(leaves: readonly Leaf[], environment: Sources['environment']): string[] {
  const known = leaves.map(({ variable }) => variable);
  return Object.keys(environment)
    .filter((name) => name.startsWith('PRONGHORN_') && !known.includes(name) && !otherVariables.test(name))
    .sort()
    .map((name) => {
      const meant = closest(name, known);
      return `The environment variable ${name} is unknown and has no effect${meant === undefined ? '.' : `; did you mean ${meant}?`}`;
    });
}

const shown = ({ secret }: { secret?: boolean }, value: unknown) => (secret === true ? 'a secret' : JSON.stringify(value));

function valueAt(content: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (at !== null && typeof at === 'object' ? (at as Record<string, unknown>)[key] : undefined),
    content,
  );
}

function put(config: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const last = path.at(-1) ?? '';
  let at = config;
  for (const key of path.slice(0, -1)) {
    at[key] ??= {};
    at = at[key] as Record<string, unknown>;
  }
  at[last] = value;
}

/** Each setting with its value and source; secrets are hidden. */
export function printedConfig(schema: TSchema, { config, origins }: Effective<object>): string {
  const rows = leavesOf(schema).map(({ path, schema: { secret } }) => {
    const value = path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], config);
    return [path.join('.'), secret === true && value !== null ? '(hidden)' : JSON.stringify(value), origins[path.join('.')] ?? ''];
  });
  return table(['setting', 'value', 'from'], rows, [0, 1, 2]);
}

/**
 * Warns of variables that nothing reads.
 * @param flags by path, such as 'listen.port'; undefined: not given
 * @throws UsageError that names every problem
 */
export function configOf({ config: file, data }: ConfiguredOptions, flags: Record<string, unknown> = {}) {
  const sources = { file, environment: process.env, flags: { data, ...flags }, directory: process.cwd() };
  const effective = readConfig<Config>(ConfigSchema, sources);
  for (const warning of effective.warnings) console.error(`pronghorn: ${warning}`);
  if (effective.origins.data === 'default') effective.config.data = dataFolder(undefined).path;
  return { ...effective, printed: () => printedConfig(ConfigSchema, effective) };
}

export const budgetBytes = ({ evidence: { budgetMb } }: Config): number | null => (budgetMb === null ? null : budgetMb * 1e6);

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

const variableOf = (path: readonly string[]): string =>
  ['PRONGHORN', ...path.map((word) => word.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase())].join('_');

/** The expected value of a setting, to follow "expected". */
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

/** The typed value of an environment variable or flag; unreadable text stays text, so that the message shows it. */
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

/** Where a list of objects is wrong, as the end of a sentence; nothing for other values, which are short. */
export function faultIn(schema: TSchema, value: unknown): string {
  if (!Type.IsArray(schema) || !Type.IsObject(schema.items) || !Array.isArray(value)) return '';
  const [first] = Errors(schema, value);
  if (first === undefined) return '';
  const words = first.message === 'schema is false' ? 'is unknown' : first.message;
  return ` (${first.instancePath.slice(1).replaceAll('/', '.')} ${words})`;
}

/** The item of `known` that was likely meant; undefined where none is close. */
export function closest(word: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((each) => ({ each, steps: stepsBetween(word.toLowerCase(), each.toLowerCase()) }))
    .sort((a, b) => a.steps - b.steps);
  return best !== undefined && best.steps <= Math.max(2, word.length / 3) ? best.each : undefined;
}

/** Number of letters to add, remove or replace (Levenshtein 1966). */
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
