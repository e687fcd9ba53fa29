import { STATUS_CODES } from 'node:http';
import type { FastifySchema, RouteOptions } from 'fastify';
import { markNames } from './named-schemas.ts';
import { operationIdOf } from './operation-id.ts';
import { problemResponses } from './problem-responses.ts';

type Responses = Record<string, { description?: string; content?: object; items?: object } & Record<string, unknown>>;

/**
 * What the document says of a route, as @fastify/swagger takes it: with its operation id, its tag (the noun of its path), who may ask,
 * and its success codes one by one. Problems are added by `withProblems`, since they are of another media type.
 */
export function describe(route: RouteOptions): FastifySchema {
  const { url, config } = route;
  const schema = route.schema ?? {};
  const given = (schema.response ?? {}) as Responses;
  const method = [route.method].flat()[0] ?? 'GET';
  const isList = (given['200'] as { properties?: object } | undefined)?.properties?.['nextCursor' as never] !== undefined;
  const noun = url.replace(/^\/api\/v\d+\//, '').split('/')[0] ?? '';
  return {
    ...schema,
    operationId: schema.operationId ?? operationIdOf(method, url, isList),
    tags: schema.tags ?? [noun.replace(/\..*$/, '')],
    security: config?.access === 'anyone' ? [] : [{ bearer: [] }, { cookie: [] }],
    ...(schema.body ? { body: withBinaries(markNames(schema.body)) } : {}),
    ...(schema.querystring ? { querystring: markNames(schema.querystring, 'inside') } : {}),
    ...(schema.params ? { params: markNames(schema.params, 'inside') } : {}),
    ...(schema.headers ? { headers: markNames(schema.headers, 'inside') } : {}),
    response: successes(given),
  };
}

/** `2xx` stands for "made" and "was there before": both are told. */
function successes(given: Responses): Record<string, unknown> {
  const codes = Object.entries(given).flatMap(([status, response]) => {
    if (/^[45]/.test(status)) return [];
    return (/^2xx$/i.test(status) ? ['200', '201'] : [status]).map((code) => [code, responseOf(code, response)] as const);
  });
  return Object.fromEntries(codes);
}

const responseOf = (code: string, response: Responses[string]): object => ({
  ...(withBinaries(markNames(response)) as object),
  'x-response-description': response.description ?? meanings[code] ?? STATUS_CODES[code] ?? code,
});

/** Whoever reads the document, a client's generator or a fuzzer, knows bytes by this; to the service they are a stream, which has no schema. */
function withBinaries(schema: unknown): unknown {
  const { content, ...rest } = schema as { content?: Record<string, object> };
  if (content === undefined) return schema;
  const isBinary = (type: string) => type === 'application/gzip' || type.startsWith('video/');
  const binary = (type: string) => ({ schema: { type: 'string', format: 'binary', contentMediaType: type } });
  return {
    ...rest,
    content: Object.fromEntries(Object.entries(content).map(([type, of]) => [type, isBinary(type) ? binary(type) : of])),
  };
}

const meanings: Record<string, string> = {
  200: 'Done, or here it is.',
  201: 'Stored anew.',
  202: 'Taken; the work goes on.',
  204: 'Done; there is nothing to say.',
  304: 'It has not changed since.',
};

/** Adds to an operation's responses the problems that its route can answer by. */
export function withProblems(operation: { responses?: Record<string, unknown> }, route: RouteOptions): void {
  operation.responses = Object.fromEntries(
    Object.entries({ ...operation.responses, ...problemResponses(route) }).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
