// The interface of an origin's web server, with an implementation for each server.
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { type Host, hostOf } from '../hosts/hosts.ts';
import type { Place } from '../hosts/place.ts';
import type { Certificates } from '../machine/certificates.ts';
import type { Sockets } from '../machine/runs.ts';
import type { ServerProcess } from './server-process.ts';

export const serverNames = ['nginx', 'caddy'] as const;
export type ServerName = (typeof serverNames)[number];

/** A server and its required version; without one, any version. */
export interface ServerWish {
  name: ServerName;
  version?: string;
}

/** Reads such as `caddy` and `caddy@2.11.9`. @throws {RangeError} that says what was expected */
export function serverWish(text: string): ServerWish {
  const [given, version, ...more] = text.split('@');
  const name = serverNames.find((known) => known === given);
  if (name === undefined || more.length > 0 || (version !== undefined && !/^\d+\.\d+\.\d+$/.test(version)))
    throw new RangeError(`"${text}" is not a server; expected ${serverNames.join(' or ')}, or a version of one such as caddy@2.11.9.`);
  return version === undefined ? { name } : { name, version };
}

export const serverWords = ({ name, version }: ServerWish): string => (version === undefined ? name : `${name}@${version}`);

/** Chooses a program: by its path, else by its version, else any. */
export interface Wanted {
  version?: string | undefined;
  program?: string | undefined;
}

/** A server that was found and looked at, not yet started. It may be started again after it failed on a taken port. */
export interface OriginServer {
  readonly name: ServerName;
  /** Version, build and every setting that decides results: stored with a campaign. */
  readonly settings: Record<string, unknown>;
  /**
   * Writes its configuration into the run's folder and starts it; resolves when its sockets are bound. Requests are logged
   * in `run`/access.log in a form that `readAccessLog` understands, what goes wrong in `run`/error.log.
   * @throws {PortTaken} when an address is in use.
   * @throws {Error} with the server's own words, when it can't start.
   */
  start(input: StartInput): Promise<ServerProcess>;
}

export interface StartInput {
  /** One number for TCP and UDP, on every host's addresses. */
  port: number;
  place: Place;
  /** Folder of this run: logs, temporary files, the documents that name the port. */
  run: string;
  content: string;
  certificates: Certificates;
  /** Hosts to serve. Caddy serves only those of the demo. */
  hosts: readonly Host[];
  /** Certificates of hosts behind a company's CA; undefined without such hosts. */
  corporate?: Certificates | undefined;
  sockets: Sockets;
  /** Folder for a qlog of each QUIC connection; undefined for none. Only Caddy writes them. */
  qlogs?: string | undefined;
}

// Checks that a server that has started also serves: real TLS requests over a unix socket, which is reached from outside the server's network
// namespace too. So its workers run, may read the sites, and reach what stands behind them.
const article = hostOf('article');
const odd = hostOf('odd');
/** The hosts that listen on the socket for checks. */
export const checkedHosts: readonly Host[] = [article, odd];

/** Requests to those hosts: a file, and what the upstream answers. */
export const checkedUrls = (port: number): string[] => [`https://${article.name}:${port}/`, `https://${odd.name}:${port}/empty.html`];

interface Checked {
  server: string;
  run: string;
  socket: string;
  caFile: string;
}

/** @throws {Error} that says what was asked, what came, and the last of the server's error log. */
export async function mustServe({ server, run, socket: path, caFile }: Checked, urls: readonly string[]): Promise<void> {
  const ca = await readFile(caFile);
  for (const url of urls) {
    const { host, hostname, pathname } = new URL(url);
    const answer = await new Promise<string>((done) => {
      const socket = connect({ path, ca, servername: hostname, ALPNProtocols: ['http/1.1'] });
      request({ createConnection: () => socket, path: pathname, headers: { host, connection: 'close' } }, (response) => {
        response.resume();
        done(String(response.statusCode));
      })
        .once('error', (error) => done(error.message))
        .end();
    });
    if (answer === '200') continue;
    const log = await readFile(join(run, 'error.log'), 'utf8');
    throw new Error(`${server} started, but answered ${answer} for ${url}: ${log.trim().split('\n').at(-1)}`);
  }
}
