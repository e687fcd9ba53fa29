// Which roles may ask which routes.
import { type Role, roles } from '@pronghorn/core/schemas';

/** Who may ask a route: the least role, or 'anyone', also who has no token. */
export type Access = Role | 'anyone';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The least role that may ask; 'anyone': also who has no token. */
    access?: Access;
    /** Whether a request shows by itself that it may ask, whoever sends it: by an address that was signed. */
    admits?: (request: FastifyRequest) => boolean;
  }
}

const allowed: Record<Access, readonly Role[]> = {
  anyone: roles,
  viewer: ['viewer', 'submitter', 'admin'],
  submitter: ['submitter', 'admin'],
  // Not above viewer: a runner's token lies on machines in many places, and none of them needs to read what others measured.
  runner: ['runner', 'admin'],
  admin: ['admin'],
};

export const rolesThatMay = (access: Access): readonly Role[] => allowed[access];
