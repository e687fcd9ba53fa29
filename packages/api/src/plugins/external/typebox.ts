import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify';
import type { FastifyValidationResult } from 'fastify/types/schema.js';
import fp from 'fastify-plugin';
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { Errors } from 'typebox/value';

/**
 * Requests are checked by TypeBox: a body as it is, a query after turning its texts into what the schema says.
 * @param options.serializerCompiler how replies are written. They are typed by their schemas, so plain JSON will do; a serializer
 *   made from the schema would silently leave out what the schema forgot.
 */
export default fp<{ serializerCompiler?: FastifySerializerCompiler<TSchema> }>(
  async (app, { serializerCompiler = () => JSON.stringify }) => {
    app.removeContentTypeParser('text/plain'); // all that is taken is JSON
    app.setValidatorCompiler(validatorCompiler);
    app.setSerializerCompiler(serializerCompiler);
  },
  { name: 'typebox' },
);

/**
 * Compiles a route's schemas when it is first asked: of a hundred routes a command that has an api of its own asks ten, and starts a tenth of
 * a second sooner.
 */
const validatorCompiler: FastifySchemaCompiler<TSchema> = (route) => {
  let validate: FastifyValidationResult | undefined;
  return (given: unknown) => {
    validate ??= compile(route);
    return validate(given);
  };
};

const compile: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const validator = validatorOf(schema);
  return (given: unknown) => {
    const value = httpPart === 'body' ? given : queryValues(schema, given);
    return validator.Check(value) ? { value } : { error: errorsOf(schema, value) as never };
  };
};

const validators = new WeakMap<TSchema, Validator>();

/** Of routes that have one schema, such as a page of a list, the first compiles it. */
export function validatorOf(schema: TSchema): Validator {
  const known = validators.get(schema);
  if (known) return known;
  const compiled = Compile(schema);
  validators.set(schema, compiled);
  return compiled;
}

/**
 * Looks for repeated items last: TypeBox takes time by the square of their number, minutes for a megabyte of them, though it knows already
 * that the array is too long. Where nothing else is wrong, `maxItems` of every array of unique items says how many there can be.
 */
function errorsOf(schema: TSchema, value: unknown) {
  const errors = Errors(withoutUniqueItems(schema), value);
  return errors.length > 0 ? errors : Errors(schema, value);
}

const withoutUniqueItems = (schema: TSchema): TSchema =>
  JSON.parse(JSON.stringify(schema, (key, value) => (key === 'uniqueItems' ? undefined : value)));

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
