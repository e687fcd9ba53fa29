export const protocols = ['h1', 'h2', 'h3'] as const;
/** What the browser is allowed to speak to the page's hosts. */
export type Protocol = (typeof protocols)[number];

/** How browsers write these protocols in `response.protocol` and `nextHopProtocol`: their ALPN identifiers (RFC 7301). */
export const alpnOf: Readonly<Record<Protocol, string>> = { h1: 'http/1.1', h2: 'h2', h3: 'h3' };

/** Of an ALPN identifier, HTTP/1.0 and the drafts of HTTP/3 (`h3-29`) included; null: a cache, a failed request, or no HTTP. */
export function protocolOf(alpn: string | null): Protocol | null {
  if (alpn?.startsWith('http/1')) return 'h1';
  if (alpn === 'h2') return 'h2';
  return alpn === 'h3' || alpn?.startsWith('h3-') ? 'h3' : null;
}

export const discoveries = ['forced', 'alt-svc'] as const;
/** How Chrome comes to HTTP/3: from the first request, or by finding out itself. */
export type Discovery = (typeof discoveries)[number];
