// Directives that decide how HTTP/2 and HTTP/3 compare on this origin, each with its value and the reason. The configuration
// is rendered from this table and the table is stored with every campaign, so the two can't differ.
import { logFormat } from '../machine/access-log.ts';
import type { WorkerUser } from '../machine/worker-user.ts';
import type { NginxBuild } from './find-server.ts';

interface Setting {
  directive: string;
  value: string;
  why: string;
}

/** Directives of the `http` block; they apply to every host and all three protocols. */
export const httpSettings: readonly Setting[] = [
  {
    directive: 'ssl_protocols',
    value: 'TLSv1.3',
    why: 'QUIC has no other. With TLS 1.2 on TCP, h2 would pay a round trip that is not its own.',
  },
  {
    directive: 'ssl_conf_command',
    value: 'Ciphersuites TLS_AES_128_GCM_SHA256',
    why: 'One cipher for all, mandatory in TLS 1.3 (RFC 8446 §9.1) and fast in hardware.',
  },
  {
    directive: 'ssl_ecdh_curve',
    value: 'X25519:prime256v1',
    why: 'The same key exchange with every OpenSSL. Newer ones would add 1.1 KB of ML-KEM to the handshake, older ones not.',
  },
  { directive: 'ssl_session_tickets', value: 'on', why: 'A repeat view resumes: over TCP and QUIC alike.' },
  { directive: 'ssl_session_timeout', value: '1h', why: 'Longer than any pause between a cold and a warm view.' },
  {
    directive: 'ssl_early_data',
    value: 'on',
    why: '0-RTT where the client dares: Chrome does on QUIC, not on TCP. That is a property of the protocols as deployed.',
  },
  {
    directive: 'ssl_buffer_size',
    value: '4k',
    why: 'A TLS record is readable only when whole; nginx’s 16 KB is more than an initial window and can cost h1 and h2 a round trip. A QUIC packet is readable by itself.',
  },
  {
    directive: 'http3_stream_buffer_size',
    value: '1m',
    why: 'Caps what a stream may have under way: nginx’s 64 KB is 64 KB per round trip, 7 s for 4 MB at 100 ms. TCP’s send buffer grows to megabytes. Larger yet, and one big object fills the queue before smaller ones.',
  },
  { directive: 'http2_max_concurrent_streams', value: '128', why: 'The same in both …' },
  { directive: 'http3_max_concurrent_streams', value: '128', why: '… protocols.' },
  { directive: 'http2_chunk_size', value: '8k', why: 'How finely h2 interleaves streams (nginx’s default, pinned).' },
  {
    directive: 'quic_gso',
    value: 'on',
    why: 'Batches UDP sends as TCP’s segmentation offload does; else h3 pays a system call for each packet.',
  },
  { directive: 'quic_retry', value: 'off', why: 'Address validation would cost h3 a round trip that TCP’s handshake has already paid.' },
  { directive: 'keepalive_timeout', value: '75s', why: 'No connection of a visit is closed for being idle; also QUIC’s idle timeout.' },
  {
    directive: 'keepalive_requests',
    value: '100000',
    why: 'nginx’s 1000 would end a connection in the middle of a page of 2,000 objects.',
  },
  { directive: 'tcp_nodelay', value: 'on', why: 'No Nagle delay on the last segment of a response.' },
  { directive: 'tcp_nopush', value: 'off', why: 'No corking: it holds back partial segments.' },
  { directive: 'sendfile', value: 'off', why: 'TLS in user space can’t use it on TCP, QUIC never; both read files the same way.' },
  { directive: 'output_buffers', value: '2 32k', why: 'What is read from a file at once, for all protocols (nginx’s default, pinned).' },
  { directive: 'open_file_cache', value: 'max=2000 inactive=1h', why: 'No path lookups in the measured time after the first visit.' },
  { directive: 'open_file_cache_valid', value: '1h', why: 'The files never change while the origin runs.' },
  { directive: 'gzip', value: 'off', why: 'Nothing is compressed on the fly …' },
  {
    directive: 'gzip_static',
    value: 'on',
    why: '… text lies compressed (level 9) beside itself: the same bytes for all, at no CPU cost in a visit.',
  },
  { directive: 'gzip_vary', value: 'on', why: 'As a cache in between would need it.' },
  { directive: 'etag', value: 'on', why: 'A warm view revalidates documents; assets are immutable and are not asked for again.' },
];

