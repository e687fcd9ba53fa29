// The OpenAPI 3.1 document of all routes, made of their schemas.
import swagger from '@fastify/swagger';
import { version } from '@pronghorn/core/vocabulary';
import type { RouteOptions } from 'fastify';
import fp from 'fastify-plugin';
import { resolveNames, schemasOf } from '../app/openapi/named-schemas.ts';
import { describe, withProblems } from '../app/openapi/operation.ts';

/** Before any route. `app.swagger()` has the document once the app is ready. */
export default fp(async (app) => {
  const routes = new Map<string, RouteOptions>();
  await app.register(swagger, {
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Pronghorn',
        version,
        description:
          'Whether HTTP/3 makes pages load faster: campaigns, their visits and results, runners, schedules, gates. Errors are problem details (RFC 9457).',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'This service.' }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'A token of this service.' },
          cookie: {
            type: 'apiKey',
            in: 'cookie',
            name: sessionCookie,
            description: 'The session of the dashboard; over https its name is __Host-pronghorn.',
          },
        },
      },
    },
    transform: ({ schema, url, route }) => {
      const isOurs = url.startsWith('/api/') && schema?.hide !== true;
      if (!isOurs) return { schema: { hide: true }, url };
      const described = describe(route);
      routes.set(String(described.operationId), route);
      return { schema: described, url };
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) throw new Error('The document is not one of OpenAPI.');
      const used = new Set<string>(['Problem']);
      const openapi = resolveNames(document.openapiObject, used) as Document;
      const operations = Object.values(openapi.paths).flatMap((path) => Object.values(path));
      for (const operation of operations) {
        const route = routes.get(operation.operationId);
        if (route) withProblems(operation, route);
      }
      const tags = [...new Set(operations.flatMap((operation) => operation.tags))].sort();
      const components = { ...openapi.components, schemas: schemasOf(used) };
      return { ...openapi, tags: tags.map((name) => ({ name })), components } as object;
    },
  });
});

type Operation = { operationId: string; tags: string[]; responses?: Record<string, unknown> };
/** What is worked on here of a document. */
type Document = { paths: Record<string, Record<string, Operation>>; components: object };

/** As `cookieName` of plugins/app/access/access.ts has it, over http. */
const sessionCookie = 'pronghorn';
