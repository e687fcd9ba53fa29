import cookie from '@fastify/cookie';
import fp from 'fastify-plugin';

/** Reads and sets cookies: of browsers that are signed in. */
export default fp(
  async (app) => {
    await app.register(cookie);
  },
  { name: 'cookie' },
);
