// The result of a discovery visit over h2: a site's hosts, and which of them support HTTP/3.
import Type, { type Static } from 'typebox';
import { orNull, Time } from './fields.ts';
import { maxWatchMs } from './visit.ts';

export const DiscoveredHost = Type.Object({
  host: Type.String({ description: 'host:port' }),
  requests: Type.Integer({ minimum: 0 }),
  transferBytes: Type.Integer({ minimum: 0 }),
  protocol: Type.String({ description: 'Protocol used at discovery.' }),
  server: orNull(Type.String()),
  altSvc: orNull(Type.String()),
  remoteAddress: Type.Optional(orNull(Type.String(), 'address:port that answered first; absent if unknown.')),
  httpsRecord: Type.Optional(
    orNull(Type.String(), 'HTTPS records (RFC 9460), such as `1 . alpn=h3,h2`; null: none; absent: no resolver answered.'),
  ),
  h3Elsewhere: Type.Optional(
    orNull(
      Type.String(),
      'Other hosts or ports where it offers HTTP/3, such as `port 8443 (Alt-Svc)`: Chrome finds them, but can’t be made to force them.',
    ),
  ),
  offersH3: Type.Boolean({ description: 'Whether its Alt-Svc header or its HTTPS record names h3 on the same host and port.' }),
  h3: Type.Union([Type.Literal('proven'), Type.Literal('failed'), Type.Literal('not-offered'), Type.Literal('unreliable')], {
    description: 'Result of up to three probes over forced HTTP/3; unreliable: proven before, but failed repeatedly in visits.',
  }),
  probeError: orNull(Type.String()),
});
export type DiscoveredHost = Static<typeof DiscoveredHost>;

/** Of a page with more objects the others are unknown. */
export const maxAnswers = 10_000;

/** What was answered for an object of the page. */
export const DiscoveredAnswer = Type.Object({
  url: Type.String({ description: 'Without its query.' }),
  answer: Type.Enum(['ok', 'error', 'blocked', 'failed'], {
    description: 'ok: a status below 400; error: one of 400 or more; blocked: by CORS, CSP, ORB or another policy; failed: none came.',
  }),
  bodyBytes: orNull(Type.Integer({ minimum: 0 }), 'Body before decompression; of all requests of the URL. Null: unknown.'),
  encoding: orNull(Type.String(), 'Content-Encoding; null: none.'),
});
export type DiscoveredAnswer = Static<typeof DiscoveredAnswer>;

export const SiteDiscovery = Type.Object({
  id: Type.String({ format: 'uuid' }),
  campaignId: Type.String(),
  siteId: Type.String(),
  runner: Type.String(),
  discoveredAt: Time(),
  replaces: Type.Optional(
    orNull(
      Type.String(),
      'Id of the discovery that this one renews; null: the site’s first. If several renew the same one, the first stored counts.',
    ),
  ),
  finalUrl: orNull(Type.String()),
  redirects: Type.Array(Type.String(), { description: 'URLs that redirected on the way to finalUrl.' }),
  broken: Type.Optional(
    Type.Array(Type.String(), { description: 'URLs without queries that already failed during discovery: they make no visit invalid.' }),
  ),
  pauseMs: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: maxWatchMs,
      description: 'Longest pause after which the page, idle already, went on by itself: visits wait for as long. Absent: it did not.',
    }),
  ),
  wentOnMs: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: maxWatchMs,
      description: 'From navigation until it last did so: visits are watched for as long, too. Absent: it did not, or unknown.',
    }),
  ),
  answers: Type.Optional(
    Type.Array(DiscoveredAnswer, {
      maxItems: maxAnswers,
      description: 'What the page’s objects were answered with: visits are compared with it. Absent: unknown.',
    }),
  ),
  urls: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Different URLs that were requested until 2 s after the load event, and answered. Absent: unknown.',
    }),
  ),
  picture: Type.Optional(
    orNull(
      Type.String({ maxLength: 2_304, pattern: '^[A-Za-z0-9+/]+=*$' }),
      'The page’s final picture, much reduced: 32 × 18 pixels of RGB in Base64. Null: none.',
    ),
  ),
  hosts: Type.Array(DiscoveredHost),
  forced: Type.Array(Type.String(), { description: 'host:port of all hosts that visits over h3 force.' }),
  objectCoverage: Type.Number({ minimum: 0, maximum: 1, description: 'Share of the objects at discovery that forced hosts served.' }),
  byteCoverage: Type.Number({ minimum: 0, maximum: 1, description: 'Share of the bytes at discovery that forced hosts served.' }),
  bytes: Type.Optional(Type.Integer({ minimum: 0, description: 'Size of the whole page, over all hosts.' })),
  settled: Type.Optional(
    Type.Boolean({ description: 'Whether the page became quiet; otherwise hosts that it requests later are unknown.' }),
  ),
  hints: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'What the page asks Chrome to prepare, such as `preconnect https://cdn.example/`. It takes effect only in a separate Chrome process.',
    }),
  ),
  failure: orNull(Type.Object({ reason: Type.String(), detail: Type.String() }), 'Why nothing can be measured here; null: it can.'),
});
export type SiteDiscovery = Static<typeof SiteDiscovery>;

/**
 * The current discovery of each site, by the site's id.
 *
 * @param discoveries of one campaign, in the order in which they were stored
 * @param before the current ones before these were stored
 */
export function currentDiscoveries<Known extends Pick<SiteDiscovery, 'id' | 'siteId' | 'replaces'> = SiteDiscovery>(
  discoveries: Iterable<Known>,
  before: ReadonlyMap<string, Known> = new Map(),
): Map<string, Known> {
  const current = new Map(before);
  for (const discovery of discoveries) {
    const { siteId, replaces = null } = discovery;
    if (replaces === (current.get(siteId)?.id ?? null)) current.set(siteId, discovery);
  }
  return current;
}

/**
 * The hosts that a campaign's visits over HTTP/3 force: one list for all sites, so that one Chrome serves them. A host that is proven for one
 * site but failed for another uses HTTP/2 for both: a forced host that fails leaves objects out of a page.
 */
export function forceListOf(discoveries: Iterable<SiteDiscovery>): string[] {
  const [proven, failed] = [new Set<string>(), new Set<string>()];
  for (const { hosts } of discoveries) {
    for (const { host, h3 } of hosts) {
      if (h3 === 'proven') proven.add(host);
      else if (h3 !== 'not-offered') failed.add(host);
    }
  }
  return [...proven].filter((host) => !failed.has(host)).sort();
}

/** A change in the hosts that a site's visits force. */
interface ForceListChange {
  discoveredAt: string;
  /** host:port of hosts that were forced from then on. */
  added: string[];
  /** host:port of hosts that used HTTP/2 from then on. */
  removed: string[];
}

/**
 * Changes of the force list between rounds of one site.
 *
 * @param discoveries of one site, in the order in which they were stored
 */
export function forceListChanges(discoveries: Iterable<SiteDiscovery>): ForceListChange[] {
  const changes: ForceListChange[] = [];
  let current: SiteDiscovery | undefined;
  let list: readonly string[] | undefined;
  for (const discovery of discoveries) {
    if ((discovery.replaces ?? null) !== (current?.id ?? null)) continue;
    current = discovery;
    if (discovery.failure !== null) continue;
    const { forced, discoveredAt } = discovery;
    const [added, removed] = [forced.filter((host) => !list?.includes(host)), (list ?? []).filter((host) => !forced.includes(host))];
    if (list !== undefined && added.length + removed.length > 0) changes.push({ discoveredAt, added, removed });
    list = forced;
  }
  return changes;
}
