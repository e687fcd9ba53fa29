// Renders nginx's configuration for local sites: folders as a static host serves them, servers behind a reverse proxy.
import { frontHeader } from '@pronghorn/core/network';
import { buildTypes } from '../machine/content-types.ts';
import type { WorkerUser } from '../machine/worker-user.ts';
import { nginxFile, quoted, serverBlock } from '../servers/nginx-settings.ts';
import { loopbackKey } from './loopback.ts';

export interface LocalServer {
  name: string;
  address: string;
  speaks: { h2: boolean; h3: boolean };
  /** Lets pages of other hosts read what it sends, as hosts of fonts and libraries do. */
  crossOrigin: boolean;
  serves: /** `fallback`: URL path of the page that answers where there is none. */
    | { kind: 'folder'; snapshot: string; brotli: readonly string[]; notFound: boolean; fallback: string | undefined }
    /** `origin`: as its own pages have it, such as http://localhost:3000; `pages`: hosts whose pages it knows by such an origin. */
    | { kind: 'server'; origin: string; socket: string; renames: boolean; pages: readonly { name: string; origin: string }[] };
}

export interface LocalConfig {
  run: string;
  port: number;
  certificate: { certificate: string; key: string };
  /** Every host listens here too: whether it serves is asked here, and not logged. */
  checkSocket: string;
  user: WorkerUser | undefined;
  servers: readonly LocalServer[];
}

export function renderLocalConfig(config: LocalConfig): string {
  const { run, user, servers } = config;
  return nginxFile({
    template: 'nginx/src/local/sites-config.ts',
    folder: run,
    accessLog: `${run}/access.log`,
    user,
    types: buildTypes,
    http: `  default_type application/octet-stream;
  charset_types text/css text/javascript text/plain text/markdown text/csv text/vtt application/xml;

  # Names that carry a hash of their content never change; all else is asked for again, as static hosts have it.
  map $uri $cache_control {
    "~[.-](?=[A-Za-z0-9_-]*[0-9])[A-Za-z0-9_-]{8,}\\.(?!html?$)[a-z0-9]+$" "public, max-age=31536000, immutable";
    default "public, max-age=0, must-revalidate";
  }
  map $http_accept_encoding $tree {
    "~(^|[ ,])br([ ,;]|$)" br;
    default plain;
  }
  map $http_accept $wants_page {
    ~text/html 1;
    default 0;
  }
  map $uri $needs_slash {
    ~/$ 0;
    default 1;
  }
  # What applications send and get: links to preload, cookies. nginx allows 8 KB in a line and 4 KB in an answer.
  large_client_header_buffers 4 ${maxHeaders};
  # The server sent no whole header: nginx answers itself.
  map $upstream_header_time $by_front {
    ~^[0-9.] "";
    default 1;
  }
  map $http_upgrade $connection_upgrade {
    default upgrade;
    "" "";
  }
${servers.map((server, n) => upstream(server, n) + rendered(server, n, config)).join('')}`,
  });
}

function upstream({ serves }: LocalServer, n: number): string {
  if (serves.kind !== 'server') return '';
  // The upstream connections stay open between visits, so that no visit sets one up.
  return `
  upstream local${n} {
    server ${quoted(`unix:${serves.socket}`)};
    keepalive 64;
    keepalive_timeout 60s;
  }
  map $http_origin $told_origin${n} {
${serves.pages.map(({ name, origin }) => `    "https://${name}" "${origin}";`).join('\n')}
    default $http_origin;
  }
`;
}

function rendered(server: LocalServer, n: number, { port, certificate, checkSocket }: LocalConfig): string {
  const { name, address, speaks, crossOrigin, serves } = server;
  const lines = [
    `listen ${address}:${port} ssl;`,
    ...(speaks.h3 ? [`listen ${address}:${port} quic;`] : []),
    `listen ${quoted(`unix:${checkSocket}`)} ssl;`,
    `server_name ${name};`,
    `ssl_certificate ${quoted(certificate.certificate)};`,
    `ssl_certificate_key ${quoted(certificate.key)};`,
    `http2 ${speaks.h2 ? 'on' : 'off'};`,
    `http3 ${speaks.h3 ? 'on' : 'off'};`,
    // The port of the URL, whichever nginx listens on: Chrome maps it.
    ...(speaks.h3 ? [`add_header Alt-Svc 'h3=":443"; ma=86400' always;`] : []),
    // The port that nginx listens on is not the one of the URL.
    'absolute_redirect off;',
    ...(crossOrigin ? ['add_header Access-Control-Allow-Origin * always;', 'add_header Timing-Allow-Origin * always;'] : []),
    ...(serves.kind === 'folder' ? folder(serves, n) : proxied(serves, n, name)),
  ];
  const maps = serves.kind === 'folder' && serves.brotli.length > 0 ? encodings(serves.brotli, n) : '';
  return `${maps}${serverBlock(lines)}`;
}

