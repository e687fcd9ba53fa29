// One request of a visit.
import Type, { type Static } from 'typebox';
import { orNull } from './fields.ts';

/** Of what runners of before don't send. */
const notedOrNull = <T extends Type.TSchema>(schema: T, description: string) => Type.Optional(orNull(schema, description));
/** Eleven days: no visit lasts so long, every date made of it can be written, and its microseconds are whole numbers. */
const maxMs = 1e9;
/** Far more than any page has. */
const maxBytes = 1e15;
const phase = (description: string) =>
  orNull(Type.Number({ minimum: 0, maximum: maxMs }), `${description} Milliseconds; null where it did not happen or is not known.`);

/**
 * Of a response's headers, those that say how it was delivered and hold nothing of a person: no cookies, no URLs, no identifiers such as ETag. What
 * changes with each answer (Date, Age, Expires) is left out too, since each text is stored. Server and Alt-Svc are fields of their own.
 */
export const safeHeaders = [
  'accept-ranges',
  'cache-control',
  'cf-cache-status',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'last-modified',
  'priority',
  'timing-allow-origin',
  'transfer-encoding',
  'vary',
  'via',
  'x-cache',
] as const;
export type SafeHeader = (typeof safeHeaders)[number];
/** Of a text of a visit, such as a URL: Chrome takes URLs of 2 MB. Runners cut what is longer, and end it with a hash of the whole. */
export const longestText = 8_192;
/** A text of a visit, of bounded length. */
export const BoundedText = (options: Type.TStringOptions = {}) => Type.String({ maxLength: longestText, ...options });
/** Of a header: thousands of responses may have 250 KB of it each. */
export const longestHeader = 2_000;

const SafeHeaders = Type.Object(
  Object.fromEntries(safeHeaders.map((name) => [name, Type.Optional(Type.String({ maxLength: longestHeader }))])) as Record<
    SafeHeader,
    Type.TOptional<Type.TString>
  >,
  { additionalProperties: false },
);

export const Resource = Type.Object({
  seq: Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Place in the order of requests.' }),
  url: BoundedText(),
  host: BoundedText({ description: 'Host name and, unless it is the scheme’s default, port.' }),
  method: BoundedText(),
  type: BoundedText({ description: 'Chrome’s resource type: Document, Stylesheet, Script, Image, Font, XHR, Fetch, …' }),
  initiatorType: BoundedText({ description: 'parser, script, preload, preflight, early-hints, other, …' }),
  initiatorUrl: orNull(BoundedText()),
  linked: Type.Boolean({
    description: 'Reached without any script: counts for linkedDownload. Firefox tells scripts’ fetches alone, not their elements.',
  }),
  protocol: orNull(BoundedText({ description: 'ALPN identifier: http/1.1, h2, h3.' })),
  connectionId: orNull(Type.Integer({ minimum: 0, maximum: maxBytes })),
  connectionReused: orNull(Type.Boolean()),
  remoteAddress: orNull(BoundedText({ description: 'IP address and port.' })),
  alternateProtocolUsage: orNull(BoundedText({ description: 'How Chrome came to the protocol, in its own words.' })),
  startMs: Type.Number({ minimum: 0, maximum: maxMs, description: 'Start of the request, milliseconds since navigation start.' }),
  queueingMs: phase('Waiting before the request is sent: for a connection, or between the other phases.'),
  dnsMs: phase('Name lookup.'),
  connectMs: phase('Connecting, TLS included.'),
  tlsMs: phase('TLS handshake (for h3 the same time as connect).'),
  sendMs: phase('Sending the request. Firefox tells its beginning alone: null, and waiting begins there.'),
  waitMs: phase('From the request sent to the first byte of the response.'),
  receiveMs: phase('From the first byte to the last.'),
  endMs: orNull(Type.Number({ minimum: 0, maximum: maxMs, description: 'End of the response, milliseconds since navigation start.' })),
  transferBytes: Type.Integer({
    minimum: 0,
    maximum: maxBytes,
    description:
      'Received on the network, headers included; of what did not finish, what had come. Of Firefox bodies that finished alone: it does not tell the rest.',
  }),
  bodyBytes: orNull(
    Type.Integer({
      minimum: 0,
      maximum: maxBytes,
      description: 'Body after decompression. Null where it is not known: of Firefox, where it was compressed, cached or did not finish.',
    }),
  ),
  headerBytes: notedOrNull(
    Type.Integer({ minimum: 0, maximum: maxBytes }),
    'The response’s headers as they came, compressed over HTTP/2 and HTTP/3. Null or absent where the browser does not tell them apart, or nobody noted it.',
  ),
  encodedBodyBytes: notedOrNull(
    Type.Integer({ minimum: 0, maximum: maxBytes }),
    'Body before decompression, without frames. Null or absent where it is not known.',
  ),
  status: orNull(Type.Integer({ minimum: 0, maximum: 999 })),
  mimeType: orNull(BoundedText()),
  priority: orNull(BoundedText()),
  cache: Type.Enum(['none', 'memory', 'disk', 'prefetch', 'service-worker']),
  server: orNull(BoundedText({ description: 'The response’s Server header.' })),
  altSvc: orNull(BoundedText({ description: 'The response’s Alt-Svc header.' })),
  headers: notedOrNull(
    SafeHeaders,
    'Other headers of the response that are safe to keep, each cut after 2,000 characters. Null or absent: there was no response, or nobody noted them.',
  ),
  failure: orNull(
    BoundedText({
      description: 'The browser’s network error, such as net::ERR_CONNECTION_REFUSED, or NS_ERROR_CONNECTION_REFUSED of Firefox.',
    }),
  ),
  blocked: orNull(
    BoundedText({
      description: 'What stopped it, where the network did not fail: csp, mixed-content, cors: …, aborted (by the page), …',
    }),
  ),
});
export type Resource = Static<typeof Resource>;
