import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Problem } from '@pronghorn/core';
import Type from 'typebox';
import { maxEvidenceBytes } from '../../../plugins/app/evidence/evidence-store.ts';
import { removed } from '../../../plugins/app/retention/removed.ts';
import { found, ProblemError } from '../../../problems.ts';
import { rowId } from '../../../storage/row-id.ts';

const params = Type.Object({ id: Type.String() });
const gzip = { schema: Type.Unknown({ description: 'JSON, gzipped; its form is the runner’s.', contentMediaType: 'application/gzip' }) };

/** The raw evidence of a visit, gzipped. */
export default (async (app) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(['application/gzip', 'application/x-gzip'], (_request, payload, done) => done(null, payload));

  app.put(
    '/visits/:id/evidence',
    {
      config: { access: 'runner', problems: ['forbidden', 'body-too-large', 'unsupported-media-type'] },
      schema: {
        summary: 'Store the raw evidence of a visit: 201, or 204 when it was stored before; at most 64 MB',
        params,
        body: { content: { 'application/gzip': gzip } },
        response: { 201: Type.Null(), 204: Type.Null(), '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const given = Number(request.headers['content-length'] ?? 0);
      if (given > maxEvidenceBytes) {
        throw new ProblemError('body-too-large', `The evidence has ${given} bytes; expected at most ${maxEvidenceBytes}, compressed.`);
      }
      const visit = found(app.visits.find(id), `visit ${id}; its evidence comes after it`);
      const { role, tokenId } = request.access;
      const leasedWith = app.leases.ofAttempt(rowId(visit.roundId), visit.attempt)?.tokenId ?? null;
      if (role !== 'admin' && leasedWith !== null && leasedWith !== tokenId) {
        throw new ProblemError('forbidden', `Visit ${id} was made under a lease of another token. Send its evidence with that one.`);
      }
      if (!(request.body instanceof Readable))
        throw new ProblemError('unsupported-media-type', 'There is no body; expected application/gzip.');
      const stored = await app.evidence.put(visit.id, request.body);
      return reply.code(stored === 'new' ? 201 : 204).send(null);
    },
  );

  app.get(
    '/visits/:id/evidence',
    {
      config: { access: 'viewer', problems: ['contents-removed'] },
      schema: {
        summary: 'Read the raw evidence of a visit, gzipped',
        params,
        response: { 200: { description: 'As it was stored.', content: { 'application/gzip': gzip } }, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const seq = found(app.visits.findSeq(id), `visit ${id}`);
      const evidence = await app.evidence.read(id);
      if (evidence === undefined && app.retention.isRemoved('evidence', seq)) throw removed('evidence', id);
      return reply.type('application/gzip').send(found(evidence, `evidence of visit ${id}`));
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
