// The health of the service.
import Type, { type Static } from 'typebox';

export const Health = Type.Object({ status: Type.Literal('ok') });
export type Health = Static<typeof Health>;

/** The service's health, as a client of the API sees it. */
export const ServiceHealth = Type.Object({
  ...Health.properties,
  version: Type.String({ description: 'Version of the service.' }),
});
export type ServiceHealth = Static<typeof ServiceHealth>;

const readinessChecks = ['database', 'schema', 'disk', 'evidence', 'clock'] as const;

/** Whether a process can work now, and what prevents it. */
export const Readiness = Type.Object({
  status: Type.Enum(['ready', 'not-ready']),
  checks: Type.Array(
    Type.Object({
      name: Type.Enum([...readinessChecks]),
      ok: Type.Boolean(),
      detail: Type.String({ description: 'What was found; if it is not ok, also what was expected and what to do.' }),
      isWarning: Type.Optional(Type.Boolean({ description: 'True: it keeps nothing from working, but is to be looked at.' })),
    }),
  ),
});
export type Readiness = Static<typeof Readiness>;

/** The versions of the API that a service offers. */
export const ApiVersions = Type.Object({
  service: Type.Literal('pronghorn'),
  version: Type.String({ description: 'Version of the service, which determines the fields of its bodies.' }),
  versions: Type.Array(
    Type.Object({
      version: Type.String({ description: 'Such as v1.' }),
      status: Type.Enum(['current', 'deprecated'], { description: 'deprecated: it will be removed; its responses say when.' }),
      url: Type.String({ description: 'Prefix of the paths of its routes, on this host.' }),
      openapi: Type.String({ description: 'Its OpenAPI document, on this host.' }),
    }),
    { description: 'Newest first.' },
  ),
  docs: Type.String({ description: 'A page that shows the newest document, on this host.' }),
});
export type ApiVersions = Static<typeof ApiVersions>;
