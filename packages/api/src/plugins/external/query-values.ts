import type { TSchema } from 'typebox';

/**
 * A query's texts as what its schema says: `limit=20` is a number, `counted=true` true. A text that is no such thing stays one, and is
 * refused: TypeBox alone would take `limit=true` for 1.
 *
 * @param query names and texts; a list where a name came several times.
 */
export function queryValues(schema: TSchema, query: unknown): unknown {
  const { properties } = schema as { properties?: Record<string, { type?: string; items?: TSchema }> };
  if (typeof query !== 'object' || query === null || properties === undefined) return query;
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (property?.type !== 'array') return [name, valueOfText(value, property?.type)];
      const itemType = (property.items as { type?: string } | undefined)?.type;
      return [name, [value].flat().map((item) => valueOfText(item, itemType))];
    }),
  );
}

function valueOfText(value: unknown, type: string | undefined): unknown {
  if (typeof value !== 'string') return value;
  if ((type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
