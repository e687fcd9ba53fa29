// The hosts of a web that is like the web: one for each page that behaves as a page in production does, and thirty third parties that
// five servers share.
import { domain, type Host } from './hosts.ts';
import type { DemoSite } from './sites.ts';
import { thirdPartyServers, type WebPage, webPages } from './web-pages.ts';

/** Number after those of the demo's own hosts. */
const firstPage = 41;
const firstServer = 211;

type Traits = Omit<Partial<Host>, 'name' | 'number'>;

function host(label: string, number: number, traits: Traits = {}): Host {
  return { name: `${label}.${domain}`, number, protocols: ['h1', 'h2', 'h3'], serves: 'web-shop', certificate: 'leaf', ...traits };
}

/**
 * The servers of third parties: the hosts of one share its address, its certificate and so a connection, as a CDN's customers do. Each is a
 * process of its own.
 */
const traitsOfServers: Record<keyof typeof thirdPartyServers, Traits> = {
  // A CDN as it should be. Of its hosts one fails in a share of requests, one is slow over HTTP/3 alone (upstream/web/web-server.ts).
  cdn: {},
  // Tag managers and analytics of the kind that has no HTTP/3.
  tags: { protocols: ['h1', 'h2'] },
  ads: { altSvc: 'next-port' },
  images: { altSvc: 'none' },
  // A test may silence its UDP for a while.
  edge: { udpProcess: 'edge-udp' },
};

const thirdParties: readonly Host[] = Object.entries(thirdPartyServers).flatMap(([name, labels], n) =>
  labels.map((label) => host(label, firstServer + n, { process: name, ...traitsOfServers[name as keyof typeof thirdPartyServers] })),
);

const pageHosts: readonly Host[] = webPages.map(({ name, base = 'article', host: traits = {} }, n) =>
  host(name, firstPage + n, { serves: `web-${base}`, ...traits }),
);

/** Where the proxy listens, on the port of everything: the first address below the pages'. */
export const proxyHost: Host = host('proxy', firstPage - 1, { protocols: ['h1'], plain: true });

/** Other sites that pages redirect to, take frames from and connect to ahead. */
const others: readonly Host[] = ['consent-desk', 'frame-a', 'frame-b', 'hinted'].map((label, n) => host(label, firstPage - 8 + n));

export const webHosts: readonly Host[] = [...others, ...pageHosts, ...thirdParties];

export const isWebSite = (name: string): boolean => webPages.some((page) => page.name === name);

export function webSites(port: number): DemoSite[] {
  return webPages.map((page): DemoSite => {
    const { name, title, standsFor, path = '/', alsoFrom = [] } = page;
    const hosts = [name, ...alsoFrom].map(hostNamed);
    return {
      name,
      title,
      standsFor,
      web: true,
      url: `${schemeOf(page)}://${name}.${domain}:${port}${path}`,
      hosts: hosts.map((host) => described(host, port)),
    };
  });
}

const schemeOf = ({ host }: WebPage) => (host?.plain ? 'http' : 'https');

function hostNamed(label: string): Host {
  const host = webHosts.find(({ name }) => name === `${label}.${domain}`);
  if (!host) throw new Error(`the web has no host ${label}.${domain}`);
  return host;
}

/** A host as a visitor without DNS records sees it: HTTP/3 only where a header announces it on the same port. */
const described = ({ name, protocols, altSvc }: Host, port: number) => ({
  host: `${name}:${port}`,
  protocols: protocols.filter((protocol) => protocol !== 'h3' || altSvc === undefined),
});
