// The servers that the origin can be: a new one is a file beside this and a line in this table.
import { openCaddy } from './caddy.ts';
import { openNginx } from './nginx.ts';
import type { OriginServer, ServerName, Wanted } from './server.ts';

/** By name: what finds a server, or takes the program at the path that it is given. @throws {Error} when there is no usable one */
export const openServer: Record<ServerName, (wanted?: Wanted) => OriginServer> = { nginx: openNginx, caddy: openCaddy };
