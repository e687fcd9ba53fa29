// Which problems a route can answer by: those of every route of its kind, and those that it names itself.
import { type ProblemKind, problems } from '@pronghorn/core/schemas';
import type { RouteOptions } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Kinds of problems of this route alone; those that follow from its parameters, body and access need not be named. */
    problems?: readonly ProblemKind[];
  }
}

/** By status, the kinds of problems that a route can answer by. */
export function problemsOf(route: RouteOptions): Map<number, ProblemKind[]> {
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
  if (config.access !== 'anyone') kinds.push('forbidden');
  if (changes && config.access !== 'anyone' && config.access !== 'viewer') kinds.push('out-of-scope');
  kinds.push(...(config.problems ?? []));
  return Map.groupBy(new Set(kinds), (kind) => problems[kind].status);
}

/** As OpenAPI has responses. */
export function problemResponses(route: RouteOptions): Record<string, object> {
  const responses = [...problemsOf(route)].map(([status, kinds]) => [
    status,
    {
      description: kinds.map((kind) => `${problems[kind].title} (\`${kind}\`).`).join(' '),
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  ]);
  return Object.fromEntries(responses);
}
