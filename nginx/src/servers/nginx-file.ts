// What every configuration of nginx has here, whatever it serves: around its hosts, and how its text is written.
import type { WorkerUser } from '../worker-user.ts';
import { logFormat } from './nginx-log.ts';
import { httpSettings, workerProcesses } from './nginx-settings.ts';

export interface NginxFile {
  /** The file that renders it, from the repository's root. */
  template: string;
  /** Of the process: its configuration, its errors and its temporary files. */
  folder: string;
  accessLog: string;
  /** Of the workers; undefined when nginx doesn't start as root and can't change it. */
  user: WorkerUser | undefined;
  /** What files are called in Content-Type, by the end of their name. */
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
