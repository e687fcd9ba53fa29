// Renders nginx's configuration: one template for all hosts and protocols, on one port number for TCP and UDP.

import { logFormat } from './access-log.ts';
import type { Certificates } from './certificates.ts';
import { type Host, hosts } from './hosts.ts';
import { httpSettings, workerProcesses } from './settings.ts';

export interface ConfigInput {
  port: number;
  upstreamPort: number;
  /** Folder of this run: logs, temporary files, the documents that name the port. */
  run: string;
  /** Folder of the sites. */
  content: string;
  certificates: Certificates;
  /** User and group of the workers; undefined when nginx doesn't start as root and can't change them. */
  user: string | undefined;
}

export function renderConfig({ port, upstreamPort, run, content, certificates, user }: ConfigInput): string {
  return `# Written by Pronghorn's origin at each start; the template is nginx/src/config.ts.
daemon off;
${user ? `user ${user};\n` : ''}worker_processes ${workerProcesses};
pid ${quoted(`${run}/nginx.pid`)};
error_log ${quoted(`${run}/error.log`)} warn;

events {
  worker_connections 4096;
}

http {
  log_format requests escape=json '${logFormat}';
  access_log ${quoted(`${run}/access.log`)} requests;
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `  ${kind}_temp_path ${quoted(`${run}/temp/${kind}`)};`).join('\n')}

  types {
    text/html html;
    text/css css;
    text/javascript js;
    application/json json;
    image/png png;
    image/svg+xml svg;
    font/woff2 woff2;
  }
  charset utf-8;
  charset_types text/css text/javascript; # text/html is always among them

${httpSettings.map(({ directive, value, why }) => `  # ${why}\n  ${directive} ${value};`).join('\n')}

  # Assets carry their hash in their name and never change; documents are asked for again. The upstream says its own.
  map $uri $cache_control {
    ~^/assets/ "public, max-age=31536000, immutable";
    default "no-cache";
  }

  upstream delays {
    server 127.0.0.1:${upstreamPort};
    # No connection is set up while a deadline runs.
    keepalive 64;
    keepalive_requests 1000000;
    keepalive_timeout 1h;
  }
${hosts.map((host) => server(host, { port, run, content, certificates })).join('')}}
`;
}

function server(host: Host, { port, run, content, certificates }: Pick<ConfigInput, 'port' | 'run' | 'content' | 'certificates'>): string {
  const speaks = (protocol: Host['protocols'][number]) => host.protocols.includes(protocol);
  const certificate = host.certificate === 'leaf' ? certificates.leaf : certificates.selfSigned;
  const lines = [
    `listen ${host.address}:${port} ssl;`,
    ...(speaks('h3') ? [`listen ${host.address}:${port} quic;`] : []),
    `server_name ${host.name};`,
    `ssl_certificate ${quoted(certificate.certificate)};`,
    `ssl_certificate_key ${quoted(certificate.key)};`,
    `http2 ${speaks('h2') ? 'on' : 'off'};`,
    `http3 ${speaks('h3') ? 'on' : 'off'};`,
    // nginx always offers http/1.1 in ALPN; 505 is how a server refuses a version (RFC 9110 §15.6.6).
    ...(speaks('h1') ? [] : ['if ($server_protocol ~ ^HTTP/1) { return 505; }']),
    `add_header Timing-Allow-Origin * always;`,
    `add_header Access-Control-Allow-Origin * always;`,
    ...(speaks('h3') ? [`add_header Alt-Svc 'h3=":${port}"; ma=86400' always;`] : []),
    ...(host.serves === 'upstream' ? proxied(`${host.name}:${port}`) : files(host, run, content)),
  ];
  return `\n  server {\n${lines.map((line) => `    ${line}\n`).join('')}  }\n`;
}

function files(host: Host, run: string, content: string): string[] {
  const root = host.serves === 'sharded' ? `${run}/documents` : `${content}/${host.serves}`;
  return [`root ${quoted(root)};`, 'add_header Cache-Control $cache_control;'];
}

function proxied(host: string): string[] {
  return [
    'location / {',
    '  proxy_pass http://delays;',
    '  proxy_http_version 1.1;',
    '  proxy_set_header Connection "";',
    `  proxy_set_header Host ${host};`,
    '  # A response goes out byte by byte as the upstream writes it.',
    '  proxy_buffering off;',
    '  proxy_read_timeout 150s;',
    '  gzip_static off;',
    '}',
  ];
}

/** A path as nginx reads it: quotes and backslashes escaped; `$` has no escape there. */
function quoted(path: string): string {
  if (path.includes('$')) throw new Error(`nginx can't take a path with a $ in it: ${path}`);
  return `"${path.replace(/["\\]/g, '\\$&')}"`;
}
