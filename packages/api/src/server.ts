import { type ApiOptions, buildApi } from './app.ts';

export type RunningApi = {
  /** Where it listens, such as http://127.0.0.1:41234. */
  url: string;
  /** Ends it: event streams end, what is being answered is answered, the database is closed. */
  close(): Promise<void>;
};

/**
 * Starts the service.
 * @param options.host address to listen on; default 127.0.0.1, so that only this machine can ask.
 * @param options.port default 0: any that is free.
 * @throws Error as `buildApi`, and when it can't listen there.
 */
export async function startApi(options: ApiOptions & { host?: string; port?: number }): Promise<RunningApi> {
  const { host = '127.0.0.1', port = 0, ...rest } = options;
  const app = await buildApi(rest);
  try {
    return { url: await app.listen({ host, port }), close: () => app.close() };
  } catch (error) {
    await app.close();
    const { code, message } = error as NodeJS.ErrnoException;
    const why =
      code === 'EADDRINUSE'
        ? 'another program listens there. End it, or choose another port'
        : `${message}. Check the address, or choose another`;
    throw new Error(`The api cannot listen on ${host}, port ${port}: ${why}.`, { cause: error });
  }
}
