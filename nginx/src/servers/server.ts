// What the origin needs of a web server: one interface, an implementation for each server.
import type { Certificates } from '../certificates.ts';
import type { Host } from '../hosts.ts';
import type { Place } from '../place.ts';
import type { Sockets } from '../sockets.ts';
import type { ServerProcess } from './server-process.ts';

export const serverNames = ['nginx', 'caddy'] as const;
export type ServerName = (typeof serverNames)[number];

/** A server that was found and looked at, not yet started. It may be started again after it failed on a taken port. */
export interface OriginServer {
  readonly name: ServerName;
  /** Version, build and every setting of its own that decides results: stored with a campaign. */
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
  /** Folder of the sites. */
  content: string;
  certificates: Certificates;
  /** What it has to serve. Caddy serves those of the demo, whatever else is named. */
  hosts: readonly Host[];
  /** Of hosts behind a company's CA; undefined where there are none. */
  corporate?: Certificates | undefined;
  sockets: Sockets;
}
