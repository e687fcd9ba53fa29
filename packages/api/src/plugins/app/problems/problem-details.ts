// Whatever goes wrong, the client gets problem details (RFC 9457): what was found, what was expected, what to do; no stack traces.
import { STATUS_CODES } from 'node:http';
import type { ProblemKind } from '@pronghorn/core';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { ProblemError } from '../../../problems.ts';
import { explainValidation } from './validation-errors.ts';

export default fp(
  async (app) => {
    const routes = collectRoutes(app);
    app.setErrorHandler<FastifyError>((error, request, reply) => sendProblem(toProblemError(error, request), error, request, reply));
    app.setNotFoundHandler((request, reply) => {
      const allowed = routes.methodsOf(request.url);
      if (allowed.length > 0) reply.header('allow', allowed.join(', '));
      const what = `${request.method} ${request.url}`;
      const problem =
        allowed.length > 0
          ? new ProblemError('method-not-allowed', `${what}: expected ${allowed.join(', ')}.`)
          : new ProblemError('not-found', `${what}: there is nothing here. docs/api.md lists what there is.`);
      return sendProblem(problem, problem, request, reply);
    });
  },
  { name: 'problem-details' },
);

/** Sends a problem; what is the service's own fault is logged with its cause. */
export function sendProblem(problem: ProblemError, cause: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const details = problem.toProblem();
  if (details.status >= 500) request.log.error({ err: cause }, details.title);
  if (problem.kind === 'storage-busy') reply.header('retry-after', '1');
  if (problem.kind === 'results-busy' || problem.kind === 'issuer-away') reply.header('retry-after', '10');
  if (problem.kind === 'queue-full') reply.header('retry-after', '60');
  return reply.code(details.status).type('application/problem+json').serializer(JSON.stringify).send(details);
}

/** What an error means to the client. */
export function toProblemError(error: FastifyError, request: FastifyRequest): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error.validation) return explainValidation(error, request);
  const { code = '', statusCode = 500 } = error;
  if (code === 'SQLITE_FULL' || code === 'ENOSPC' || code === 'EDQUOT') {
    return new ProblemError(
      'storage-full',
      'There is no room to store this. Nothing of it was kept; free some disk space and send it again.',
    );
  }
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return new ProblemError('storage-busy', 'Another process holds the database. Nothing was stored; send it again in a second.');
  }
  const kind = kindOf(statusCode);
  if (kind === 'internal-error') {
    return new ProblemError(kind, `${request.method} ${request.url} failed by a fault of the service; its log says why.`);
  }
  return new ProblemError(kind, explainUnread(error, request));
}

/** Why a body could not be read, in words that say what to send. */
function explainUnread({ code, message }: FastifyError, request: FastifyRequest): string {
  const type = request.headers['content-type'];
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_EMPTY_TYPE': {
      const expected = request.server.hasContentTypeParser('application/json') ? 'application/json' : 'application/gzip';
      return `Content-Type is ${type === undefined ? 'missing' : `"${type}"`}; expected ${expected}.`;
    }
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return `The body has more than ${request.routeOptions.bodyLimit} bytes, which is the most that is taken here. Send less at once.`;
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return 'The body is empty, but Content-Type says JSON. Send JSON, or leave Content-Type out.';
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return 'The body is not JSON, but Content-Type says so. Send JSON.';
    default:
      return `${message}.`;
  }
}

function kindOf(status: number): ProblemKind {
  if (status === 404) return 'not-found';
  if (status === 413) return 'body-too-large';
  if (status === 415) return 'unsupported-media-type';
  return STATUS_CODES[status] !== undefined && status < 500 ? 'malformed-request' : 'internal-error';
}

/** Fastify answers a known path with another method by 404; to say 405, it must be known which paths there are. */
function collectRoutes(app: FastifyInstance) {
  const methodsByPath = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return;
    const methods = methodsByPath.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each);
    methodsByPath.set(url, methods);
  });
  return {
    methodsOf(url: string): string[] {
      const path = url.split('?', 1)[0] ?? '';
      const fits = (pattern: string) => new RegExp(`^${pattern.replaceAll(/:[^/]+/g, '[^/]+')}$`).test(path);
      return [...methodsByPath].filter(([pattern]) => fits(pattern)).flatMap(([, methods]) => [...methods]);
    },
  };
}
