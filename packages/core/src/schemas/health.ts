// The health of the service.
import Type, { type Static } from 'typebox';

export const Health = Type.Object({ status: Type.Literal('ok') });
export type Health = Static<typeof Health>;

/** As a client of the API sees it. */
export const ServiceHealth = Type.Object({
  ...Health.properties,
  version: Type.String({ description: 'Of the service’s Pronghorn.' }),
});
export type ServiceHealth = Static<typeof ServiceHealth>;

export const readinessChecks = ['database', 'schema', 'disk', 'evidence', 'clock'] as const;

/** Whether a process can do its work now, and what is in its way. */
export const Readiness = Type.Object({
  status: Type.Enum(['ready', 'not-ready']),
  checks: Type.Array(
    Type.Object({
      name: Type.Enum([...readinessChecks]),
      ok: Type.Boolean(),
      detail: Type.String({ description: 'What was found; where it is not ok, what was expected and what to do.' }),
    }),
  ),
});
export type Readiness = Static<typeof Readiness>;

/** Which versions of the API a service speaks, for a client that does not know yet. */
export const ApiVersions = Type.Object({
  service: Type.Literal('pronghorn'),
  version: Type.String({ description: 'Of the service’s Pronghorn: which fields its bodies have.' }),
  versions: Type.Array(
    Type.Object({
      version: Type.String({ description: 'Such as v1.' }),
      status: Type.Enum(['current', 'deprecated'], { description: 'deprecated: it ends, and its answers say when.' }),
      url: Type.String({ description: 'Before the paths of its routes, on this host.' }),
      openapi: Type.String({ description: 'Its OpenAPI document, on this host.' }),
    }),
    { description: 'Newest first.' },
  ),
  docs: Type.String({ description: 'A page that shows the newest document, on this host.' }),
});
export type ApiVersions = Static<typeof ApiVersions>;
