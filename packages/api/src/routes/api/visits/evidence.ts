import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { EvidenceKind, evidenceForms, Filmstrip, VisitEvidence } from '@pronghorn/core/schemas';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { readFilmstrip, UnreadableEvidence } from '../../../plugins/app/evidence/read-filmstrip.ts';
import { contentsRemoved } from '../../../plugins/app/retention/retention-commands.ts';
import { found, ProblemError } from '../../../shared/problems.ts';
import { callerOf } from '../../../store/caller.ts';
import { allow, params } from '../../route.ts';

const paramsWithKind = Type.Object({ id: Type.String(), kind: EvidenceKind });
const headers = Type.Object({
  'content-digest': Type.Optional(
    Type.String({ description: 'Of RFC 9530, such as sha-256=:BASE64=:. What arrives with another SHA-256 is refused.' }),
  ),
});
/** As a stream, whatever its bytes are; what the document says of them is by their media type. */
const bytes = { schema: Type.Unknown() };
const mediaTypes = [...new Set(Object.values(evidenceForms).flatMap((form) => form.mediaTypes))];
const anyForm = Object.fromEntries(mediaTypes.map((type) => [type, bytes]));
const FilmstripQuery = Type.Object(
  { frames: Type.Optional(Type.Integer({ minimum: 1, maximum: 240, default: 60, description: 'Maximum number of frames.' })) },
  { additionalProperties: false },
);

