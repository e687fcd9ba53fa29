// Who visits: what a page needs before it can be measured, or sees of the one who asks for it.
import Type, { type Static } from 'typebox';
import { devices } from '../vocabulary/choices.ts';

/**
 * A value, or where it is: `env:NAME` and `file:PATH` of the machine that measures, for its own commands alone; `secret:NAME` of the
 * service's sealed store. Only the reference is stored, shown and exported.
 */
export const ReferableText = Type.String({
  maxLength: 4096,
  description:
    'A value, or where it is: secret:NAME (sealed in the service), env:NAME or file:PATH (of the machine of the command, for its own campaigns). Only the reference is stored.',
});

/** Of what is never given as it is. */
export const SecretReference = Type.String({
  pattern: '^(env|file|secret):.+$',
  maxLength: 1000,
  description: 'Where a secret is: secret:NAME, env:NAME or file:PATH.',
});

const selector = Type.String({ minLength: 1, maxLength: 1000, description: 'CSS selector; the first match counts.' });
const atMostMs = Type.Optional(Type.Integer({ minimum: 1, maximum: 120_000, description: 'Longest wait, milliseconds; default 15,000.' }));
const step = <T extends Record<string, Type.TSchema>>(properties: T) => Type.Object(properties, { additionalProperties: false });

/** What a step can be; each has the one property that names it. */
export const Step = Type.Union(
  [
    step({
      goto: Type.String({ minLength: 1, maxLength: 2048, description: 'URL, also relative to the page’s; waits for its load event.' }),
      atMostMs,
    }),
    step({ click: selector, atMostMs }),
    step({
      type: selector,
      text: Type.Optional(Type.String({ maxLength: 4096, description: 'Typed as it is, stored and shown. Not for passwords.' })),
      secret: Type.Optional(SecretReference),
      atMostMs,
    }),
    step({ waitFor: selector, atMostMs }),
    step({ waitForUrl: Type.String({ minLength: 1, maxLength: 2048, description: 'Part of the URL that the tab must have.' }), atMostMs }),
    step({ waitMs: Type.Integer({ minimum: 1, maximum: 60_000 }) }),
    step({
      cookie: Type.String({ minLength: 1, maxLength: 200, description: 'Its name.' }),
      value: ReferableText,
      domain: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Default: the page’s host.' })),
    }),
    step({
      storage: Type.String({ minLength: 1, maxLength: 200, description: 'Key of local storage, at the page’s own origin.' }),
      value: ReferableText,
    }),
  ],
  { description: 'goto, click, type, waitFor, waitForUrl, waitMs, cookie or storage.' },
);
export type Step = Static<typeof Step>;

export { devices };
export type Device = (typeof devices)[number];

export const Viewport = Type.Object(
  {
    width: Type.Integer({ minimum: 100, maximum: 4096, description: 'CSS pixels.' }),
    height: Type.Integer({ minimum: 100, maximum: 4096, description: 'CSS pixels.' }),
    scale: Type.Optional(Type.Number({ minimum: 0.5, maximum: 4, description: 'Device pixels for each CSS pixel; default the device’s.' })),
  },
  { additionalProperties: false },
);

const hostPattern = Type.String({
  minLength: 1,
  maxLength: 1000,
  description: 'A host, *.host for it and all below it, or a URL pattern such as *://*:*/ads/*.',
});
const pem = (what: string) => Type.String({ maxLength: 100_000, pattern: '-----BEGIN CERTIFICATE-----', description: what });

const visitorProperties = {
  userAgent: Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: '^[\\x20-\\x7e]+$',
    description: 'Instead of a windowed Chrome’s with Pronghorn/VERSION behind it.',
  }),
  headers: Type.Array(
    Type.Object(
      { name: Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$", maxLength: 200 }), value: ReferableText },
      { additionalProperties: false },
    ),
    { maxItems: 50, description: 'Sent to the page’s own hosts alone.' },
  ),
  cookies: Type.Array(
    Type.Object(
      {
        name: Type.String({ minLength: 1, maxLength: 200 }),
        value: ReferableText,
        domain: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Default: the page’s host.' })),
      },
      { additionalProperties: false },
    ),
    { maxItems: 100, description: 'In each fresh context before the page is asked for.' },
  ),
  basicAuth: Type.Object(
    { user: Type.String({ minLength: 1, maxLength: 200, pattern: '^[^:]+$' }), password: SecretReference },
    { additionalProperties: false, description: 'Sent with the first request already, to the page’s own hosts alone.' },
  ),
  ca: pem('Certificates (PEM) of authorities that are trusted beside Chrome’s own. Checking stays on.'),
  clientCertificate: Type.String({
    pattern: '^(env|file|secret):.+$',
    maxLength: 1000,
    description:
      'Where a certificate and its private key are, both as PEM in one text. Shown to the page’s own hosts when they ask, over HTTP/1.1 and HTTP/2.',
  }),
  proxy: Type.String({
    maxLength: 500,
    pattern: '^(http|https|socks5)://[^@/]+$',
    description: 'For HTTP/1.1 and HTTP/2. HTTP/3 cannot pass it. Its user and password are proxyAuth.',
  }),
  proxyAuth: Type.Object(
    { user: Type.String({ minLength: 1, maxLength: 200, pattern: '^[^:]+$' }), password: SecretReference },
    { additionalProperties: false, description: 'Of an http or https proxy.' },
  ),
  block: Type.Array(hostPattern, { maxItems: 500, description: 'Never asked for.' }),
  firstPartyOnly: Type.Boolean({ description: 'Nothing but the page’s own hosts is asked for.' }),
  ownHosts: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
    maxItems: 100,
    description: 'Beside the page’s host and all below it: hosts that are its own too, or *.host.',
  }),
  device: Type.Enum([...devices], { description: 'Viewport, touch, pixel ratio, user agent and CPU of a device; default desktop.' }),
  viewport: Viewport,
  cpuSlowdown: Type.Number({
    minimum: 1,
    maximum: 20,
    description:
      'How many times slower the CPU is made. Default: 1, for phone and tablet as many times as this machine is faster than one.',
  }),
  language: Type.String({
    pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$',
    maxLength: 35,
    description: 'BCP 47, such as de-CH; default en-US.',
  }),
  steps: Type.Array(Step, {
    maxItems: 50,
    description: 'Run once a round before its first visit; cookies and local storage that they leave are in each visit’s fresh context.',
  }),
  after: Type.Array(Type.String({ minLength: 1, maxLength: 2048, description: 'URL, also relative to the page’s.' }), {
    maxItems: 10,
    description:
      'Pages that a warm visit opens before the page, one after the other, in place of the page itself: the page has the cache, tickets, Alt-Svc and cookies that they left, on new connections. None: it is the first page of a journey, opened with nothing kept.',
  }),
};

/** Who visits. Nothing is needed; all of it is stored with the campaign, secrets by reference. */
export const Visitor = Type.Partial(Type.Object(visitorProperties), {
  additionalProperties: false,
  description: 'What the page needs first: login, consent, headers, a device. Secrets by reference alone.',
});
export type Visitor = Static<typeof Visitor>;
