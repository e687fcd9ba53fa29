// The demo sites, as an origin on some port offers them.
import type { Protocol } from '@pronghorn/core/vocabulary';
import { type Host, hostOf } from './hosts.ts';
import { type Truth, truthOf, truthPages } from './truth.ts';

export interface DemoSite {
  name: string;
  title: string;
  url: string;
  standsFor: string;
  /** Every host that the page takes something from, as host:port, and what each can speak. */
  hosts: { host: string; protocols: Protocol[] }[];
  /** Set for sites of the web: pages as they are in production, measured only on request. */
  web?: true;
  /** The results that it must measure; only for ground-truth pages. */
  truth?: Truth;
}

const pages = [
  {
    name: 'article',
    title: 'An article',
    standsFor: 'News, blogs, documentation: text that waits for a font, a dozen pictures, little script.',
    labels: ['article'],
  },
  {
    name: 'shop',
    title: 'A shop',
    standsFor: 'Catalogues and search results: more than 70 small pictures on one connection.',
    labels: ['shop'],
  },
  {
    name: 'large-objects',
    title: 'Four large pictures',
    standsFor: 'Pages that throughput decides, not round trips: photographs in full quality, downloads.',
    labels: ['large-objects'],
  },
  {
    name: 'scripts',
    title: 'A page made by scripts',
    standsFor: 'Web applications: modules that import modules, a big bundle, data fetched after DOMContentLoaded.',
    labels: ['scripts'],
  },
  {
    name: 'sharded',
    title: 'The shop over six hosts',
    standsFor: 'Pages with third parties and old domain sharding: six hosts, of which one speaks only HTTP/1.1 and one no HTTP/3.',
    labels: ['sharded', 'sharded-static', 'sharded-a', 'sharded-b', 'sharded-h1', 'sharded-h2'],
  },
];

export function demoSites(port: number): DemoSite[] {
  const describe = (host: Host) => ({ host: `${host.name}:${port}`, protocols: [...host.protocols] });
  const demo = pages.map(({ labels, ...page }): DemoSite => {
    const hosts = labels.map(hostOf);
    return { ...page, url: `https://${hosts[0]?.name}:${port}/`, hosts: hosts.map(describe) };
  });
  const host = hostOf('truth');
  const truth = truthPages.map(
    (page): DemoSite => ({
      name: `truth-${page.name}`,
      title: page.title,
      standsFor: page.standsFor,
      url: `https://${host.name}:${port}/${page.name}`,
      hosts: [describe(host)],
      truth: truthOf(page),
    }),
  );
  return [...demo, ...truth];
}
