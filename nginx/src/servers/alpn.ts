/** Versions as servers write them in their logs, and their ALPN identifiers as Chrome writes them. */
export const alpnOfVersion: Readonly<Record<string, string>> = {
  'HTTP/1.0': 'http/1.0',
  'HTTP/1.1': 'http/1.1',
  'HTTP/2.0': 'h2',
  'HTTP/3.0': 'h3',
};
