import type { TSchema } from 'typebox';
import { table } from '../terminal.ts';
import { leavesOf } from './leaves.ts';
import type { Effective } from './read.ts';

/** Each setting with its value and where that comes from; what is secret is not shown. */
export function printedConfig(schema: TSchema, { config, origins }: Effective<object>): string {
  const rows = leavesOf(schema).map(({ path, schema: { secret } }) => {
    const value = path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], config);
    return [path.join('.'), secret === true && value !== null ? '(hidden)' : JSON.stringify(value), origins[path.join('.')] ?? ''];
  });
  return table(['setting', 'value', 'from'], rows, [0, 1, 2]);
}
