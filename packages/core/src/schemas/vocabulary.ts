// The words of the field that everything else is made of. One meaning each, in code, database, API and dashboard alike.
import Type from 'typebox';

export const protocols = ['h1', 'h2', 'h3'] as const;
/** What Chrome is allowed to speak to the page's hosts. */
export type Protocol = (typeof protocols)[number];
export const Protocol = Type.Enum([...protocols], { description: 'What Chrome is allowed to speak to the page’s hosts.' });

/** How Chrome writes these protocols in `response.protocol` and `nextHopProtocol`: their ALPN identifiers (RFC 7301). */
export const alpnOf: Readonly<Record<Protocol, string>> = { h1: 'http/1.1', h2: 'h2', h3: 'h3' };

export const discoveries = ['forced', 'alt-svc'] as const;
/** How Chrome comes to HTTP/3: from the first request, or by finding out itself. */
export type Discovery = (typeof discoveries)[number];

export const views = ['cold', 'warm'] as const;
/** Cold: nothing kept (cache, connections, tickets, DNS, Alt-Svc). Warm: the repeat view in the same browser context. */
export type View = (typeof views)[number];
export const View = Type.Enum([...views], {
  description: 'cold: nothing kept; warm: the repeat view, with cache, connections, tickets and Alt-Svc of the first.',
});

export const engines = ['puppeteer'] as const;
/** What performs a visit. */
export type Engine = (typeof engines)[number];

export const isolations = ['context', 'process', 'container'] as const;
/** What separates one visit from the next: a fresh browser context, a fresh Chrome with a fresh profile, or that and a fresh container. */
export type Isolation = (typeof isolations)[number];

export const browsers = ['chrome', 'headless-shell'] as const;
/** Which build of Chrome. The headless shell is faster with less variance, and is not what people use. */
export type Browser = (typeof browsers)[number];

export const verdicts = ['valid', 'invalid'] as const;
/** Whether a visit is a measurement. */
export type Verdict = (typeof verdicts)[number];
export const Verdict = Type.Enum([...verdicts]);

/** Why a visit is not a measurement, with what that means to the reader of a report. */
export const invalidReasons = {
  'dns-error': 'a host name did not resolve',
  'tls-error': 'the certificate or the TLS handshake was refused, which Pronghorn never ignores',
  'quic-error': 'HTTP/3 was forced and failed: UDP is blocked, or there is no HTTP/3',
  'connection-error': 'the main document could not be fetched',
  'http-status': 'the main document came with another status than expected',
  'not-a-page': 'the URL is a download or has no document',
  'protocol-unavailable': 'the site does not offer this protocol',
  'wrong-protocol': 'loaded, but over another protocol than the one asked for',
  'protocol-unproven': 'nothing in the visit proves its protocol (all came from a cache)',
  'connection-reused': 'the visit began on a connection that was open before',
  redirected: 'the page ended on another host than at discovery',
  'left-page': 'script or meta refresh moved on to another document',
  'forced-host-failed': 'a host forced to HTTP/3 failed, and would have loaded otherwise',
  'load-timeout': 'the load event did not come in time',
  'page-too-big': 'more requests or bytes than the campaign allows',
  'tab-crashed': 'the page’s renderer crashed',
  'browser-crashed': 'Chrome itself went away',
  'busy-machine': 'other work, or a CPU limit, took too much of the machine’s CPU',
  'no-visual-progress': 'the page painted, but no frame shows it: its SpeedIndex would be wrong',
  'engine-error': 'the measurement itself failed',
} as const;
export type InvalidReason = keyof typeof invalidReasons;
export const InvalidReason = Type.Enum(Object.keys(invalidReasons) as InvalidReason[], {
  description: 'Why a visit is not a measurement.',
});

/** Reasons that another try may not meet again; the others say something lasting about the site. */
export const transientReasons: ReadonlySet<InvalidReason> = new Set<InvalidReason>([
  'quic-error',
  'connection-error',
  'wrong-protocol',
  'connection-reused',
  'forced-host-failed',
  'load-timeout',
  'tab-crashed',
  'browser-crashed',
  'busy-machine',
  'no-visual-progress',
  'engine-error',
]);
