// The providers of hosts. A table of few and certain marks: a host without any is `unknown`, which is not a provider (it is the site's own
// server, or a network without a mark here).
//
// Not used as marks, because others have them as well: Alt-Svc with `ma=86400` (nginx's example, Cloudflare, Fastly) or `ma=2592000` (Google,
// Caddy, LiteSpeed); `Server: AmazonS3` (Amazon's storage behind any network), `Server: Varnish` (free software, not only Fastly), `Server:
// nginx`.
import { isInNetworks } from '../../network/network.ts';
import type { SiteProvider } from '../../schemas/across.ts';
import type { SiteDiscovery } from '../../schemas/discovery.ts';

/** What identifies a provider. All marks are lower case. */
type ProviderMarks = {
  name: string;
  /** Host names, including their subdomains. */
  hosts: readonly string[];
  /** Beginnings of the Server header, not followed by a letter or digit. */
  servers: readonly string[];
  /** Parts of the Alt-Svc header. */
  altSvc: readonly string[];
  /** Networks that the provider publishes as its own. */
  networks: readonly string[];
  /** The source of the marks. */
  source: string;
};

/** Lists the names that providers give their customers; the domains of their own services need no list. */
const webPageTest = 'WebPageTest, internal/optimization_checks.py of its agent';

export const providers: readonly ProviderMarks[] = [
  {
    name: 'Google',
    hosts: [
      'google.com',
      'googleapis.com',
      'googlehosted.com',
      'googlesyndication.com',
      'googletagmanager.com',
      'googleusercontent.com',
      'googlevideo.com',
      'google-analytics.com',
      'gstatic.com',
      'ggpht.com',
      'doubleclick.net',
      'youtube.com',
      'ytimg.com',
      'blogger.com',
      'blogspot.com',
      'appspot.com',
    ],
    servers: ['gws', 'sffe', 'gse', 'esf', 'gvs', 'golfe2', 'ytfe', 'google frontend', 'google tag manager', 'scaffolding on httpserver2'],
    altSvc: [],
    networks: [],
    source: `${webPageTest}; Google’s own responses (gws: Search, sffe: static files, gvs: video, ESF, ytfe: YouTube; Google Frontend: App Engine and Cloud Run)`,
  },
  {
    name: 'Meta',
    hosts: [
      'facebook.com',
      'facebook.net',
      'fbcdn.net',
      'fbsbx.com',
      'instagram.com',
      'cdninstagram.com',
      'messenger.com',
      'meta.com',
      'threads.com',
      'threads.net',
      'whatsapp.com',
      'whatsapp.net',
    ],
    servers: ['proxygen-bolt'],
    altSvc: [],
    networks: [],
    source: `${webPageTest}; Meta’s own responses (proxygen-bolt; many have no Server header)`,
  },
  {
    name: 'Cloudflare',
    hosts: ['cloudflare.com', 'cloudflare.net', 'cloudflareinsights.com', 'pages.dev', 'workers.dev', 'r2.dev'],
    servers: ['cloudflare'],
    altSvc: [],
    networks: [
      '103.21.244.0/22',
      '103.22.200.0/22',
      '103.31.4.0/22',
      '104.16.0.0/13',
      '104.24.0.0/14',
      '108.162.192.0/18',
      '131.0.72.0/22',
      '141.101.64.0/18',
      '162.158.0.0/15',
      '172.64.0.0/13',
      '173.245.48.0/20',
      '188.114.96.0/20',
      '190.93.240.0/20',
      '197.234.240.0/22',
      '198.41.128.0/17',
      '2400:cb00::/32',
      '2405:8100::/32',
      '2405:b500::/32',
      '2606:4700::/32',
      '2803:f800::/32',
      '2a06:98c0::/29',
      '2c0f:f248::/32',
    ],
    source: `${webPageTest}; networks: https://www.cloudflare.com/ips/`,
  },
  {
    name: 'Fastly',
    hosts: ['fastly.net', 'fastlylb.net', 'fastly.com'],
    servers: [],
    altSvc: [],
    networks: [
      '23.235.32.0/20',
      '43.249.72.0/22',
      '103.244.50.0/24',
      '103.245.222.0/23',
      '103.245.224.0/24',
      '104.156.80.0/20',
      '140.248.64.0/18',
      '140.248.128.0/17',
      '146.75.0.0/17',
      '151.101.0.0/16',
      '157.52.64.0/18',
      '167.82.0.0/17',
      '167.82.128.0/20',
      '167.82.160.0/20',
      '167.82.224.0/20',
      '172.111.64.0/18',
      '185.31.16.0/22',
      '199.27.72.0/21',
      '199.232.0.0/16',
      '2a04:4e40::/32',
      '2a04:4e42::/32',
    ],
    source: `${webPageTest}; networks: https://api.fastly.com/public-ip-list. It passes on the Server header of the site behind it.`,
  },
  {
    name: 'Akamai',
    hosts: ['akamai.net', 'akamaized.net', 'akamaiedge.net', 'akamaihd.net', 'akamai.com', 'edgesuite.net', 'edgekey.net'],
    servers: ['akamaighost', 'akamainetstorage'],
    altSvc: ['ma=93600'],
    networks: [],
    source: `${webPageTest}; Alt-Svc: https://techdocs.akamai.com/property-mgr/docs/alt-svc-header (93,600 s is the age that Akamai writes by default)`,
  },
  {
    name: 'Amazon CloudFront',
    hosts: ['cloudfront.net'],
    servers: ['cloudfront'],
    altSvc: [],
    networks: [],
    source: `${webPageTest}. Its own Server header stands only in what it answers itself; it passes on that of the site behind it.`,
  },
  {
    name: 'Microsoft',
    hosts: [
      'azureedge.net',
      'azurefd.net',
      'azurewebsites.net',
      'msecnd.net',
      'bing.com',
      'live.com',
      'microsoft.com',
      'msn.com',
      'office.com',
    ],
    servers: [],
    altSvc: [],
    networks: [],
    source: `${webPageTest}, and Microsoft’s own services`,
  },
  {
    name: 'Automattic',
    hosts: ['wordpress.com', 'wp.com', 'gravatar.com'],
    servers: [],
    altSvc: [],
    networks: [],
    source: webPageTest,
  },
  { name: 'Bunny', hosts: ['b-cdn.net', 'bunny.net'], servers: ['bunnycdn'], altSvc: [], networks: [], source: webPageTest },
  { name: 'CDN77', hosts: ['cdn77.net', 'cdn77.org', 'cdn77.com'], servers: [], altSvc: [], networks: [], source: webPageTest },
  { name: 'KeyCDN', hosts: ['kxcdn.com', 'keycdn.com'], servers: ['keycdn-engine'], altSvc: [], networks: [], source: webPageTest },
  { name: 'Netlify', hosts: ['netlify.com', 'netlify.app'], servers: ['netlify'], altSvc: [], networks: [], source: webPageTest },
  {
    name: 'Vercel',
    hosts: ['vercel.app', 'vercel.com'],
    servers: ['vercel'],
    altSvc: [],
    networks: [],
    source: 'Vercel’s own responses',
  },
];

