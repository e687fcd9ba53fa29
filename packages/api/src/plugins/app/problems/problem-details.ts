// Whatever goes wrong, the client gets problem details (RFC 9457): what was found, what was expected, what to do; no stack traces.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ProblemKind } from '@pronghorn/core/schemas';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { newRequestId } from '../../../shared/logging.ts';
import { ProblemError } from '../../../shared/problems.ts';
import { explainValidation } from './validation-errors.ts';

export default fp(async (app) => {
  const routes = collectRoutes(app);
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    try {
      return sendProblem(toProblemError(error, request), error, request, reply);
    } catch (fault) {
      return sendProblem(faultOf(request), fault as Error, request, reply); // whatever goes wrong here, too, is told as all else
    }
  });
  // Before its schema: what goes down into a value, such as words on what is wrong with it, would overflow the stack.
  app.addHook('preValidation', async ({ body }) => {
    if (!isNestedDeeper(body, deepest)) return;
    throw new ProblemError(
      'malformed-request',
      `The body is nested more than ${deepest} deep; expected at most that. Nothing of it was kept.`,
    );
  });
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
});

/** Sends a problem; what is the service's own fault is logged with its cause. */
export function sendProblem(problem: ProblemError, cause: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const details = problem.toProblem();
  if (details.status >= 500) request.log.error({ err: cause }, details.title);
  if (problem.kind === 'storage-busy') reply.header('retry-after', '1');
  if (problem.kind === 'too-many-waiting') reply.header('retry-after', '5');
  if (problem.kind === 'results-busy' || problem.kind === 'issuer-away') reply.header('retry-after', '10');
  if (problem.kind === 'queue-full') reply.header('retry-after', '60');
  reply.header('x-request-id', request.id); // also of what fails before any hook
  return reply.code(details.status).type('application/problem+json').serializer(JSON.stringify).send(details);
}

/** What an error means to the client. */
export function toProblemError(error: FastifyError, request: FastifyRequest): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error.validation) return explainValidation(error, request);
  if (request.raw.errored)
    return new ProblemError('malformed-request', 'The connection ended before all of the body had come. Nothing of it was kept.');
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
  if (kind === 'internal-error') return faultOf(request);
  return new ProblemError(kind, explainUnread(error, request));
}

const faultOf = ({ method, url }: FastifyRequest) =>
  new ProblemError('internal-error', `${method} ${url} failed by a fault of the service; its log says why.`);

/** What is asked for has a dozen levels. */
const deepest = 64;

/** Level by level, without recursion. @param value of JSON; what is none, such as a stream, is nested in nothing. */
function isNestedDeeper(value: unknown, most: number): boolean {
  let level = [value].filter(isNest);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === most) return true;
    const next: object[] = [];
    for (const nest of level) for (const inner of Object.values(nest)) if (isNest(inner)) next.push(inner);
    level = next;
  }
  return false;
}

function isNest(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
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

/** Answers on the bare connection, and ends it. */
export function answerUnreadable(this: FastifyInstance, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const { status, ...problem } = problemOf(error).toProblem();
  const body = JSON.stringify({ ...problem, status });
  const id = newRequestId();
  this.log.debug({ event: 'unreadable', request: id, status, from: socket.remoteAddress }, problem.detail);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/problem+json\r\nX-Request-Id: ${id}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function problemOf({ code, message }: NodeJS.ErrnoException): ProblemError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ProblemError('headers-too-large', 'URL and headers have more than 16 KB together. Ask with fewer or shorter parameters.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ProblemError('malformed-request', 'The request did not come to its end in time. Send it again.');
    default:
      return new ProblemError('malformed-request', `What came is no HTTP request (${message}).`);
  }
}