/** Of all headers together: as much as Chrome and servers in production bear at most. */
const maxHeaders = '128k';

type Folder = Extract<LocalServer['serves'], { kind: 'folder' }>;

function folder({ snapshot, brotli, notFound, fallback }: Folder, n: number): string[] {
  return [
    `root ${quoted(snapshot).slice(0, -1)}/${brotli.length > 0 ? '$tree' : 'plain'}";`,
    'add_header Cache-Control $cache_control;',
    ...(brotli.length > 0 ? [`add_header Content-Encoding $encoding${n} always;`, `add_header Vary $vary${n};`] : []),
    ...(notFound ? ['error_page 404 /404.html;'] : []),
    'location / {',
    '  try_files $uri $uri.html @folder;',
    '}',
    // A folder is its index.html, at a path that ends with a slash: what a page names relatively depends on it.
    'location @folder {',
    '  set $state found;',
    '  if (!-f $document_root$uri/index.html) { set $state missing; }',
    ...(fallback === undefined
      ? ['  if ($state = missing) { return 404; }']
      : [
          // Only for pages: a missing script or picture stays missing.
          '  set $state $state$wants_page;',
          '  if ($state = missing0) { return 404; }',
          `  if ($state = missing1) { rewrite ^ ${quoted(fallback)} break; }`,
        ]),
    '  if ($needs_slash) { rewrite ^(.*)$ $1/ permanent; }',
    '  rewrite ^(.*)/$ $1/index.html break;',
    '}',
  ];
}

function encodings(brotli: readonly string[], n: number): string {
  return `
  map $tree$uri $encoding${n} {
${brotli.map((path) => `    ${quoted(`br${path}`)} br;`).join('\n')}
    default "";
  }
  map $uri $vary${n} {
${brotli.map((path) => `    ${quoted(path)} Accept-Encoding;`).join('\n')}
    default "";
  }
`;
}

function proxied({ origin, renames }: Extract<LocalServer['serves'], { kind: 'server' }>, n: number, name: string): string[] {
  const url = new URL(origin);
  // Else the relay speaks TLS with the server.
  const isTls = url.protocol === 'https:' && !renames;
  return [
    'client_max_body_size 0;',
    `add_header ${frontHeader} $by_front always;`,
    'location / {',
    `  proxy_pass ${isTls ? 'https' : 'http'}://local${n};`,
    '  proxy_http_version 1.1;',
    // A developer's server answers only to its own name, and accepts WebSockets only from its own pages.
    `  proxy_set_header Host ${url.host};`,
    `  proxy_set_header Origin $told_origin${n};`,
    `  proxy_set_header X-Forwarded-Host ${name};`,
    '  proxy_set_header X-Forwarded-Proto https;',
    '  proxy_set_header X-Forwarded-For $remote_addr;',
    '  proxy_set_header Upgrade $http_upgrade;',
    '  proxy_set_header Connection $connection_upgrade;',
    `  proxy_redirect ${anyNameOf(url)} /$1;`,
    `  proxy_cookie_domain localhost ${name};`,
    ...(isTls ? ['  proxy_ssl_server_name on;', `  proxy_ssl_name ${url.hostname};`, '  proxy_ssl_verify off;'] : []),
    '  proxy_buffering off;',
    `  proxy_buffer_size ${maxHeaders};`,
    `  proxy_buffers 2 ${maxHeaders};`,
    `  proxy_busy_buffers_size ${maxHeaders};`,
    '  proxy_read_timeout 600s;',
    '  gzip_static off;',
    '}',
  ];
}

/** What a server's redirects to itself begin with: localhost may call itself 127.0.0.1. */
function anyNameOf(url: URL): string {
  const names = loopbackKey(url).startsWith('localhost:')
    ? '(?:localhost|127\\.0\\.0\\.1|0\\.0\\.0\\.0|\\[::1?\\])'
    : url.hostname.replaceAll('.', '\\.');
  // Without a port, another scheme is another server.
  const [scheme, port] = url.port === '' ? [url.protocol, ''] : ['https?:', `:${url.port}`];
  return `"~*^${scheme}//${names}${port}(?:/|(?=[?#])|$)(.*)$"`;
}