/** The facts of a host; null: unknown. */
export type HostMarks = { host: string; server: string | null; altSvc: string | null; remoteAddress?: string | null };

/** The provider of a host without any mark. */
export const unknownProvider = 'unknown';

/**
 * The provider of a host, by the table above: by its name, otherwise its Server header, its Alt-Svc header, or its address.
 *
 * A mark proves presence; its absence proves nothing. Networks that pass on their customers' headers are identified by address or not at all, so
 * each provider's count is a lower bound, and `unknown` is not a group of its own.
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

/** `bunnycdn` matches `BunnyCDN-DE1`, and `gvs` matches `gvs 1.0`; `cloudflare` does not match `cloudflared`. */
const isServer = (server: string, mark: string) => server.startsWith(mark) && !/^[a-z0-9]/.test(server.slice(mark.length));

/**
 * The provider of a site: that of its main document, because a visit begins with that server, and its Alt-Svc decides how it goes on.
 * Beside it, the provider of most of the page's bytes, over all its hosts (ties: the first that the page requested). How Trevisan et al.
 * 2021 (figure 8) assign providers could not be verified.
 *
 * @param discovery of a site.
 * @returns null for a discovery that found no host.
 */
export function siteProvider({ siteId, finalUrl, hosts }: Pick<SiteDiscovery, 'siteId' | 'finalUrl' | 'hosts'>): SiteProvider | null {
  if (hosts.length === 0) return null;
  const served = hosts.map((host) => ({ ...host, provider: providerOf(host) }));
  // What a runner sends need not be an address.
  const address = URL.parse(finalUrl ?? '');
  const documentHost = address && hostWithPort(address);
  const document = served.find(({ host }) => host === documentHost);
  const bytes = new Map<string, number>();
  for (const { provider, transferBytes } of served) bytes.set(provider, (bytes.get(provider) ?? 0) + transferBytes);
  const total = [...bytes.values()].reduce((sum, size) => sum + size, 0);
  const [mostBytes, most] = [...bytes].reduce((largest, next) => (next[1] > largest[1] ? next : largest));
  return { siteId, provider: document?.provider ?? unknownProvider, mostBytes, mostBytesShare: total === 0 ? 0 : most / total };
}

const hostWithPort = ({ hostname, port, protocol }: URL) => `${hostname}:${port || (protocol === 'http:' ? 80 : 443)}`;
