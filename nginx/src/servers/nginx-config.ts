// Renders nginx's configuration: one template for all hosts and protocols, on one port number for TCP and UDP.
import { contentTypes } from '../content-types.ts';
import { type Host, hosts } from '../hosts.ts';
import { addressesOf, withPort } from '../place.ts';
import type { WorkerUser } from '../worker-user.ts';
import { checkedHosts } from './check.ts';
import { logFormat } from './nginx-log.ts';
import { httpSettings, workerProcesses } from './nginx-settings.ts';
import type { StartInput } from './server.ts';

/** @param user of the workers; undefined when nginx doesn't start as root and can't change it */
export function renderNginxConfig(input: StartInput, user: WorkerUser | undefined): string {
  const { run, sockets } = input;
  return `# Written by Pronghorn's origin at each start; the template is nginx/src/servers/nginx-config.ts.
daemon off;
${user ? `user ${user.user} ${user.group};\n` : ''}worker_processes ${workerProcesses};
pid ${quoted(`${run}/nginx.pid`)};
error_log ${quoted(`${run}/error.log`)} warn;

events {
  worker_connections 4096;
}

http {
  log_format requests escape=json '${logFormat}';
  # What comes by the socket for checks is no visit.
  map $remote_addr $is_visit { "unix:" 0; default 1; }
  access_log ${quoted(`${run}/access.log`)} requests if=$is_visit;
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `  ${kind}_temp_path ${quoted(`${run}/temp/${kind}`)};`).join('\n')}

  types {
${Object.entries(contentTypes)
  .map(([end, type]) => `    ${type.replace('; charset=utf-8', '')} ${end};`)
  .join('\n')}
  }
  charset utf-8;
  charset_types text/css text/javascript; # text/html is always among them
  # As long as a line of the CPU's cache, unless it is said: too short for our names on some.
  server_names_hash_bucket_size 128;

${httpSettings.map(({ directive, value, why }) => `  # ${why}\n  ${directive} ${value};`).join('\n')}

  # Assets carry their hash in their name and never change; documents are asked for again. The upstream says its own.
  map $uri $cache_control {
    ~^/assets/ "public, max-age=31536000, immutable";
    default "no-cache";
  }

  upstream delays {
    server ${quoted(`unix:${sockets.upstream}`)};
    # No connection is set up while a deadline runs.
    keepalive 64;
    keepalive_requests 1000000;
    keepalive_timeout 1h;
  }
${hosts.map((host) => server(host, input)).join('')}}
`;
}

function server(host: Host, { port, place, run, content, certificates, sockets }: StartInput): string {
  const speaks = (protocol: Host['protocols'][number]) => host.protocols.includes(protocol);
  const certificate = host.certificate === 'leaf' ? certificates.leaf : certificates.selfSigned;
  const addresses = addressesOf(host, place).map((address) => withPort(address, port));
  const lines = [
    ...addresses.map((address) => `listen ${address} ssl;`),
    ...(speaks('h3') ? addresses.map((address) => `listen ${address} quic;`) : []),
    ...(checkedHosts.includes(host) ? [`listen ${quoted(`unix:${sockets.check}`)} ssl;`] : []),
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
