import type { Role } from '@pronghorn/core';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The least role that may ask; 'anyone': also who has no token. */
    access?: Role | 'anyone';
  }
}
