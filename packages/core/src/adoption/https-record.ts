// What HTTPS records say of HTTP/3 (RFC 9460): a browser reads them with the address, before it connects.
import { parseAltSvc } from './alt-svc.ts';

/** One record in service mode. */
export interface ServiceBinding {
  /** The lowest is preferred. */
  priority: number;
  /** Host name; empty: the name itself. */
  target: string;
  /** Protocols beside the default, such as `h3` and `h2`. */
  alpn: readonly string[];
  /** Null: that of the URL. */
  port: number | null;
}

/** The name whose HTTPS record is for an origin: RFC 9460, section 9.1. */
export const httpsRecordName = (hostname: string, port: number): string => (port === 443 ? hostname : `_${port}._https.${hostname}`);

/** Of each host; a nameserver may send a hundred of them. */
const maxWritten = 10;

/** As RFC 9460 writes them, in the order of their priority; null: there is none. */
export function httpsRecordWords(bindings: readonly ServiceBinding[]): string | null {
  if (bindings.length === 0) return null;
  return [...bindings]
    .sort((one, other) => one.priority - other.priority)
    .slice(0, maxWritten)
    .map(({ priority, target, alpn, port }) => {
      const parameters = [...(alpn.length === 0 ? [] : [`alpn=${alpn.join(',')}`]), ...(port === null ? [] : [`port=${port}`])];
      return [priority, target || '.', ...parameters].join(' ');
    })
    .join('; ');
}

/** A header has room for thousands, and each visit's reason names them. */
const maxNamed = 5;

/** Where a host says that it speaks HTTP/3. */
interface H3Offers {
  /** Whether on the URL's own host and port, which is what Chrome can be told to force. */
  here: boolean;
  /** Elsewhere, in words, such as `port 8443 (Alt-Svc)`; null: nowhere else. */
  elsewhere: string | null;
}

/**
 * @param altSvc headers of the host's responses
 * @param bindings of its HTTPS records
 */
export function h3Offers(altSvc: readonly string[], bindings: readonly ServiceBinding[], hostname: string, port: number): H3Offers {
  const services = altSvc
    .map(parseAltSvc)
    .flatMap((header) => (header === 'clear' ? [] : header))
    .filter(({ protocol }) => protocol === 'h3');
  const offers = [
    ...services.map((service) => ({ host: service.host || hostname, port: service.port, by: 'Alt-Svc' })),
    ...bindings
      .filter(({ alpn }) => alpn.includes('h3'))
      .map((binding) => ({ host: binding.target || hostname, port: binding.port ?? port, by: 'HTTPS record' })),
  ];
  const isHere = (offer: { host: string; port: number }) => offer.host === hostname && offer.port === port;
  const places = offers
    .filter((offer) => !isHere(offer))
    .map((offer) => `${offer.host === hostname ? `port ${offer.port}` : `${offer.host}:${offer.port}`} (${offer.by})`);
  const named = [...new Set(places)];
  const more = named.length > maxNamed ? `, and ${named.length - maxNamed} more` : '';
  return { here: offers.some(isHere), elsewhere: named.length === 0 ? null : `${named.slice(0, maxNamed).join(', ')}${more}` };
}
