// The demo origin's hosts. Each has an address of its own: Chrome puts hosts that share an address and a certificate on
// one connection (RFC 9113 §9.1.1), and then the page isn't sharded at all.
import type { Protocol } from '@pronghorn/core/vocabulary';

export interface Host {
  name: string;
  /** Last part of its addresses, in decimal digits; what comes before them is the place's. */
  number: number;
  protocols: readonly Protocol[];
  /**
   * What answers: files of a site, the sharded page's document, or the upstream with its exact delays; of a host of the web, the upstream
   * with the shop's or the article's files under /assets/.
   */
  serves: 'article' | 'shop' | 'large-objects' | 'scripts' | 'sharded' | 'upstream' | 'web-article' | 'web-shop' | 'web-large';
  certificate: 'leaf' | 'self-signed' | 'corporate';
  /** Where its Alt-Svc header says that HTTP/3 is. Default: on the port of everything. Without the header, only an HTTPS record announces it. */
  altSvc?: 'next-port' | 'none';
  /** It takes no more requests on a connection, as production servers do after a thousand. Only nginx: Caddy has no such limit. */
  requestsPerConnection?: number;
  plain?: true;
  /** Only a proxy knows its address. */
  behindProxy?: true;
  /** Name of the server process that has it, where that isn't the one of most hosts. */
  process?: string;
  /** Name of the server process that answers its UDP, where that is another one: so that it can be stopped alone. */
  udpProcess?: string;
}

/** `.test` is reserved (RFC 2606): no resolver will ever know it, and no name here can be somebody's. */
export const domain = 'pronghorn.test';

const all: readonly Protocol[] = ['h1', 'h2', 'h3'];
type Row = [
  label: string,
  serves: Host['serves'],
  protocols?: readonly Protocol[],
  certificate?: Host['certificate'],
  requestsPerConnection?: number,
];
const rows: readonly Row[] = [
  ['article', 'article'],
  ['shop', 'shop'],
  ['large-objects', 'large-objects'],
  ['scripts', 'scripts'],
  ['sharded', 'sharded'],
  ['sharded-static', 'shop'],
  ['sharded-a', 'shop'],
  ['sharded-b', 'shop'],
  ['sharded-h1', 'shop', ['h1']],
  // It falls back to h1, as servers of its kind do: refusing it would leave visits over h1 without a fifth of the pictures.
  ['sharded-h2', 'shop', ['h1', 'h2']],
  ['truth', 'upstream'],
  ['odd', 'upstream'],
  ['h1only', 'article', ['h1']],
  ['h2only', 'article', ['h2']],
  ['selfsigned', 'article', all, 'self-signed'],
  ['few-requests', 'article', all, 'leaf', 20],
  ['tricks', 'upstream'],
];

export const hosts: readonly Host[] = rows.map(([label, serves, protocols = all, certificate = 'leaf', requestsPerConnection], n) => ({
  name: `${label}.${domain}`,
  number: 11 + n,
  protocols,
  serves,
  certificate,
  ...(requestsPerConnection === undefined ? {} : { requestsPerConnection }),
}));

/** The host of REST calls, which the server of packages/transaction answers. Its number lies between the pages' and the web's. */
export const callsHost: Host = { name: `calls.${domain}`, number: 30, protocols: all, serves: 'upstream', certificate: 'leaf' };

/** @throws {Error} for a label that no host has. */
export function hostOf(label: string): Host {
  const host = hosts.find(({ name }) => name === `${label}.${domain}`);
  if (!host) throw new Error(`there is no demo host ${label}.${domain}`);
  return host;
}

const pictureShards = ['sharded-a', 'sharded-b', 'sharded-h1', 'sharded-h2'];

/** Host of an asset of the sharded page: four hosts take turns with pictures, one has the rest. */
export function shardOf(asset: string): string {
  const number = /^pot-(\d+)\.png$/.exec(asset)?.[1];
  return `${number ? pictureShards[Number(number) % pictureShards.length] : 'sharded-static'}.${domain}`;
}
