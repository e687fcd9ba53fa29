// One request of a visit.
import Type, { type Static } from 'typebox';
import { orNull } from './fields.ts';

/** For values that not every browser reports. */
const notedOrNull = <T extends Type.TSchema>(schema: T, description: string) => Type.Optional(orNull(schema, description));
/** Eleven days: no visit lasts that long, every date derived from it can be written, and its microseconds are whole numbers. */
const maxMs = 1e9;
/** Far more than any page has. */
const maxBytes = 1e15;
const phase = (description: string) =>
  orNull(Type.Number({ minimum: 0, maximum: maxMs }), `${description} Milliseconds; null if it did not happen or is unknown.`);

/**
 * Response headers that describe the delivery and contain nothing personal: no cookies, no URLs, no identifiers such as ETag. Headers that
 * change with each response (Date, Age, Expires) are left out too, because each text is stored. Server and Alt-Svc are separate fields.
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
type SafeHeader = (typeof safeHeaders)[number];
/** Of a text of a visit, such as a URL: Chrome accepts URLs of 2 MB. Runners cut longer ones, and end them with a hash of the whole. */
export const maxTextLength = 8_192;
/** A text of a visit, of bounded length. */
export const BoundedText = (options: Type.TStringOptions = {}) => Type.String({ maxLength: maxTextLength, ...options });
/** Of a header: thousands of responses may have 250 KB of headers each. */
export const maxHeaderLength = 2_000;

const SafeHeaders = Type.Object(
  Object.fromEntries(safeHeaders.map((name) => [name, Type.Optional(Type.String({ maxLength: maxHeaderLength }))])) as Record<
    SafeHeader,
    Type.TOptional<Type.TString>
  >,
  { additionalProperties: false },
);

export const Resource = Type.Object({
  seq: Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Index in the order of requests.' }),
  url: BoundedText(),
  host: BoundedText({ description: 'Host name and, unless it is the scheme’s default, port.' }),
  method: BoundedText(),
  type: BoundedText({ description: 'Chrome’s resource type: Document, Stylesheet, Script, Image, Font, XHR, Fetch, …' }),
  initiatorType: BoundedText({ description: 'parser, script, preload, preflight, early-hints, other, …' }),
  initiatorUrl: orNull(BoundedText()),
  linked: Type.Boolean({
    description:
      'Reached without a script: counts for linkedDownload. Firefox reports only scripts’ fetches, not the elements they insert.',
  }),
  protocol: orNull(BoundedText({ description: 'ALPN identifier: http/1.1, h2, h3.' })),
  connectionId: orNull(Type.Integer({ minimum: 0, maximum: maxBytes })),
  connectionReused: orNull(Type.Boolean()),
  remoteAddress: orNull(BoundedText({ description: 'IP address and port.' })),
  alternateProtocolUsage: orNull(BoundedText({ description: 'How Chrome chose the protocol, in Chrome’s terms.' })),
  startMs: Type.Number({ minimum: 0, maximum: maxMs, description: 'Start of the request, milliseconds since navigation start.' }),
  queueingMs: phase('Waiting before the request is sent: for a connection, or between the other phases.'),
  dnsMs: phase('Name lookup.'),
  connectMs: phase('Connecting, TLS included.'),
  tlsMs: phase('TLS handshake (for h3 the same time as connect).'),
  sendMs: phase('Sending the request. Firefox reports only its beginning: null, and waiting begins there.'),
  waitMs: phase('From the request sent to the first byte of the response.'),
  receiveMs: phase('From the first byte to the last.'),
  endMs: orNull(Type.Number({ minimum: 0, maximum: maxMs, description: 'End of the response, milliseconds since navigation start.' })),
  transferBytes: Type.Integer({
    minimum: 0,
    maximum: maxBytes,
    description:
      'Bytes received on the network, including headers and the received part of unfinished requests. Firefox: finished bodies only, because it does not report the rest.',
  }),
  bodyBytes: orNull(
    Type.Integer({
      minimum: 0,
      maximum: maxBytes,
      description: 'Body after decompression. Null if unknown: in Firefox, if it was compressed, cached or unfinished.',
    }),
  ),
  headerBytes: notedOrNull(
    Type.Integer({ minimum: 0, maximum: maxBytes }),
    'Response headers as received, compressed over HTTP/2 and HTTP/3. Null or absent if the browser does not report them separately.',
  ),
  encodedBodyBytes: notedOrNull(
    Type.Integer({ minimum: 0, maximum: maxBytes }),
    'Body before decompression, without frames. Null or absent if unknown.',
  ),
  status: orNull(Type.Integer({ minimum: 0, maximum: 999 })),
  mimeType: orNull(BoundedText()),
  priority: orNull(BoundedText()),
  cache: Type.Enum(['none', 'memory', 'disk', 'prefetch', 'service-worker']),
  server: orNull(BoundedText({ description: 'The response’s Server header.' })),
  altSvc: orNull(BoundedText({ description: 'The response’s Alt-Svc header.' })),
  headers: notedOrNull(
    SafeHeaders,
    'Other response headers that are safe to keep, each cut after 2,000 characters. Null or absent: there was no response.',
  ),
  failure: orNull(
    BoundedText({
      description: 'The browser’s network error, such as net::ERR_CONNECTION_REFUSED, or NS_ERROR_CONNECTION_REFUSED in Firefox.',
    }),
  ),
  blocked: orNull(
    BoundedText({
      description: 'What stopped it, if the network did not fail: csp, mixed-content, cors: …, aborted (by the page), …',
    }),
  ),
});
export type Resource = Static<typeof Resource>;