/** One worker: with more, chance would spread a sharded page’s connections, and a visit keeps one core busy at most. */
const workerProcesses = 1;

/**
 * Everything that nginx decides, for the record. No directive shows what is built in: it is known from its changes and from the debug
 * messages in the program. Neither pacing (nginx/nginx pull 1735), BBR (issue 589) nor HTTP/3 priorities (pull 1657) had come by 1.31.5.
 */
export function nginxSettings(build: NginxBuild): Record<string, unknown> {
  return {
    server: 'nginx',
    version: build.version,
    tlsLibrary: build.tlsLibrary,
    workerProcesses,
    directives: Object.fromEntries(httpSettings.map(({ directive, value }) => [directive, value])),
    h2: { priorities: 'dependencies and weights (RFC 7540)' },
    quic: {
      // CUBIC came with 1.27.5; the window is ten packets of 1,200 bytes (RFC 9002 §7.2).
      congestionControl: build.hasCubic ? 'cubic' : 'newreno',
      pacing: false,
      initialWindowBytes: 12_000,
      pathMtuDiscovery: true,
      udpSocketBuffers: 'the kernel’s defaults',
      earlyData: build.hasQuicEarlyData,
      priorities: 'none',
    },
  };
}

interface NginxFile {
  /** The file that renders it, from the repository's root. */
  template: string;
  /** Folder of the process: its configuration, its error log and its temporary files. */
  folder: string;
  accessLog: string;
  /** User of the workers; undefined when nginx doesn't start as root and can't change it. */
  user: WorkerUser | undefined;
  types: Readonly<Record<string, string>>;
  /** The rest of the http block: maps, upstreams, servers. */
  http: string;
}

export function nginxFile({ template, folder, accessLog, user, types, http }: NginxFile): string {
  return `# Written by Pronghorn at each start; the template is ${template}.
daemon off;
${user ? `user ${user.user} ${user.group};\n` : ''}worker_processes ${workerProcesses};
pid ${quoted(`${folder}/nginx.pid`)};
error_log ${quoted(`${folder}/error.log`)} warn;

events {
  worker_connections 8192;
}

http {
  # Before the first map: local sites have an entry for each brotli file.
  map_hash_max_size 65536;
  map_hash_bucket_size 1024;
  log_format requests escape=json '${logFormat}';
  # What comes by the socket for checks is no visit.
  map $remote_addr $is_visit { "unix:" 0; default 1; }
  access_log ${quoted(accessLog)} requests if=$is_visit;
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `  ${kind}_temp_path ${quoted(`${folder}/temp/${kind}`)};`).join('\n')}

  types {
${Object.entries(types)
  .map(([end, type]) => `    ${type.replace('; charset=utf-8', '')} ${end};`)
  .join('\n')}
  }
  charset utf-8;
  # Else as long as a line of the CPU's cache: too short for our names on some.
  server_names_hash_max_size 4096;
  server_names_hash_bucket_size 256;

${httpSettings.map(({ directive, value, why }) => `  # ${why}\n  ${directive} ${value};`).join('\n')}

${http}}
`;
}

export const serverBlock = (lines: readonly string[]): string => `\n  server {\n${lines.map((line) => `    ${line}\n`).join('')}  }\n`;

/** A path as nginx reads it: quotes and backslashes escaped; `$` has no escape there. */
export function quoted(path: string): string {
  if (path.includes('$')) throw new Error(`nginx can't take a path with a $ in it: ${path}`);
  return `"${path.replace(/["\\]/g, '\\$&')}"`;
}
