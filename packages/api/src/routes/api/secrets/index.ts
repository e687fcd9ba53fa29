import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Problem, SealedSecret, SecretUpload, secretName } from '@pronghorn/core/schemas';
import Type from 'typebox';
import { ProblemError } from '../../../problems.ts';

const params = Type.Object({ name: secretName });
const config = { access: 'admin' } as const;
const tags = ['access'];

/** Secrets that campaigns refer to as secret:NAME: put, listed by name, deleted, never read back. */
export default (async (app) => {
  app.get(
    '/secrets',
    {
      config,
      schema: {
        summary: 'List sealed secrets by name, without their values',
        tags,
        response: { 200: Type.Object({ items: Type.Array(SealedSecret) }), '4xx': Problem },
      },
    },
    async () => ({ items: app.secrets.list() }),
  );

  app.put(
    '/secrets/:name',
    {
      config: { ...config, problems: ['secrets-locked'] },
      schema: {
        summary: 'Seal a secret, in place of one of this name',
        tags,
        params,
        body: SecretUpload,
        response: { 200: SealedSecret, '4xx': Problem },
      },
    },
    async (request) => {
      const by = request.access.name;
      const { name } = request.params;
      return app.write(() => {
        const { hosts } = request.body;
        app.audit.record({ by, action: 'secret.put', subject: name, detail: { hosts } });
        return app.secrets.put(name, request.body, by);
      });
    },
  );

  app.delete(
    '/secrets/:name',
    {
      config: { ...config, problems: ['not-found'] },
      schema: { summary: 'Delete a secret; campaigns that refer to it fail', tags, params, response: { 204: Type.Null(), '4xx': Problem } },
    },
    async (request, reply) => {
      const { name } = request.params;
      await app.write(() => {
        if (!app.secrets.delete(name)) throw new ProblemError('not-found', `There is no secret ${name}. GET /api/v1/secrets lists them.`);
        app.audit.record({ by: request.access.name, action: 'secret.delete', subject: name });
      });
      return reply.code(204).send(null);
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
