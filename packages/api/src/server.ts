import { addressFamily, specialKindOf } from '@pronghorn/core/network';
import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { type Api, type ApiOptions, buildApi } from './app.ts';
import { migrateBeside } from './migrating.ts';
import problemDetails from './plugins/app/problems/problem-details.ts';
import sameHost from './plugins/app/same-host.ts';
import unusedConnections from './plugins/app/unused-connections.ts';

export type RunningApi = {
  /** Where it listens, such as http://127.0.0.1:41234. */
  url: string;
  /** Where its metrics are, when they have a port of their own. */
  metricsUrl: string | null;
  /** Its own log. */
  log: FastifyBaseLogger;
  /** Makes a token for a runner in this process, in place of the one that it had before; null where access is open. */
  runnerToken(runnerName: string): Promise<string | null>;
  /** Ends it: event streams end, what is being answered is answered, the database is closed. */
  close(): Promise<void>;
};

/** Where the service listens: on 127.0.0.1, so that only this machine can ask, and on any port that is free, unless told otherwise. */
export type Listening = { host?: string; port?: number /** A port of its own for metrics. */; metricsAt?: { host: string; port: number } };

/**
 * Starts the service.
 * @param options.host address to listen on; default 127.0.0.1, so that only this machine can ask.
 * @param options.port default 0: any that is free.
 *   While the database is brought to a new schema, it answers that it is at it.
 * @throws Error as `buildApi`, and when it can't listen there; where access is open, on an address that others reach.
 */
export async function startApi(options: ApiOptions & Listening): Promise<RunningApi> {
  const { host = '127.0.0.1', port = 0, metricsAt, ...rest } = options;
  if ((rest.access?.kind ?? 'open') === 'open' && !isLoopback(host)) {
    throw new Error(
      `The api may not listen on ${host} while access is open: whoever reaches it would be admin. Listen on 127.0.0.1, or set access to tokens.`,
    );
  }
  const addresses = [{ host, port }, ...(metricsAt ? [metricsAt] : [])];
  const [at = { host, port }, metricsWhere] = await migrateBeside(rest.database, addresses, {
    ...(rest.logger === undefined ? {} : { logger: rest.logger }),
    migrations: rest.migrations,
    listen: (server, address) => listen(server, address === metricsAt ? 'metrics' : 'api', address),
  });
  const app = await buildApi(metricsAt ? { ...rest, metrics: { ...rest.metrics, access: 'elsewhere' } } : rest);
  const metrics = metricsAt && buildMetricsServer(app, { allowedHosts: rest.allowedHosts ?? [] });
  const close = async () => {
    await metrics?.close();
    await app.close();
  };
  try {
    const metricsUrl = metrics ? await listen(metrics, 'metrics', metricsWhere ?? metricsAt) : null;
    const url = await listen(app, 'api', at);
    await app.handOutFirstToken(); // not before: a start that failed would have taken it along
    const runnerToken = async (name: string) => (rest.access?.kind === 'tokens' ? app.store.access.createRunnerToken(name) : null);
    return { url, metricsUrl, log: app.log, runnerToken, close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Server = { listen(at: { host: string; port: number }): Promise<string> };

async function listen(server: Server, what: 'api' | 'metrics', { host, port }: { host: string; port: number }): Promise<string> {
  try {
    return await server.listen({ host, port });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why =
      code === 'EADDRINUSE'
        ? 'another program listens there. End it, or choose another port'
        : `${message}. Check the address, or choose another`;
    throw new Error(`The ${what} cannot listen on ${host}, port ${port}: ${why}.`, { cause: error });
  }
}

const isLoopback = (host: string) => host === 'localhost' || (addressFamily(host) !== null && specialKindOf(host) === 'loopback');

/**
 * Metrics and health on a port of their own, for those who watch, while the service's port is for those who use it. Whoever reaches it may
 * read, by an address or a name of the service: a web page whose name was made to point here has another.
 */
function buildMetricsServer(api: Api, { allowedHosts }: { allowedHosts: readonly string[] }): FastifyInstance {
  const server = fastify({ logger: false });
  server.register(unusedConnections);
  server.register(problemDetails);
  server.register(sameHost, { allowedHosts });
  server.register(async (scope) => {
    scope.get('/metrics', async (_request, reply) => reply.type(api.metrics.contentType).send(await api.metrics.text()));
    scope.get('/healthz', async () => ({ status: 'ok' }));
    scope.get('/readyz', async (_request, reply) => {
      const readiness = await api.readiness.check();
      return reply.code(readiness.status === 'ready' ? 200 : 503).send(readiness);
    });
  });
  return server;
}
