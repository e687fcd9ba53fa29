// nginx as the origin's server.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Host } from '../hosts/hosts.ts';
import { addressesOf, withPort } from '../hosts/place.ts';
import { contentTypes } from '../machine/content-types.ts';
import { type WorkerUser, workerUser } from '../machine/worker-user.ts';
import { findNginx, type NginxBuild, readBuild } from './find-server.ts';
import { nginxFile, nginxSettings, quoted, serverBlock } from './nginx-settings.ts';
import { checkedHosts, type OriginServer, type StartInput, type Wanted } from './server.ts';
import { type ServerProcess, startServer } from './server-process.ts';

/** @throws {Error} when the program is no nginx, or lacks what the origin needs */
export function openNginx({ version, program = findNginx(version) }: Wanted = {}): OriginServer {
  const build = readBuild(program);
  const settings = nginxSettings(build);
  return {
    name: 'nginx',
    settings,
    async start(input) {
      const started: { name: string; process: ServerProcess }[] = [];
      const stop = async () => {
        await Promise.all(started.map(({ process }) => process.stop()));
      };
      try {
        // One after the other: which of two took an address first decides nothing.
        for (const share of sharesOf(input.hosts))
          started.push({ name: share.name, process: await startShare(program, input, share, build) });
      } catch (error) {
        await stop();
        throw error;
      }
      const pids = Object.fromEntries(started.map(({ name, process }) => [name, process.pid]));
      return { pid: pids.main as number, pids, stop };
    },
  };
}

async function startShare(program: string, input: StartInput, share: Share, { hasEarlyHints }: NginxBuild): Promise<ServerProcess> {
  const { run, content, sockets, place } = input;
  const folder = folderOf(input, share);
  await mkdir(join(folder, 'temp'), { recursive: true });
  const user = await workerUser([join(content, 'article', 'index.html'), join(run, 'documents', 'index.html'), sockets.upstream]);
  const configuration = renderNginxConfig(input, user, { share, earlyHints: hasEarlyHints && share.name === 'main' });
  return await startNginx(program, { folder, enter: place.enter, configuration });
}

/** @param nginx its folder, which holds a folder `temp` already, what starts it in its place, and the text of its configuration */
export async function startNginx(
  program: string,
  { folder, enter, configuration }: { folder: string; enter: readonly string[]; configuration: string },
): Promise<ServerProcess> {
  await writeFile(join(folder, 'nginx.conf'), configuration);
  return await startServer(folder, {
    name: 'nginx',
    argv: [program, '-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')],
    enter,
    // The machine's openssl.cnf could raise or lower what the configuration says.
    environment: { PATH: process.env.PATH, OPENSSL_CONF: '/dev/null' },
    configuration: 'nginx.conf',
    endSignal: 'SIGTERM',
    // It writes its pid file after it has bound its sockets.
    isBound: async (pid) => Number(await readFile(join(folder, 'nginx.pid'), 'utf8').catch(() => '')) === pid,
    fatal: /\[(emerg|alert|crit|error)\]/,
  });
}

/** The hosts of one nginx process. Most origins need only one process, `main`, which has them all. */
interface Share {
  name: string;
  tcp: readonly Host[];
  udp: readonly Host[];
}

function sharesOf(hosts: readonly Host[]): Share[] {
  const tcpIn = ({ process = 'main' }: Host) => process;
  const udpIn = (host: Host) => host.udpProcess ?? tcpIn(host);
  const names = [...new Set(['main', ...hosts.flatMap((host) => [tcpIn(host), udpIn(host)])])];
  return names.map((name) => ({
    name,
    tcp: hosts.filter((host) => tcpIn(host) === name),
    udp: hosts.filter((host) => udpIn(host) === name && host.protocols.includes('h3')),
  }));
}

/** Where an nginx has its configuration, its errors and its temporary files; all write into one access log. */
const folderOf = ({ run }: StartInput, { name }: Share): string => (name === 'main' ? run : join(run, 'servers', name));

/**
 * @param user of the workers; undefined when nginx doesn't start as root and can't change it
 * @param earlyHints whether this nginx passes 103 on
 */
