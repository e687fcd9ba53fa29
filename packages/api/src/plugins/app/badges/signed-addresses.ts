// Addresses that say by themselves that they may be read, until a day: whoever has one needs no token, and can read nothing but what it names.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import fp from 'fastify-plugin';

declare module 'fastify' {
  interface FastifyInstance {
    signedAddresses: {
      /**
       * Part of a transaction: the first one makes the key.
       * @param path with its query, such as /api/v1/gates/7/badge.svg?branch=main
       * @param of what the path is of, where another thing may have its id one day.
       * @param expiresAt milliseconds since 1970.
       * @returns the path with its time and its signature.
       */
      sign(path: string, of: string, expiresAt: number): string;
      /** Whether a request's path was signed just so, and its time is not over. @param of as it is now; asked where there is a signature. */
      isSigned(url: string, of: () => string): boolean;
    };
  }
}

export default fp(async (app) => {
  const { now } = app;
  const select = app.database.prepare<[], { key: Buffer }>(`SELECT key FROM signing_keys WHERE purpose = 'addresses'`);
  const insert = app.database.prepare<[Buffer]>(`INSERT INTO signing_keys VALUES ('addresses', ?) ON CONFLICT DO NOTHING`);
  const signatureOf = (key: Buffer, { pathname, searchParams }: URL, of: string) => {
    const query = new URLSearchParams(searchParams);
    query.delete('signature');
    query.sort();
    return createHmac('sha256', key).update(`${pathname}?${query}\n${of}`).digest();
  };
  app.decorate('signedAddresses', {
    sign(path, of, expiresAt) {
      if (select.get() === undefined) insert.run(randomBytes(32));
      const url = new URL(path, 'http://service');
      url.searchParams.set('expires', String(Math.floor(expiresAt / 1_000)));
      url.searchParams.set('signature', signatureOf((select.get() as { key: Buffer }).key, url, of).toString('base64url'));
      return url.pathname + url.search;
    },
    isSigned(path, of) {
      const url = URL.parse(path, 'http://service');
      const given = Buffer.from(url?.searchParams.get('signature') ?? '', 'base64url');
      const key = given.length === 32 ? select.get()?.key : undefined;
      if (url === null || key === undefined || !timingSafeEqual(given, signatureOf(key, url, of()))) return false;
      return Number(url.searchParams.get('expires')) * 1_000 > now();
    },
  });
});
