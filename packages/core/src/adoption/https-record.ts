// HTTP/3 in HTTPS records (RFC 9460), which a browser reads with the address, before it connects.
import { parseAltSvc } from './alt-svc.ts';

/** One record in service mode. */
export interface ServiceBinding {
  /** The lowest is preferred. */
  priority: number;
  /** Host name; empty: the name itself. */
  target: string;
  /** Protocols besides the default, such as `h3` and `h2`. */
  alpn: readonly string[];
  /** Null: the URL's port. */
  port: number | null;
}

/** The name of an origin's HTTPS record: RFC 9460, section 9.1. */
export const httpsRecordName = (hostname: string, port: number): string => (port === 443 ? hostname : `_${port}._https.${hostname}`);

/** For each host; a nameserver may send a hundred. */
const maxWritten = 10;

/** In the notation of RFC 9460, by priority; null: there are none. */
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

/** A header may list thousands, and each visit's reason names them. */
const maxNamed = 5;

/** Where a host offers HTTP/3. */
interface H3Offers {
  /** True if it does on the URL's own host and port, which Chrome can be made to force. */
  here: boolean;
  /** Other hosts and ports, such as `port 8443 (Alt-Svc)`; null: none. */
  elsewhere: string | null;
}

const h3Of = (header: string) => {
  const services = parseAltSvc(header);
  return services === 'clear' ? [] : services.filter(({ protocol }) => protocol === 'h3');
};

/** Whether an Alt-Svc header says that there is no HTTP/3 any more: `clear`, or HTTP/3 with `ma=0` alone. */
export function withdrawsH3(header: string): boolean {
  const services = h3Of(header);
  return parseAltSvc(header) === 'clear' || (services.length > 0 && services.every(({ maxAgeSeconds }) => maxAgeSeconds === 0));
}

/**
 * Where one response withdraws HTTP/3 (`clear`, or `ma=0` for it), others of the host that still offer it do not count: its operator has switched it
 * off. What its HTTPS record offers stays: browsers take that from DNS.
 *
 * @param altSvc headers of the host's responses
 * @param bindings of its HTTPS records
 */
export function h3Offers(altSvc: readonly string[], bindings: readonly ServiceBinding[], hostname: string, port: number): H3Offers {
  const services = altSvc.some(withdrawsH3) ? [] : altSvc.flatMap(h3Of).filter(({ maxAgeSeconds }) => maxAgeSeconds > 0);
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
