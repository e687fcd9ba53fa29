// Pages of long lists.
import Type, { type Static } from 'typebox';
import { orNull, Time } from './fields.ts';

/** Selects a page: `limit` items, from `cursor` on. */
export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Items per page; default 100.' })),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'nextCursor of the previous page.' })),
};
/** A period. */
export const timeQuery = {
  since: Type.Optional(Time('ISO 8601; inclusive.')),
  until: Type.Optional(Time('ISO 8601; exclusive.')),
};
/** For items with unique names. */
export const NamedPageQuery = Type.Object(
  { ...pageQuery, name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Only the item with this name.' })) },
  { additionalProperties: false },
);
export type NamedPageQuery = Static<typeof NamedPageQuery>;
export const PageQuery = Type.Object(pageQuery, { additionalProperties: false });
export type PageQuery = Static<typeof PageQuery>;

/** A page of `items`. */
export const Page = <Item extends Type.TSchema>(item: Item) =>
  Type.Object({
    items: Type.Array(item),
    nextCursor: orNull(Type.String(), 'Cursor of the next page; null on the last page.'),
  });
export type Page<Item> = { items: Item[]; nextCursor: string | null };
