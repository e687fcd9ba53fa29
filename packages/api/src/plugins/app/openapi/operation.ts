import { STATUS_CODES } from 'node:http';
import { type ProblemKind, problems } from '@pronghorn/core/schemas';
import type { FastifySchema, RouteOptions } from 'fastify';
import { markNames } from './named-schemas.ts';

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
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted; the work goes on.',
  204: 'Success, without content.',
  304: 'Not changed since.',
};

/** Adds to an operation's responses the problems that its route can answer by. */
export function withProblems(operation: { responses?: Record<string, unknown> }, route: RouteOptions): void {
  operation.responses = Object.fromEntries(
    Object.entries({ ...operation.responses, ...problemResponses(route) }).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/**
 * The name of an operation in generated clients: `listCampaigns`, `getCampaign`, `cancelCampaign`, `putLeaseVisit`.
 *
 * @param url as Fastify has it, with or without a prefix of version: /api/v1/campaigns/:id/cancel.
 * @param isList whether it answers by a page of a list.
 */
export function operationIdOf(method: string, url: string, isList: boolean): string {
  const parts = url
    .replace(/^\/api\/v\d+/, '')
    .split('/')
    .filter((part) => part !== '');
  const words = parts.flatMap((part, place) => {
    if (part.startsWith(':')) return [];
    return [pascal((parts[place + 1] ?? '').startsWith(':') ? singular(part) : part)];
  });
  const last = parts.at(-1) ?? '';
  const name = words.join('');
  switch (method) {
    case 'GET':
      return `${isList ? 'list' : 'get'}${name}`;
    case 'PUT':
      return `put${name}`;
    case 'PATCH':
      return `change${name}`;
    case 'DELETE':
      return `delete${name}`;
    default: {
      // What ends in a plural makes one of these; everything else is the verb itself, such as /campaigns/:id/cancel.
      if (isPlural(last)) return `create${words.slice(0, -1).join('')}${pascal(singular(last))}`;
      const [verb = '', ...rest] = pascal(last).replace(/^./, (letter) => letter.toLowerCase());
      return `${verb}${rest.join('')}${words.slice(0, -1).join('')}`;
    }
  }
}

const isPlural = (word: string) => word.endsWith('s');
const singular = (word: string) => word.replace(/ies$/, 'y').replace(/s$/, '');
const pascal = (word: string) => word.replaceAll(/(?:^|[-._])([a-z])/g, (_, letter: string) => letter.toUpperCase());

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Kinds of problems of this route alone; those that follow from its parameters, body and access need not be named. */
    problems?: readonly ProblemKind[];
  }
}

/** By status, the kinds of problems that a route can answer by. */
function problemsOf(route: RouteOptions): Map<number, ProblemKind[]> {
  const { url, schema = {}, config = {} } = route;
  const methods = [route.method].flat();
  const changes = methods.some((method) => method !== 'GET' && method !== 'HEAD');
  // A wrong token is refused everywhere, also where none is needed.
  const kinds: ProblemKind[] = [
    'malformed-request',
    'unauthenticated',
    'unknown-host',
    'rate-limited',
    'headers-too-large',
    'internal-error',
    'issuer-away',
  ];
  if (schema.body || schema.querystring || schema.headers) kinds.push('invalid-request');
  if (url.includes(':')) kinds.push('not-found');
  if (changes) kinds.push('foreign-origin', 'storage-busy', 'storage-full');
  if (schema.body) kinds.push('body-too-large', 'unsupported-media-type');
  const takes = (part: unknown, name: string) => name in ((part as { properties?: object } | undefined)?.properties ?? {});
  if (takes(schema.headers, 'idempotency-key')) kinds.push('key-reused');
  if (takes(schema.headers, 'if-match')) kinds.push('changed-meanwhile');
  if (takes(schema.querystring, 'wait')) kinds.push('too-many-waiting');
  if (config.access !== 'anyone') kinds.push('forbidden');
  if (changes && config.access !== 'anyone' && config.access !== 'viewer') kinds.push('out-of-scope');
  kinds.push(...(config.problems ?? []));
  return Map.groupBy(new Set(kinds), (kind) => problems[kind].status);
}

/** As OpenAPI has responses. */
function problemResponses(route: RouteOptions): Record<string, object> {
  const responses = [...problemsOf(route)].map(([status, kinds]) => [
    status,
    {
      description: kinds.map((kind) => `${problems[kind].title} (\`${kind}\`).`).join(' '),
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  ]);
  return Object.fromEntries(responses);
}
