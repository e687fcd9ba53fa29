// What this service permits of REST calls: whose servers may be loaded, and how much one run may do.

import { randomBytes } from 'node:crypto';
import { type CallLimits, type CallsPermission, type CallsPolicy, defaultCallLimits, ownershipPath } from '@pronghorn/core/schemas';
import { ownHostProblem } from '@pronghorn/core/visitor';
import fp from 'fastify-plugin';
import type { Database } from '../../../storage/database.ts';
import type { AccessOptions } from '../access/access-options.ts';

declare module 'fastify' {
  interface FastifyInstance {
    calls: {
      policy: CallsPolicy;
      /** The same with the token, which is made when it is first asked for. */
      permission(): CallsPermission;
    };
  }
}

export type CallsOptions = {
  /** Hosts that may be loaded besides the demo origin, where access is by tokens; default none. Where it is open, whoever asks is the operator. */
  hosts?: readonly string[];
  /** Below those of all workloads, which are the default. */
  limits?: Partial<CallLimits>;
};

/** @throws Error for a host that is none. */
export function callsPolicy(access: AccessOptions, { hosts = [], limits = {} }: CallsOptions): CallsPolicy {
  for (const host of hosts) {
    const problem = ownHostProblem(host);
    if (problem !== undefined) throw new Error(`calls.hosts: ${problem}`);
  }
  const names = Object.keys(defaultCallLimits) as (keyof CallLimits)[];
  const least = names.map((name) => [name, Math.min(defaultCallLimits[name], limits[name] ?? Number.POSITIVE_INFINITY)]);
  const isOpen = access.kind === 'open';
  return { hosts: isOpen ? null : [...hosts], loopback: isOpen, limits: Object.fromEntries(least) as CallLimits };
}

export default fp<CallsOptions>(async (app, calls) => {
  const { accessOptions: access } = app;
  const policy = callsPolicy(access, calls);
  const token = await app.write(() => ownershipToken(app.database));
  app.decorate('calls', { policy, permission: () => ({ ...policy, token, path: ownershipPath }) });
});

/**
 * The line by which servers show that this service may load them, made when it is first asked for; of two processes that ask at once, both
 * get the same. It is no secret: whoever may be loaded serves it to everybody.
 */
export function ownershipToken(database: Database): string {
  const select = database.prepare<[], { token: string }>('SELECT token FROM ownership_token');
  const known = select.get();
  if (known !== undefined) return known.token;
  database
    .prepare('INSERT INTO ownership_token (one, token) VALUES (1, ?) ON CONFLICT DO NOTHING')
    .run(`pronghorn-${randomBytes(16).toString('hex')}`);
  return (select.get() as { token: string }).token;
}
