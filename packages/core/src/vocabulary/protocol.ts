export const protocols = ['h1', 'h2', 'h3'] as const;
/** The protocol that the browser may speak to the page's hosts. */
export type Protocol = (typeof protocols)[number];
/** Those of a campaign that names none: the question is HTTP/3 against HTTP/2. */
export const usualProtocols = ['h2', 'h3'] as const satisfies readonly Protocol[];

export const protocolNames: Readonly<Record<Protocol, string>> = { h1: 'HTTP/1.1', h2: 'HTTP/2', h3: 'HTTP/3' };

/** The protocol of a name as people write it: h2, http2, HTTP/2, http/1.1; undefined: there is none. */
export function protocolNamed(text: string): Protocol | undefined {
  const [, version, minor = '0'] = /^(?:h|http\/?)([123])(?:\.([01]))?$/i.exec(text.trim()) ?? [];
  return minor === '1' && version !== '1' ? undefined : protocols.find((protocol) => protocol === `h${version}`);
}

/** The names of these protocols in `response.protocol` and `nextHopProtocol`: their ALPN identifiers (RFC 7301). */
export const alpnOf: Readonly<Record<Protocol, string>> = { h1: 'http/1.1', h2: 'h2', h3: 'h3' };

/** The protocol of an ALPN identifier, including HTTP/1.0 and the drafts of HTTP/3 (`h3-29`); null: a cache, a failed request, or not HTTP. */
export function protocolOf(alpn: string | null): Protocol | null {
  if (alpn?.startsWith('http/1')) return 'h1';
  if (alpn === 'h2') return 'h2';
  return alpn === 'h3' || alpn?.startsWith('h3-') ? 'h3' : null;
}

export const discoveries = ['forced', 'alt-svc'] as const;
/** How Chrome discovers HTTP/3: it is forced from the first request, or Chrome finds out by itself. */
export type Discovery = (typeof discoveries)[number];
