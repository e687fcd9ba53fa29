// Caddy as the origin's server: a second implementation of HTTP/2 and HTTP/3 (Go's and quic-go's), so that a finding about
// HTTP/3 can be distinguished from one about nginx.
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type Host, hosts } from '../hosts/hosts.ts';
import { addressesOf, withPort } from '../hosts/place.ts';
import { addedFields, earlyDataField, logEncoder } from '../machine/access-log.ts';
import { contentTypes } from '../machine/content-types.ts';
import { workerUser } from '../machine/worker-user.ts';
import { type CaddyBuild, findCaddy, readCaddyBuild } from './find-server.ts';
import { checkedHosts, type OriginServer, type StartInput, type Wanted } from './server.ts';
import { startServer } from './server-process.ts';

/** @throws {Error} when the program is no Caddy, or too old a one */
export function openCaddy({ version, program = findCaddy(version) }: Wanted = {}): OriginServer {
  const settings = caddySettings(readCaddyBuild(program));
  return {
    name: 'caddy',
    settings,
    async start(input) {
      const { run, content, sockets, place, qlogs } = input;
      const configuration = 'caddy.json';
      // It is one process without a master: started by root, all of it runs as somebody else.
      const user = await workerUser([
        join(content, 'article', 'index.html'),
        join(run, 'documents', 'index.html'),
        sockets.upstream,
        program,
      ]);
      const home = join(run, 'temp', 'caddy');
      await mkdir(home, { recursive: true });
      if (user)
        for (const path of [home, sockets.directory, ...(qlogs === undefined ? [] : [qlogs])]) await chown(path, user.uid, user.gid);
      await writeFile(join(run, configuration), await renderCaddyConfig(input), { mode: 0o600 });
      return await startServer(run, {
        name: 'Caddy',
        argv: [program, 'run', '--config', '-'],
        enter: place.enter,
        user,
        // Caddy keeps all of its files in the run's folder.
        environment: {
          ...{ PATH: process.env.PATH, GODEBUG: goDebug, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
          ...(qlogs === undefined ? {} : { QLOGDIR: qlogs }),
        },
        configuration,
        byStandardStreams: true,
        endSignal: 'SIGQUIT', // SIGTERM waits for open responses
        isBound: (_pid, errorLog) => errorLog.includes('"msg":"serving initial configuration"'),
        fatal: /^Error: |"level":"(fatal|panic|error)"/,
      });
    },
  };
}

type Route = Record<string, unknown>;

/** Holds the private keys: Caddy may run as a user who can't read their files, and reads this from its standard input. */
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
        // It looks nothing up and writes nothing.
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
  // Go can't speak h2 without h1: a host without h1 tells clients that ask for it, as nginx does.
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

// Settings that decide how HTTP/2 and HTTP/3 compare on Caddy: those of the configuration, and those built into Go's libraries.

/** TLS settings of every host. The configuration is made from these values, and they are stored with every campaign. */
const tlsPolicy = {
  // Why each: see nginx-settings.ts. Go has no choice of TLS 1.3's ciphers: AES-128-GCM where the processor has AES.
  protocol_min: 'tls1.3',
  protocol_max: 'tls1.3',
  curves: ['x25519', 'secp256r1'],
};
const idleTimeout = '75s';
/** Allows early data over QUIC; Go's TLS over TCP has none. */
const allow0Rtt = true;
/** Go would offer Multipath TCP on its listeners from 1.24 on; a route's congestion control is for plain TCP. */
const goDebug = 'multipathtcp=0';

/** Read in the sources of quic-go and golang.org/x/net; they have no settings for it, and Caddy sets none. */
const builtIn = (quicGo: string | null) => ({
  readIn: 'quic-go 0.59.0 to 0.63.0, golang.org/x/net 0.55.0 to 0.60.0, Caddy 2.11.4 and 2.11.9',
  h2: { maxConcurrentStreams: 250, writeBytes: 4_096, priorities: 'none: round robin (RFC 9218 from Go 1.27 on)' },
  quic: {
    congestionControl: 'newreno',
    /** The window after a loss, as a share of the one before. */
    lossFactor: 0.7,
    slowStart: 'hybrid (HyStart)',
    pacing: true,
    pacingGain: 1.25,
    pacingBurstPackets: 10,
    initialWindowBytes: 40_960,
    initialPacketBytes: 1_280,
    pathMtuDiscovery: true,
    segmentationOffload: true,
    maxConcurrentStreams: 100,
    /** Limits the client; Chrome limits the server. */
    streamWindowBytes: 524_288,
    connectionWindowBytes: 786_432,
    idleTimeoutS: 30,
    udpSocketBuffersWanted: 7_340_032,
    ...orderOf(quicGo),
  },
});

/** Order in which a connection sends (framer.go of 0.61.0 and 0.62.0); everything else above is the same in both. */
function orderOf(quicGo: string | null) {
  if (quicGo === null) return { priorities: 'unknown', resends: 'unknown' };
  return quicGo.localeCompare('0.62.0', 'en', { numeric: true }) < 0
    ? { priorities: 'none: round robin', resends: 'what was lost, in its stream’s turn' }
    : { priorities: 'RFC 9218: by urgency; one after another, or in turns where incremental', resends: 'what was lost, before all else' };
}

function caddySettings({ version, go, quicGo, goNet }: CaddyBuild): Record<string, unknown> {
  return {
    server: 'caddy',
    version,
    go,
    quicGo,
    goNet,
    // As many as there are cores: Go spreads connections over them, nginx has one worker.
    goMaxProcs: availableParallelism(),
    goDebug,
    tls: { ...tlsPolicy, sessionTickets: true },
    idleTimeout,
    earlyDataOverQuic: allow0Rtt,
    compression: 'gzip, made beforehand',
    builtIn: builtIn(quicGo),
  };
}
