/**
 * Whether an Alt-Svc header offers HTTP/3 on the same host and port, which is what forcing QUIC on an origin uses.
 *
 * Only the final version counts (`h3`), no drafts. Source: RFC 7838, section 3; RFC 9114, section 3.1.1.
 *
 * @param header such as `h3=":443"; ma=86400, h3-29=":443"`; null when there was none
 */
export function offersH3(header: string | null, hostname: string, port: number): boolean {
  if (header === null) return false;
  return [...header.matchAll(/(?:^|[\s,])h3="([^"]*)"/g)].some(([, authority = '']) => {
    const colon = authority.lastIndexOf(':');
    const host = authority.slice(0, colon);
    return (host === '' || host.toLowerCase() === hostname) && Number(authority.slice(colon + 1)) === port;
  });
}
