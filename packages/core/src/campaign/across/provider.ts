import { isInNetworks } from '../../network/in-networks.ts';
import type { SiteProvider } from '../../schemas/across.ts';
import type { SiteDiscovery } from '../../schemas/discovery.ts';
import { type ProviderMarks, providers } from './providers.ts';

/** What is known of a host; null: not known. */
export type HostMarks = { host: string; server: string | null; altSvc: string | null; remoteAddress?: string | null };

/** Where nothing tells who serves a host. */
export const unknownProvider = 'unknown';

/**
 * Who serves a host, by the table in providers.ts: by its name, else by its Server header, else by its Alt-Svc header, else by
 * its address.
 *
 * A mark proves presence, its absence nothing: networks that pass on their customers' headers are told by address or not at
 * all, so the count of each provider is a lower bound and `unknown` is no group of its own kind.
 *
 * @param marks host may have a port.
 * @returns a name of the table, or `unknown`.
 */
export function providerOf({ host, server, altSvc, remoteAddress = null }: HostMarks): string {
  const name = host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
  const serverName = server?.trim().toLowerCase();
  const altSvcText = altSvc?.toLowerCase();
  return (
    firstWith(({ hosts }) => hosts.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))) ||
    (serverName && firstWith(({ servers }) => servers.some((mark) => isServer(serverName, mark)))) ||
    (altSvcText && firstWith(({ altSvc: marks }) => marks.some((mark) => new RegExp(`\\b${mark}\\b`).test(altSvcText)))) ||
    (remoteAddress && firstWith(({ networks }) => isInNetworks(remoteAddress, networks))) ||
    unknownProvider
  );
}

const firstWith = (test: (marks: ProviderMarks) => boolean): string | undefined => providers.find(test)?.name;

/** `BunnyCDN-DE1` and `gvs 1.0` are told by `bunnycdn` and `gvs`; `cloudflared` not by `cloudflare`. */
const isServer = (server: string, mark: string) => server.startsWith(mark) && !/^[a-z0-9]/.test(server.slice(mark.length));

/**
 * The provider of a site: who serves its main document, since with that server a visit begins and its Alt-Svc decides how it
 * goes on; and, beside it, who serves most of the page's bytes, all hosts of one provider taken together (of equals, the first
 * that the page asked). Trevisan et al. 2021 (figure 8) say by which provider a site is served; how they assigned it could not
 * be verified.
 *
 * @param discovery of a site.
 * @returns null for a discovery that found no host.
 */
export function siteProvider({ siteId, finalUrl, hosts }: Pick<SiteDiscovery, 'siteId' | 'finalUrl' | 'hosts'>): SiteProvider | null {
  if (hosts.length === 0) return null;
  const told = hosts.map((host) => ({ ...host, provider: providerOf(host) }));
  const documentHost = finalUrl === null ? null : hostWithPort(new URL(finalUrl));
  const document = told.find(({ host }) => host === documentHost);
  const bytes = new Map<string, number>();
  for (const { provider, transferBytes } of told) bytes.set(provider, (bytes.get(provider) ?? 0) + transferBytes);
  const total = [...bytes.values()].reduce((sum, size) => sum + size, 0);
  const [mostBytes, most] = [...bytes].reduce((largest, next) => (next[1] > largest[1] ? next : largest));
  return { siteId, provider: document?.provider ?? unknownProvider, mostBytes, mostBytesShare: total === 0 ? 0 : most / total };
}

const hostWithPort = ({ hostname, port, protocol }: URL) => `${hostname}:${port || (protocol === 'http:' ? 80 : 443)}`;
