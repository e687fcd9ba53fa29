// SQL functions that migrations call, for what SQL alone can't say.
import type { Resource } from '@pronghorn/core/schemas';
import type { Database } from 'better-sqlite3';
import { columns, packResources } from '../plugins/app/resources/packed-resources.ts';
import { textHash } from '../plugins/app/resources/text-hash.ts';

type Value = number | null;
/** Resources are collected; values come in. */
type Collected = (Resource | Value)[];

/**
 * textHash(TEXT): as strings are found by.
 * packedResources(COLUMN, …): an aggregate over the rows of one visit, with the columns in the order in which they are packed, texts as
 * ids and times as microseconds.
 */
export function provideMigrationFunctions(database: Database): void {
  database.function('textHash', { deterministic: true }, (text: unknown) => textHash(String(text)));
  database.aggregate('packedResources', {
    start: (): Collected => [],
    step: (rows, ...values) => void rows.push(resourceOf(values as Value[])),
    result: (rows) =>
      packResources(
        (rows as Resource[]).toSorted((a, b) => a.seq - b.seq),
        Number,
      ),
    varargs: true,
  });
}

const fields = Object.entries(columns);

/** Its texts are ids, as text. */
function resourceOf(values: readonly Value[]): Resource {
  const entries = fields.map(([field, kind], place) => {
    const value = values[place] ?? null;
    if (value === null) return [field, null];
    switch (kind) {
      case 'text':
        return [field, String(value)];
      case 'flag':
        return [field, value === 1];
      case 'time':
      case 'phase':
      case 'part':
      case 'end':
        return [field, value / 1000];
      default:
        return [field, value];
    }
  });
  return Object.fromEntries(entries) as Resource;
}
