// What a discovery visit over h2 found of a site: its hosts, and which of them speak HTTP/3.
import Type, { type Static } from 'typebox';

export const DiscoveredHost = Type.Object({
  host: Type.String({ description: 'host:port' }),
  requests: Type.Integer({ minimum: 0 }),
  transferBytes: Type.Integer({ minimum: 0 }),
  protocol: Type.String({ description: 'What it spoke at discovery.' }),
  server: Type.Union([Type.String(), Type.Null()]),
  altSvc: Type.Union([Type.String(), Type.Null()]),
  remoteAddress: Type.Optional(
    Type.Union([Type.String(), Type.Null()], { description: 'address:port that first answered; absent in discoveries of older runners.' }),
  ),
  offersH3: Type.Boolean({ description: 'Its Alt-Svc names h3 on the same host and port.' }),
  h3: Type.Union([Type.Literal('proven'), Type.Literal('failed'), Type.Literal('not-offered')], {
    description: 'What a probe over forced HTTP/3 said.',
  }),
  probeError: Type.Union([Type.String(), Type.Null()]),
});
export type DiscoveredHost = Static<typeof DiscoveredHost>;

export const SiteDiscovery = Type.Object({
  id: Type.String({ format: 'uuid' }),
  campaignId: Type.String(),
  siteId: Type.String(),
  runner: Type.String(),
  discoveredAt: Type.String(),
  finalUrl: Type.Union([Type.String(), Type.Null()]),
  redirects: Type.Array(Type.String(), { description: 'URLs passed on the way to finalUrl.' }),
  hosts: Type.Array(DiscoveredHost),
  forced: Type.Array(Type.String(), { description: 'host:port of all that visits over h3 force.' }),
  objectCoverage: Type.Number({ minimum: 0, maximum: 1, description: 'Share of discovery’s objects that forced hosts served.' }),
  byteCoverage: Type.Number({ minimum: 0, maximum: 1, description: 'Share of its bytes.' }),
  failure: Type.Union([Type.Object({ reason: Type.String(), detail: Type.String() }), Type.Null()], {
    description: 'Why nothing can be measured here, if so.',
  }),
});
export type SiteDiscovery = Static<typeof SiteDiscovery>;
