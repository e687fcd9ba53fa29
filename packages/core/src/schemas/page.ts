// Long lists are read a page at a time.
import Type, { type Static } from 'typebox';
import { orNull, Time } from './fields.ts';

/** Which page: as many items as `limit`, from `cursor` on. */
export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Items on a page; default 100.' })),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'nextCursor of the page before.' })),
};
/** From when to when. */
export const timeQuery = {
  since: Type.Optional(Time('ISO 8601: then or later.')),
  until: Type.Optional(Time('ISO 8601: before then.')),
};
/** Of what has names that are unique. */
export const NamedPageQuery = Type.Object(
  { ...pageQuery, name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Only the one of this name.' })) },
  { additionalProperties: false },
);
export type NamedPageQuery = Static<typeof NamedPageQuery>;
export const PageQuery = Type.Object(pageQuery, { additionalProperties: false });
export type PageQuery = Static<typeof PageQuery>;

/** A page of `items`. */
export const Page = <Item extends Type.TSchema>(item: Item) =>
  Type.Object({
    items: Type.Array(item),
    nextCursor: orNull(Type.String(), 'Ask for the next page with it; null on the last.'),
  });
export type Page<Item> = { items: Item[]; nextCursor: string | null };
