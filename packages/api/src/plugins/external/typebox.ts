import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox';
import type { FastifySerializerCompiler } from 'fastify';
import fp from 'fastify-plugin';
import type { TSchema } from 'typebox';

/**
 * Requests are checked by TypeBox: a body as it is, a query after turning its texts into what the schema says.
 * @param options.serializerCompiler how replies are written. They are typed by their schemas, so plain JSON will do; a serializer
 *   made from the schema would silently leave out what the schema forgot.
 */
export default fp<{ serializerCompiler?: FastifySerializerCompiler<TSchema> }>(
  async (app, { serializerCompiler = () => JSON.stringify }) => {
    app.removeContentTypeParser('text/plain'); // all that is taken is JSON
    app.setValidatorCompiler(TypeBoxValidatorCompiler);
    app.setSerializerCompiler(serializerCompiler);
  },
  { name: 'typebox' },
);
