import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Type from 'typebox';
import { maxEvidenceBytes } from '../../../plugins/app/evidence/evidence-store.ts';
import { found, ProblemError } from '../../../problems.ts';

const params = Type.Object({ id: Type.String() });

/** The raw evidence of a visit, gzipped. */
export default (async (app) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(['application/gzip', 'application/x-gzip'], (_request, payload, done) => done(null, payload));

  app.put('/visits/:id/evidence', { schema: { params } }, async (request, reply) => {
    const { id } = request.params;
    const given = Number(request.headers['content-length'] ?? 0);
    if (given > maxEvidenceBytes) {
      throw new ProblemError('body-too-large', `The evidence has ${given} bytes; expected at most ${maxEvidenceBytes}, compressed.`);
    }
    const visit = found(app.visits.find(id), `visit ${id}; its evidence comes after it`);
    if (!(request.body instanceof Readable))
      throw new ProblemError('unsupported-media-type', 'There is no body; expected application/gzip.');
    const stored = await app.evidence.put(visit.id, request.body);
    return reply.code(stored === 'new' ? 201 : 204).send();
  });

  app.get('/visits/:id/evidence', { schema: { params } }, async (request, reply) => {
    const { id } = request.params;
    found(app.visits.find(id), `visit ${id}`);
    return reply.type('application/gzip').send(found(await app.evidence.read(id), `evidence of visit ${id}`));
  });
}) satisfies FastifyPluginAsyncTypebox;
