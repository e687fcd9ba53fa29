// Serves the pages of the web and their third parties, by the name of the host.
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { Protocol } from '@pronghorn/core/vocabulary';
import { domain } from '../../hosts.ts';
import { webHosts } from '../../web/hosts.ts';
import { applications } from './applications.ts';
import { html } from './document.ts';
import { pages } from './pages.ts';
import { thirdParty } from './third-parties.ts';
import { talk } from './web-socket.ts';

export interface WebServer {
  /** @returns whether the request was for a host of the web */
  answer(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  upgrade(request: IncomingMessage, socket: Duplex): void;
}

/** A request for a host of the web. */
export interface WebRequest {
  request: IncomingMessage;
  response: ServerResponse;
  label: string;
  path: string;
  query: URLSearchParams;
  protocol: Protocol;
  cookies: ReadonlyMap<string, string>;
  /** URL of the root of another host of the web. */
  site(label: string): string;
  documents: Documents;
}

/** The documents of the demo's sites, which the web's pages vary, and the paths of their pictures. */
export interface Documents {
  article: string;
  shop: string;
  large: string;
  pots: readonly string[];
  landscapes: readonly string[];
  /** Bytes of a file under /assets/ of the shop. */
  shopAsset(path: string): Promise<Buffer>;
}

export type Answer = (asked: WebRequest) => void | Promise<void>;

const versions: Readonly<Record<string, Protocol>> = { 'HTTP/2.0': 'h2', 'HTTP/3.0': 'h3' };

export async function makeWebServer(content: string): Promise<WebServer> {
  const document = (site: string) => readFile(join(content, site, 'index.html'), 'utf8');
  const [article, shop, large] = await Promise.all([document('article'), document('shop'), document('large-objects')]);
  const documents: Documents = {
    article,
    shop,
    large,
    pots: pathsIn(shop, /\/assets\/pot-\d+\.\w+\.png/g),
    landscapes: pathsIn(article, /\/assets\/[\w-]+\.\w+\.png/g),
    shopAsset: (path) => readFile(join(content, 'shop', path)),
  };
  const labels = new Set(webHosts.map(({ name }) => name.replace(`.${domain}`, '')));
  const answers = new Map<string, Answer>(Object.entries({ ...pages, ...applications }));
  return {
    async answer(request, response) {
      const { host = '' } = request.headers;
      const [name = '', port] = host.split(':');
      const label = name.endsWith(`.${domain}`) ? name.slice(0, -domain.length - 1) : '';
      if (!labels.has(label)) return false;
      const { pathname, searchParams } = new URL(request.url ?? '/', 'https://host');
      await (answers.get(label) ?? thirdParty)({
        request,
        response,
        label,
        path: pathname,
        query: searchParams,
        protocol: versions[String(request.headers['x-protocol'])] ?? 'h1',
        cookies: cookiesOf(request),
        site: (other) => `https://${other}.${domain}:${port}/`,
        documents,
      });
      return true;
    },
    upgrade: talk,
  };
}

const pathsIn = (text: string, paths: RegExp): string[] => [...new Set(text.match(paths))];

function cookiesOf({ headers: { cookie = '' } }: IncomingMessage): Map<string, string> {
  return new Map(cookie.split('; ').map((pair) => [pair.split('=')[0] ?? '', pair.split('=')[1] ?? '']));
}

export const notFound: Answer = ({ response, documents }) =>
  html(response, { base: documents.article, headline: 'There is no such page' }, 404);