export function renderNginxConfig(
  input: StartInput,
  user: WorkerUser | undefined,
  { share = sharesOf(input.hosts)[0] as Share, earlyHints = false }: { share?: Share; earlyHints?: boolean } = {},
): string {
  const { run, sockets } = input;
  return nginxFile({
    template: 'nginx/src/servers/nginx.ts',
    folder: folderOf(input, share),
    accessLog: `${run}/access.log`,
    user,
    types: contentTypes,
    http: `  charset_types text/css text/javascript; # text/html is always among them

  # Assets carry their hash in their name and never change; documents are asked for again. The upstream says its own.
  map $uri $cache_control {
    ~^/assets/ "public, max-age=31536000, immutable";
    default "no-cache";
  }
  # For hosts whose upstream says it of everything else.
  map $uri $asset_cache_control {
    ~^/assets/ "public, max-age=31536000, immutable";
    default "";
  }
  # A WebSocket begins as a request to change the protocol.
  map $http_upgrade $upstream_connection {
    "" "";
    default "upgrade";
  }

  upstream delays {
    server ${quoted(`unix:${sockets.upstream}`)};
    # No connection is set up while a deadline runs.
    keepalive 64;
    keepalive_requests 1000000;
    keepalive_timeout 1h;
  }
${[...new Set([...share.tcp, ...share.udp])].map((host) => server(host, input, { tcp: share.tcp.includes(host), udp: share.udp.includes(host), earlyHints })).join('')}`,
  });
}

interface Part {
  tcp: boolean;
  udp: boolean;
  earlyHints: boolean;
}

function server(host: Host, input: StartInput, { tcp, udp, earlyHints }: Part): string {
  const { port, place, certificates, corporate, sockets } = input;
  const speaks = (protocol: Host['protocols'][number]) => host.protocols.includes(protocol);
  const certificate = { leaf: certificates.leaf, 'self-signed': certificates.selfSigned, corporate: (corporate ?? certificates).leaf }[
    host.certificate
  ];
  const h3Port = host.altSvc === 'next-port' ? port + 1 : port;
  const addresses = addressesOf(host, place);
  const lines = [
    ...(tcp ? addresses.map((address) => `listen ${withPort(address, port)}${host.plain ? '' : ' ssl'};`) : []),
    ...(udp ? addresses.map((address) => `listen ${withPort(address, h3Port)} quic;`) : []),
    ...(checkedHosts.includes(host) ? [`listen ${quoted(`unix:${sockets.check}`)} ssl;`] : []),
    `server_name ${host.name};`,
    ...(host.plain ? [] : [`ssl_certificate ${quoted(certificate.certificate)};`, `ssl_certificate_key ${quoted(certificate.key)};`]),
    `http2 ${speaks('h2') ? 'on' : 'off'};`,
    `http3 ${speaks('h3') ? 'on' : 'off'};`,
    // nginx always offers http/1.1 in ALPN; 505 is how a server refuses a version (RFC 9110 §15.6.6).
    ...(speaks('h1') ? [] : ['if ($server_protocol ~ ^HTTP/1) { return 505; }']),
    ...(host.requestsPerConnection === undefined ? [] : [`keepalive_requests ${host.requestsPerConnection};`]),
    `add_header Timing-Allow-Origin * always;`,
    `add_header Access-Control-Allow-Origin * always;`,
    ...(speaks('h3') && host.altSvc !== 'none' ? [`add_header Alt-Svc 'h3=":${h3Port}"; ma=86400' always;`] : []),
    ...(earlyHints ? ['early_hints $http2$http3;'] : []),
    ...answers(host, input),
  ];
  return serverBlock(lines);
}

function answers(host: Host, { port, run, content }: StartInput): string[] {
  const name = `${host.name}:${port}`;
  const protocol = 'proxy_set_header X-Protocol $server_protocol;';
  if (host.serves === 'upstream') return proxied(name, [protocol]);
  const web = /^web-(.*)$/.exec(host.serves)?.[1];
  if (web === undefined) return files(host, run, content);
  const root = `${content}/${web === 'large' ? 'large-objects' : web}`;
  return [
    'add_header Cache-Control $asset_cache_control;',
    `location /assets/ { root ${quoted(root)}; }`,
    `location /web/ { root ${quoted(content)}; }`,
    ...proxied(name, ['proxy_set_header Upgrade $http_upgrade;', protocol], '$upstream_connection'),
  ];
}

function files(host: Host, run: string, content: string): string[] {
  const root = host.serves === 'sharded' ? `${run}/documents` : `${content}/${host.serves}`;
  return [`root ${quoted(root)};`, 'add_header Cache-Control $cache_control;'];
}

function proxied(host: string, more: readonly string[] = [], connection = '""'): string[] {
  return [
    'location / {',
    '  proxy_pass http://delays;',
    '  proxy_http_version 1.1;',
    `  proxy_set_header Connection ${connection};`,
    ...more.map((line) => `  ${line}`),
    `  proxy_set_header Host ${host};`,
    '  # A response goes out byte by byte as the upstream writes it.',
    '  proxy_buffering off;',
    '  proxy_read_timeout 150s;',
    '  gzip_static off;',
    '}',
  ];
}
