// Renders Caddy's configuration, from the same tables as nginx's: a server for each host, on that host's own addresses.
import { readFile } from 'node:fs/promises';
import { contentTypes } from '../content-types.ts';
import { type Host, hosts } from '../hosts.ts';
import { addressesOf, withPort } from '../place.ts';
import { addedFields, earlyDataField, logEncoder } from './caddy-log.ts';
import { allow0Rtt, idleTimeout, tlsPolicy } from './caddy-settings.ts';
import { checkedHosts } from './check.ts';
import type { StartInput } from './server.ts';

type Route = Record<string, unknown>;

/** Holds the private keys: Caddy may run as somebody who can't read their files, and gets this as its standard input. */
export async function renderCaddyConfig(input: StartInput): Promise<string> {
  const { certificates, sockets, run } = input;
  const pem = async ({ certificate, key }: { certificate: string; key: string }, tag: Host['certificate']) => ({
    certificate: await readFile(certificate, 'utf8'),
    key: await readFile(key, 'utf8'),
    tags: [tag],
  });
  const check = {
    listen: [`unix/${sockets.check}|0666`],
    protocols: ['h1'],
    ...common('leaf'),
    routes: checkedHosts.map((host) => ({
      match: [{ host: [host.name] }],
      handle: [{ handler: 'subroute', routes: routes(host, input) }],
    })),
  };
  const config = {
    admin: { disabled: true, config: { persist: false } },
    storage: { module: 'file_system', root: `${run}/temp/caddy` },
    logging: {
      logs: {
        default: { writer: { output: 'stderr' }, level: 'INFO', exclude: ['http.log.access'] },
        visits: { writer: { output: 'stdout' }, encoder: logEncoder, include: ['http.log.access'] },
      },
    },
    apps: {
      http: { servers: { ...Object.fromEntries(hosts.map((host) => [host.name, server(host, input)])), check } },
      tls: {
        certificates: { load_pem: [await pem(certificates.leaf, 'leaf'), await pem(certificates.selfSigned, 'self-signed')] },
        // Nothing is looked up and nothing is written.
        disable_ocsp_stapling: true,
        disable_storage_check: true,
        disable_storage_clean: true,
      },
    },
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

const common = (certificate: Host['certificate']) => ({
  tls_connection_policies: [{ ...tlsPolicy, certificate_selection: { any_tag: [certificate] } }],
  automatic_https: { disable: true },
  strict_sni_host: false,
  idle_timeout: idleTimeout,
});

function server(host: Host, input: StartInput) {
  const { place, port } = input;
  // Go can't speak h2 without h1: a host without h1 says so to who asks for it, as nginx does.
  const protocols = host.protocols.includes('h1') ? host.protocols : ['h1', ...host.protocols];
  return {
    listen: addressesOf(host, place).map((address) => withPort(address, port)),
    protocols,
    allow_0rtt: allow0Rtt,
    ...common(host.certificate),
    logs: {},
    routes: routes(host, input),
  };
}

function routes(host: Host, { port, run, content, sockets }: StartInput): Route[] {
  const alwaysSet = {
    'Timing-Allow-Origin': ['*'],
    'Access-Control-Allow-Origin': ['*'],
    ...(host.protocols.includes('h3') ? { 'Alt-Svc': [`h3=":${port}"; ma=86400`] } : {}),
  };
  return [
    { handle: Object.entries(addedFields(port)).map(([key, value]) => ({ handler: 'log_append', key, value })) },
    { match: [{ tls: { handshake_complete: false } }], handle: [{ handler: 'log_append', key: earlyDataField, value: '1' }] },
    { handle: [headers(alwaysSet)] },
    ...(host.protocols.includes('h1')
      ? []
      : [{ match: [{ not: [{ protocol: 'http/2+' }] }], handle: [{ handler: 'static_response', status_code: 505 }], terminal: true }]),
    ...(host.serves === 'upstream'
      ? [proxied(sockets.upstream)]
      : files(host.serves === 'sharded' ? `${run}/documents` : `${content}/${host.serves}`)),
  ];
}

const headers = (set: Record<string, string[]>) => ({ handler: 'headers', response: { set } });

function files(root: string): Route[] {
  const isAsset = [{ path: ['/assets/*'] }];
  return [
    // Go's own table of types ends with the system's.
    ...Object.entries(contentTypes).map(([end, type]) => ({
      match: [{ path: end === 'html' ? ['*.html', '*/'] : [`*.${end}`] }],
      handle: [headers({ 'Content-Type': [type] })],
    })),
    { match: isAsset, handle: [headers({ 'Cache-Control': ['public, max-age=31536000, immutable'] })] },
    { match: [{ not: isAsset }], handle: [headers({ 'Cache-Control': ['no-cache'] })] },
    { handle: [{ handler: 'file_server', root, index_names: ['index.html'], canonical_uris: false, precompressed: { gzip: {} } }] },
  ];
}

/** A response goes out byte by byte as the upstream writes it. */
function proxied(upstream: string): Route {
  return {
    handle: [
      {
        handler: 'reverse_proxy',
        upstreams: [{ dial: `unix/${upstream}` }],
        flush_interval: -1,
        transport: {
          protocol: 'http',
          compression: false,
          response_header_timeout: '150s',
          // No connection is set up while a deadline runs.
          keep_alive: { enabled: true, idle_timeout: '1h', max_idle_conns_per_host: 64 },
        },
      },
    ],
  };
}