/** What is kept of a visit beside its record. */
export default (async (app) => {
  app.removeAllContentTypeParsers();
  // Of any type: what is expected depends on the kind, so it is this route that says so.
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));

  async function put(request: FastifyRequest, reply: FastifyReply, { id, kind }: { id: string; kind: EvidenceKind }) {
    const { role, tokenId } = request.access;
    const { leasedWith, isTooOld } = await app.store.evidence.uploadOf(id);
    if (role !== 'admin' && leasedWith !== null && leasedWith !== tokenId) {
      throw new ProblemError('forbidden', `Visit ${id} was made under a lease of another token. Send its evidence with that one.`);
    }
    if (isTooOld) throw contentsRemoved('evidence', id);
    const mediaType = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().replace('/x-gzip', '/gzip') ?? '';
    const expected = evidenceForms[kind].mediaTypes;
    if (!(request.body instanceof Readable)) {
      throw new ProblemError('unsupported-media-type', `There is no body; expected ${expected.join(' or ')}.`);
    }
    if (!expected.includes(mediaType)) {
      throw new ProblemError(
        'unsupported-media-type',
        `Content-Type is ${mediaType === '' ? 'missing' : `"${mediaType}"`}; expected ${expected.join(' or ')}.`,
      );
    }
    const length = request.headers['content-length'];
    const stored = await app.evidence.put(id, {
      kind,
      mediaType,
      content: request.body,
      bytes: length === undefined ? undefined : Number(length),
      sha256: digestOf(request.headers['content-digest']),
    });
    return reply.code(stored === 'new' ? 201 : 204).send(null);
  }

  async function kept({ id, kind }: { id: string; kind: EvidenceKind }) {
    const evidence = await app.evidence.read(id, kind);
    if (evidence === undefined && (await app.store.retention.isRemoved('evidence', id))) throw contentsRemoved('evidence', id);
    const there = found(evidence, kind === 'evidence' ? `evidence of visit ${id}` : `${kind} of visit ${id}`);
    if ('gone' in there) throw contentsRemoved('evidence', id, there.gone);
    return there;
  }

  async function get(reply: FastifyReply, place: { id: string; kind: EvidenceKind }) {
    const { mediaType, content } = await kept(place);
    return reply.type(mediaType).send(content);
  }

  const putProblems = [
    'forbidden',
    'malformed-request',
    'already-different',
    'contents-removed',
    'evidence-full',
    'body-too-large',
    'unsupported-media-type',
  ] as const;
  const stored = { 201: Type.Null(), 204: Type.Null() };
  app.put(
    '/visits/:id/evidence',
    allow('runner', {
      summary: 'Store the raw evidence of a visit, once: 201, or 204 when the same was stored before; at most 64 MB',
      params,
      headers,
      body: { content: { 'application/gzip': bytes } },
      response: stored,
      problems: [...putProblems],
    }),
    (request, reply) => put(request, reply, { ...request.params, kind: 'evidence' }),
  );
  app.put(
    '/visits/:id/evidence/:kind',
    allow('runner', {
      operationId: 'putVisitEvidenceOfKind',
      summary: 'Store evidence of a kind, once: 201, or 204 when the same was stored before; at most 64 MB',
      params: paramsWithKind,
      headers,
      body: { content: anyForm },
      response: stored,
      problems: [...putProblems],
    }),
    (request, reply) => put(request, reply, request.params),
  );

  app.get(
    '/visits/:id/evidence',
    allow('viewer', {
      summary: 'Read the raw evidence of a visit, gzipped',
      params,
      response: { 200: { description: 'As it was stored.', content: { 'application/gzip': bytes } } },
      problems: ['contents-removed'],
    }),
    (request, reply) => get(reply, { ...request.params, kind: 'evidence' }),
  );
  app.get(
    '/visits/:id/evidence/:kind',
    allow('viewer', {
      operationId: 'getVisitEvidenceOfKind',
      summary: 'Read evidence of a kind',
      params: paramsWithKind,
      response: { 200: { description: 'As it was stored.', content: anyForm } },
      problems: ['contents-removed'],
    }),
    (request, reply) => get(reply, request.params),
  );
  app.get(
    '/visits/:id/netlog',
    allow('viewer', {
      summary: 'Read Chrome’s network log of an extra visit as a JSON file, which Chrome’s netlog viewer, qvis and waterfall-tools open',
      params,
      // The runner claims that it is JSON; nobody has read it.
      response: {
        200: { description: 'As Chrome writes it with --log-net-log.', content: { 'application/octet-stream': bytes } },
      },
      problems: ['contents-removed'],
    }),
    async (request, reply) => {
      const { id } = request.params;
      const { content } = await kept({ id, kind: 'netlog' });
      // As it is stored where the client unpacks it: what a browser saves is the plain file that viewers open.
      const isUnpacked = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(String(request.headers['accept-encoding'] ?? ''));
      return reply
        .type('application/octet-stream')
        .header('content-disposition', `attachment; filename="${id}.netlog.json"`)
        .header('vary', 'accept-encoding')
        .headers(isUnpacked ? { 'content-encoding': 'gzip' } : {})
        .send(isUnpacked ? content : pipeline(content, createGunzip(), () => {}));
    },
  );
  app.get(
    '/visits/:id/evidence-files',
    allow('viewer', {
      summary: 'List the evidence of a visit, and why the rest is gone',
      params,
      response: { 200: VisitEvidence },
    }),
    async (request) => app.store.evidence.ofVisit(request.params.id),
  );

  app.put(
    '/visits/:id/pin',
    allow('submitter', {
      summary: 'Pin the evidence of a visit: keep it regardless of its age, the budget and its campaign’s policy',
      params,
      response: { 204: Type.Null() },
    }),
    async (request, reply) => {
      await app.store.evidence.pin(request.params.id, callerOf(request));
      return reply.code(204).send(null);
    },
  );
  app.delete(
    '/visits/:id/pin',
    allow('submitter', {
      summary: 'Unpin the evidence of a visit',
      params,
      response: { 204: Type.Null() },
    }),
    async (request, reply) => {
      await app.store.evidence.unpin(request.params.id, callerOf(request));
      await app.evidence.removeUnused();
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/visits/:id/filmstrip',
    allow('viewer', {
      summary: 'What was seen of the page while it loaded: frames, and the visual progress curve',
      params,
      querystring: FilmstripQuery,
      response: { 200: Filmstrip },
    }),
    async (request, reply): Promise<Filmstrip> => {
      const { id } = request.params;
      const evidence = await app.evidence.read(id, 'evidence');
      if (evidence !== undefined && 'gone' in evidence) return without(evidence.gone === 'lost' ? 'lost' : 'removed');
      if (evidence === undefined) return without((await app.store.retention.isRemoved('evidence', id)) ? 'removed' : 'not-kept');
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

/** @returns its SHA-256, in hex. @throws ProblemError malformed-request: it has none. */
function digestOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const sha256 = Buffer.from(/(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(String(header))?.[1] ?? '', 'base64');
  if (sha256.length === 32) return sha256.toString('hex');
  throw new ProblemError('malformed-request', `Content-Digest is "${header}"; expected sha-256=:BASE64:, by RFC 9530, with 32 bytes.`);
}

const without = (missing: NonNullable<Filmstrip['missing']>): Filmstrip => ({ frames: [], recorded: 0, progress: null, missing });
