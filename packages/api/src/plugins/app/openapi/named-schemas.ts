// Schemas of core have the names by which core exports them: in the document each stands once, and everything else refers to it.
import * as core from '@pronghorn/core/schemas';
import Type, { type TSchema } from 'typebox';
import { examples } from './examples.ts';

/** All that Type.IsSchema takes for a schema and has a keyword by which it says something. */
const isSchema = (value: unknown): value is TSchema =>
  Type.IsSchema(value) && !Array.isArray(value) && ['type', 'anyOf', 'enum', 'allOf'].some((keyword) => Object.hasOwn(value, keyword));

const named = Object.entries(core as Record<string, unknown>).filter((entry): entry is [string, TSchema] => {
  const [name, value] = entry;
  return /^[A-Z]/.test(name) && isSchema(value);
});
const schemaOfName = new Map<string, unknown>(named);
const nameOfSchema = new Map<unknown, string>(named.map(([name, schema]) => [schema, name]));
/** An optional property is a copy of its schema, which is told by its content. */
const nameOfContent = new Map(named.toReversed().map(([name, schema]) => [JSON.stringify(schema), name]));

const reference = 'x-schema-name';

/**
 * A copy in which every schema that has a name is a mark with that name; `resolveNames` makes references of them. Not references at
 * once, since @fastify/swagger would look for what they mean.
 *
 * @param from whether the schema itself may be a mark, or only what is in it.
 */
export function markNames(schema: unknown, from: 'itself' | 'inside' = 'itself'): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((item) => markNames(item));
  const name = from === 'itself' ? (nameOfSchema.get(schema) ?? nameOfContent.get(JSON.stringify(schema))) : undefined;
  if (name !== undefined) return { [reference]: name };
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, markNames(value)]));
}

/**
 * Replaces marks by references.
 * @param used every name that is met is added to it.
 */
export function resolveNames(content: unknown, used: Set<string>): unknown {
  if (typeof content !== 'object' || content === null) return content;
  if (Array.isArray(content)) return content.map((item) => resolveNames(item, used));
  const name = (content as Record<string, unknown>)[reference];
  if (typeof name === 'string') {
    used.add(name);
    return { $ref: `#/components/schemas/${name}` };
  }
  return Object.fromEntries(Object.entries(content).map(([key, value]) => [key, resolveNames(value, used)]));
}

/** The named schemas that `used` names, and those that they refer to in turn, by name in alphabetical order. */
export function schemasOf(used: ReadonlySet<string>): Record<string, unknown> {
  const all = new Set(used);
  const schemas = new Map<string, unknown>();
  for (const name of all) {
    // `all` grows as it goes.
    const schema = resolveNames(markNames(schemaOfName.get(name), 'inside'), all) as object;
    schemas.set(name, name in examples ? { ...schema, examples: examples[name as keyof typeof examples] } : schema);
  }
  return Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
}
