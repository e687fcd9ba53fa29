import type { Page, PageQuery } from '@pronghorn/core/schemas';
import { ProblemError } from '../shared/problems.ts';

/** The row that an id of the API names; 0, which no row has, for text that is no such id. */
export const rowId = (id: string): number => (/^[1-9]\d{0,14}$/.test(id) ? Number(id) : 0);

/** Which rows make a page: at most `limit`, beyond the row that the cursor names. */
export type Slice = { limit: number; cursor: number | null };

/** @throws ProblemError invalid-request on a cursor that is from no page. */
export function sliceOf({ limit = 100, cursor }: PageQuery): Slice {
  if (cursor !== undefined && rowId(cursor) === 0) {
    throw new ProblemError(
      'invalid-request',
      `The cursor is "${cursor}"; expected the nextCursor of a page before. Without it, the list starts anew.`,
    );
  }
  return { limit, cursor: cursor === undefined ? null : rowId(cursor) };
}

/**
 * The page that rows make.
 * @param rows in order, one more than `limit` where there are more: it shows that there is a next page.
 */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  keyOf: (row: Row) => number,
): Page<Item> {
  const onPage = rows.slice(0, limit);
  const last = onPage.at(-1);
  return { items: onPage.map(toItem), nextCursor: rows.length > limit && last !== undefined ? String(keyOf(last)) : null };
}

const maxCharacters = 8_000_000;

/**
 * As `pageOf`, for rows of up to megabytes each: a page has at least one row, and ends where it becomes too long.
 * @param rows as of `pageOf`; read no further than needed.
 * @param sizeOf a row, in characters.
 */
export function pageWithin<Row, Item>(
  rows: Iterable<Row>,
  limit: number,
  sizeOf: (row: Row) => number,
  toItem: (row: Row) => Item,
  keyOf: (row: Row) => number,
): Page<Item> {
  const onPage: Row[] = [];
  let [characters, maxRows] = [0, limit];
  for (const row of rows) {
    characters += sizeOf(row);
    if (onPage.length > 0 && characters > maxCharacters) maxRows = Math.min(maxRows, onPage.length);
    onPage.push(row);
    if (onPage.length > maxRows) break;
  }
  return pageOf(onPage, maxRows, toItem, keyOf);
}
