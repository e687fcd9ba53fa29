// The third-party hosts that the pages name, served here under their own names: files of npm packages where they are one, plausible bytes
// where they are not.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, extname, join } from 'node:path';
import type { LocalHost } from '../../nginx/src/index.ts';
import { modules } from './real-pages.ts';

/** Hosts that pages reach by a style sheet or a script of another third party, not by their own text. */
const reached = ['fonts.googleapis.com', 'fonts.gstatic.com', 'petstore.swagger.io', 'validator.swagger.io'];
/** Hosts without HTTP/3, or with HTTP/1.1 alone, like many of the web. */
const withoutH3 = (name: string) => /^(kit\.fontawesome|code\.jquery|petstore|buttons\.|cdn\.startbootstrap)/.test(name);
const oldest = (name: string) => /^(www\.google-analytics|snap\.licdn|ghbtns)/.test(name);

const resource =
  /<(?:script|link|img|iframe|source|video|audio)\b[^>]*?\b(?:src|href)\s*=\s*["']?(?:https?:)?\/\/([a-z0-9.-]+\.[a-z]{2,})/gi;
const inStyle = /(?:url\(\s*|@import\s+)["']?(?:https?:)?\/\/([a-z0-9.-]+\.[a-z]{2,})/gi;

/** Names of the hosts that a page takes something from, by its text and that of the style sheets and scripts of its folder that it names. */
export function hostsNamedBy(root: string, page: string): string[] {
  const file = join(root, page.endsWith('/') ? `${page}index.html` : page);
  const html = readFileSync(file, 'utf8');
  const own = [...html.matchAll(/(?:src|href)\s*=\s*["']([^"':]+\.(?:css|m?js))(?:\?[^"']*)?["']/gi)].map(([, path = '']) =>
    path.startsWith('/') ? join(root, path) : join(dirname(file), path),
  );
  const texts = [html, ...own.filter((path) => existsSync(path)).map((path) => readFileSync(path, 'utf8'))];
  const names = [...(html.matchAll(resource) ?? []), ...texts.flatMap((text) => [...text.matchAll(inStyle)])].map(([, name = '']) =>
    name.toLowerCase(),
  );
  return [...new Set(names)].filter((name) => !/^(www\.)?w3\.org$/.test(name));
}

/** One server for all, behind nginx; it distinguishes hosts by X-Forwarded-Host. */
export async function startThirdParties(names: Iterable<string>): Promise<{ hosts: LocalHost[]; server: Server }> {
  const server = createServer((asked, response) => {
    const { pathname, searchParams } = new URL(asked.url ?? '/', 'https://host.invalid');
    const { type, body } = answer(String(asked.headers['x-forwarded-host']), pathname, searchParams);
    response.writeHead(200, { 'content-type': type, 'cache-control': 'public, max-age=31536000', 'access-control-allow-origin': '*' });
    response.end(body);
  });
  server.keepAliveTimeout = 3_600_000;
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const hosts = [...new Set([...names, ...reached])].map((name): LocalHost => {
    const protocols = oldest(name) ? (['h1'] as const) : withoutH3(name) ? (['h1', 'h2'] as const) : (['h1', 'h2', 'h3'] as const);
    return { name, protocols, serves: { server: new URL(`http://127.0.0.1:${port}/`) } };
  });
  return { hosts, server };
}

interface Answer {
  type: string;
  body: Buffer | string;
}

function answer(host: string, path: string, query: URLSearchParams): Answer {
  if (host === 'fonts.googleapis.com') return { type: 'text/css; charset=utf-8', body: fontFaces(query, path === '/icon') };
  if (host === 'fonts.gstatic.com') return { type: 'font/woff2', body: read(`@fontsource/${path.slice(1)}`) ?? font() };
  if (host === 'petstore.swagger.io') return { type: 'application/json', body: petstore };
  const file = packageFile(path);
  const type = types[extname(path).toLowerCase()] ?? (/\/(embed|iframe)|\.html?$|^\/$/.test(path) ? 'text/html' : 'text/javascript');
  return { type, body: file ?? plausible(type, path) };
}

/** Rules of CDNs' paths: /npm/NAME@VERSION/FILE, /ajax/libs/NAME/VERSION/FILE, and the names of well-known files. */
function packageFile(path: string): Buffer | undefined {
  const [, npm, rest] = /^\/(?:npm\/)?((?:@[^/]+\/)?[^/@]+)@[^/]+\/?(.*)$/.exec(path) ?? [];
  if (npm !== undefined) return read(`${npm}/${rest || 'index.js'}`) ?? known(path);
  return known(path);
}

function known(path: string): Buffer | undefined {
  const name = path.split('/').at(-1) ?? '';
  if (/chart(\.min|\.umd)?(\.min)?\.js$/i.test(name)) return read('chart.js/dist/chart.umd.min.js') ?? read('chart.js/dist/chart.umd.js');
  if (/^jquery[-.\d]*(\.slim)?(\.min)?\.js$/i.test(name)) return read('jquery/dist/jquery.min.js');
  if (/^bootstrap(\.bundle)?(\.min)?\.js$/i.test(name)) return read('bootstrap/dist/js/bootstrap.bundle.min.js');
  if (/^bootstrap(\.min)?\.css$/i.test(name)) return read('bootstrap/dist/css/bootstrap.min.css');
  if (/^bootstrap-icons(\.min)?\.css$/i.test(name)) return read('bootstrap-icons/font/bootstrap-icons.min.css');
  if (/^bootstrap-icons\.woff2$/i.test(name)) return read('bootstrap-icons/font/fonts/bootstrap-icons.woff2');
  if (/^popper(\.min)?\.js$/i.test(name)) return read('popper.js/dist/umd/popper.min.js');
  if (/fontawesome|^all(\.min)?\.js$|^[0-9a-f]{10}\.js$/i.test(name) && name.endsWith('.js'))
    return read('@fortawesome/fontawesome-free/js/all.min.js');
  if (/(font-?awesome|all)(\.min)?\.css$/i.test(name)) return read('@fortawesome/fontawesome-free/css/all.min.css');
  if (/^(fa-.*|fontawesome.*)\.woff2$/i.test(name)) return read('@fortawesome/fontawesome-free/webfonts/fa-solid-900.woff2');
  if (/datatables/i.test(path)) return read('simple-datatables/dist/umd/simple-datatables.js') ?? undefined;
  return undefined;
}

function read(path: string): Buffer | undefined {
  const file = join(modules, path);
  return !path.includes('..') && existsSync(file) && statSync(file).isFile() ? readFileSync(file) : undefined;
}

const font = () => read('@fontsource/roboto/files/roboto-latin-400-normal.woff2') ?? Buffer.alloc(20_000);

/** Style sheets as that host writes them: a face for each family and weight, with its file on fonts.gstatic.com. */
function fontFaces(query: URLSearchParams, icons: boolean): string {
  const families = readdirSync(join(modules, '@fontsource'));
  const asked = query.getAll('family').flatMap((family) => family.split('|'));
  return asked
    .flatMap((family) => {
      const [name = ''] = family.split(':');
      const id = name.toLowerCase().replaceAll(' ', '-');
      const known = !icons && families.includes(id) ? id : 'roboto';
      const weights = [...new Set(family.match(/[1-9]00/g) ?? ['400'])];
      return weights.map(
        (weight) =>
          `@font-face { font-family: '${name}'; font-style: normal; font-weight: ${weight}; font-display: swap; ` +
          `src: url(https://fonts.gstatic.com/${known}/files/${known}-latin-${weight}-normal.woff2) format('woff2'); }`,
      );
    })
    .join('\n');
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.gif': 'image/gif',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
};

const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="400"><rect width="600" height="400" fill="#2f6f73"/></svg>';

/** Of a usual size for its kind, and harmless. Chrome sniffs pictures: a drawing under any of their types would be none, so that is a dot. */
function plausible(type: string, path: string): Buffer | string {
  if (type.startsWith('text/javascript')) return `/* ${path} */\n${'void 0; // stands for a third party’s script\n'.repeat(500)}`;
  if (type.startsWith('text/css')) return `/* ${path} */\n${'.third-party { color: inherit; }\n'.repeat(300)}`;
  if (type.startsWith('text/html')) return '<!doctype html><title>Embedded</title><p>An embedded page.</p>';
  if (type === 'image/svg+xml') return drawing;
  if (type.startsWith('image/')) return Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
  if (type.startsWith('font/')) return font();
  return '{}';
}

const petstore = JSON.stringify({
  swagger: '2.0',
  info: { title: 'Petstore', version: '1.0.0' },
  paths: Object.fromEntries(
    ['pet', 'store', 'user'].map((name) => [`/${name}`, { get: { tags: [name], responses: { 200: { description: 'OK' } } } }]),
  ),
});
