import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Filmstrip, Problem } from '@pronghorn/core/schemas';
import Type from 'typebox';
import { readFilmstrip, UnreadableEvidence } from '../../../plugins/app/evidence/read-filmstrip.ts';
import { found } from '../../../problems.ts';

const params = Type.Object({ id: Type.String() });
const FilmstripQuery = Type.Object(
  { frames: Type.Optional(Type.Integer({ minimum: 1, maximum: 240, default: 60, description: 'At most so many.' })) },
  { additionalProperties: false },
);

/** What was seen of a visit, out of its raw evidence. That there is none is an answer too: nobody has done anything wrong. */
export default (async (app) => {
  app.get(
    '/visits/:id/filmstrip',
    {
      config: { access: 'viewer' },
      schema: {
        summary: 'What was seen of the page while it loaded: frames, and the visual progress curve',
        params,
        querystring: FilmstripQuery,
        response: { 200: Filmstrip, '4xx': Problem },
      },
    },
    async (request, reply): Promise<Filmstrip> => {
      const { id } = request.params;
      const seq = found(app.visits.findSeq(id), `visit ${id}`);
      const evidence = await app.evidence.read(id, 'evidence');
      if (evidence !== undefined && 'gone' in evidence) return without(evidence.gone === 'lost' ? 'lost' : 'removed');
      if (evidence === undefined) return without(app.retention.isRemoved('evidence', seq) ? 'removed' : 'not-kept');
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      try {
        return await readFilmstrip(evidence.content, request.query.frames ?? 60, gone.signal);
      } catch (error) {
        if (gone.signal.aborted) return without('unreadable'); // nobody is there to read this
        if (!(error instanceof UnreadableEvidence)) throw error;
        request.log.warn({ err: error, visit: id }, 'the evidence of a visit cannot be read');
        return without('unreadable');
      }
    },
  );
}) satisfies FastifyPluginAsyncTypebox;

const without = (missing: NonNullable<Filmstrip['missing']>): Filmstrip => ({ frames: [], recorded: 0, progress: null, missing });
