import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { CreatedToken, Page, PageQuery, Problem, Token, TokenRequest } from '@pronghorn/core/schemas';
import Type from 'typebox';
import { idempotencyHeaders, idempotencyProblems } from '../../../plugins/app/idempotency/idempotency.ts';
import { auditedOf } from '../../../plugins/app/tokens/tokens-repository.ts';
import { found, ProblemError } from '../../../problems.ts';
import { sliceOf } from '../../../storage/page.ts';

const params = Type.Object({ id: Type.String() });
const config = { access: 'admin' } as const;
const tags = ['access'];

/** Tokens: made, listed, revoked. */
export default (async (app) => {
  app.get(
    '/tokens',
    {
      config,
      schema: { summary: 'List tokens, newest first', tags, querystring: PageQuery, response: { 200: Page(Token), '4xx': Problem } },
    },
    async (request) => app.tokens.page(sliceOf(request.query)),
  );

  app.post(
    '/tokens',
    {
      config: { ...config, problems: ['name-taken', 'already-made', ...idempotencyProblems] },
      schema: {
        summary: 'Make a token; it is shown this once',
        tags,
        headers: idempotencyHeaders,
        body: TokenRequest,
        response: { 201: CreatedToken, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const by = request.access.name;
      let created: CreatedToken | undefined;
      const id = await app.once(request, reply, (note) =>
        app.write(() => {
          created = app.tokens.create(request.body, by);
          const { id } = created;
          app.audit.record({ by, action: 'token.create', subject: id, detail: auditedOf(created) });
          note(id);
          return id;
        }),
      );
      if (created?.id !== id) {
        const words = `Token ${id} was made under this Idempotency-Key, and was shown then. Nobody can show it again`;
        throw new ProblemError('already-made', `${words}: revoke it (DELETE /api/v1/tokens/${id}), and make another with another key.`);
      }
      return reply.code(201).header('cache-control', 'no-store').send(created);
    },
  );

  app.delete(
    '/tokens/:id',
    { config, schema: { summary: 'Revoke a token', tags, params, response: { 200: Token, '4xx': Problem } } },
    async (request) => {
      const { id } = request.params;
      const { name, role } = found(app.tokens.find(id), `token ${id}`);
      await app.write(() => {
        if (!app.tokens.revoke(id)) return;
        app.audit.record({ by: request.access.name, action: 'token.revoke', subject: id, detail: { name, role } });
      });
      return found(app.tokens.find(id), `token ${id}`);
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
