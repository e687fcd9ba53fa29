// The visitor: what a page needs before it can be measured, and what it sees of its visitor.
import Type, { type Static } from 'typebox';
import { devices } from '../vocabulary/choices.ts';

/**
 * A value, or a reference: `env:NAME` and `file:PATH` on the machine that measures, for its own commands only; `secret:NAME` in the service's
 * encrypted store. Only the reference is stored, shown and exported.
 */
export const ReferableText = Type.String({
  maxLength: 4096,
  description:
    'A value, or a reference: secret:NAME (encrypted in the service), env:NAME or file:PATH (on the command’s machine, for its own campaigns). Only the reference is stored.',
});

/** For values that are only given by reference. */
export const SecretReference = Type.String({
  pattern: '^(env|file|secret):.+$',
  maxLength: 1000,
  description: 'Reference to a secret: secret:NAME, env:NAME or file:PATH.',
});

const selector = Type.String({ minLength: 1, maxLength: 1000, description: 'CSS selector; the first match is used.' });
const atMostMs = Type.Optional(Type.Integer({ minimum: 1, maximum: 120_000, description: 'Maximum wait, milliseconds; default 15,000.' }));
const step = <T extends Record<string, Type.TSchema>>(properties: T) => Type.Object(properties, { additionalProperties: false });

/** A step; each kind has one property that names it. */
export const Step = Type.Union(
  [
    step({
      goto: Type.String({
        minLength: 1,
        maxLength: 2048,
        description: 'URL, absolute or relative to the page’s; waits for its load event.',
      }),
      atMostMs,
    }),
    step({ click: selector, atMostMs }),
    step({
      type: selector,
      text: Type.Optional(Type.String({ maxLength: 4096, description: 'Typed, stored and shown as given. Not for passwords.' })),
      secret: Type.Optional(SecretReference),
      atMostMs,
    }),
    step({ waitFor: selector, atMostMs }),
    step({ waitForUrl: Type.String({ minLength: 1, maxLength: 2048, description: 'Text that the tab’s URL must contain.' }), atMostMs }),
    step({ waitMs: Type.Integer({ minimum: 1, maximum: 60_000 }) }),
    step({
      cookie: Type.String({ minLength: 1, maxLength: 200, description: 'Name of the cookie.' }),
      value: ReferableText,
      domain: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Default: the page’s host.' })),
    }),
    step({
      storage: Type.String({ minLength: 1, maxLength: 200, description: 'Key in local storage, at the page’s own origin.' }),
      value: ReferableText,
    }),
  ],
  { description: 'goto, click, type, waitFor, waitForUrl, waitMs, cookie or storage.' },
);
export type Step = Static<typeof Step>;

export type Device = (typeof devices)[number];

export const Viewport = Type.Object(
  {
    width: Type.Integer({ minimum: 100, maximum: 4096, description: 'CSS pixels.' }),
    height: Type.Integer({ minimum: 100, maximum: 4096, description: 'CSS pixels.' }),
    scale: Type.Optional(Type.Number({ minimum: 0.5, maximum: 4, description: 'Device pixels per CSS pixel; default: the device’s.' })),
  },
  { additionalProperties: false },
);

const hostPattern = Type.String({
  minLength: 1,
  maxLength: 1000,
  description: 'A host, *.host for the host and its subdomains, or a URL pattern such as *://*:*/ads/*.',
});
const pem = (what: string) => Type.String({ maxLength: 100_000, pattern: '-----BEGIN CERTIFICATE-----', description: what });

const visitorProperties = {
  userAgent: Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: '^[\\x20-\\x7e]+$',
    description: 'Default: that of Chrome with a window, followed by Pronghorn/VERSION.',
  }),
  headers: Type.Array(
    Type.Object(
      { name: Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$", maxLength: 200 }), value: ReferableText },
      { additionalProperties: false },
    ),
    { maxItems: 50, description: 'Sent only to the page’s own hosts.' },
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
    { maxItems: 100, description: 'Set in each fresh context before the page is requested.' },
  ),
  basicAuth: Type.Object(
    { user: Type.String({ minLength: 1, maxLength: 200, pattern: '^[^:]+$' }), password: SecretReference },
    { additionalProperties: false, description: 'Sent with the first request, and only to the page’s own hosts.' },
  ),
  ca: pem('Certificates (PEM) of authorities to trust besides Chrome’s own. Certificates are still verified.'),
  clientCertificate: Type.String({
    pattern: '^(env|file|secret):.+$',
    maxLength: 1000,
    description:
      'Reference to a certificate and its private key, both as PEM in one text. Presented to the page’s own hosts when they request it, over HTTP/1.1 and HTTP/2.',
  }),
  proxy: Type.String({
    maxLength: 500,
    pattern: '^(http|https|socks5)://[^@/]+$',
    description: 'For HTTP/1.1 and HTTP/2; HTTP/3 can’t use it. Its user and password are in proxyAuth.',
  }),
  proxyAuth: Type.Object(
    { user: Type.String({ minLength: 1, maxLength: 200, pattern: '^[^:]+$' }), password: SecretReference },
    { additionalProperties: false, description: 'For an http or https proxy.' },
  ),
  block: Type.Array(hostPattern, { maxItems: 500, description: 'Never requested.' }),
  firstPartyOnly: Type.Boolean({ description: 'Only the page’s own hosts are requested.' }),
  ownHosts: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
    maxItems: 100,
    description: 'Further hosts that belong to the page, or *.host; its own host and subdomains always do.',
  }),
  device: Type.Enum([...devices], { description: 'Viewport, touch, pixel ratio, user agent and CPU of a device; default desktop.' }),
  viewport: Viewport,
  cpuSlowdown: Type.Number({
    minimum: 1,
    maximum: 20,
    description: 'How many times slower the CPU is made. Default: 1; for phone and tablet, how many times faster this machine is than one.',
  }),
  language: Type.String({
    pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$',
    maxLength: 35,
    description: 'BCP 47, such as de-CH; default en-US.',
  }),
  steps: Type.Array(Step, {
    maxItems: 50,
    description:
      'Performed once per round before its first visit; each visit’s fresh context gets the cookies and local storage that they leave.',
  }),
  after: Type.Array(Type.String({ minLength: 1, maxLength: 2048, description: 'URL, absolute or relative to the page’s.' }), {
    maxItems: 10,
    description:
      'Pages that a warm visit opens before the page, one after the other, instead of the page itself: the page has their cache, tickets, Alt-Svc and cookies, on new connections. Empty: the page is the first of a journey, opened with nothing kept.',
  }),
};

/** The visitor. Everything is optional and stored with the campaign, secrets by reference. */
export const Visitor = Type.Partial(Type.Object(visitorProperties), {
  additionalProperties: false,
  description: 'What the page needs first: login, consent, headers, a device. Secrets by reference only.',
});
export type Visitor = Static<typeof Visitor>;
