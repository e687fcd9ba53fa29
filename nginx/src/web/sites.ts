// The sites of the web, as an origin on some port offers them.
import { domain, type Host } from '../hosts.ts';
import type { DemoSite } from '../sites.ts';
import { webHosts } from './hosts.ts';
import { type WebPage, webPages } from './pages.ts';

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

/** What a visitor gets without a server of names: HTTP/3 where a header says that it is on the same port. */
const described = ({ name, protocols, altSvc }: Host, port: number) => ({
  host: `${name}:${port}`,
  protocols: protocols.filter((protocol) => protocol !== 'h3' || altSvc === undefined),
});
