// What this service permits of REST calls: whose servers may be loaded, and how much one run may do.

import { randomBytes } from 'node:crypto';
import { type CallLimits, type CallsPermission, type CallsPolicy, defaultCallLimits, ownershipPath } from '@pronghorn/core/schemas';
import { ownHostProblem } from '@pronghorn/core/visitor';
import type { Database } from '../../../storage/database.ts';
import type { Tables } from '../../../store/tables.ts';
import type { AccessOptions } from '../access/access-options.ts';

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

/** What a runner may do, with the token by which servers allow it. Part of a transaction, since the token is made when it is first asked for. */
export const ownershipPermission = ({ settings, ownership }: Pick<Tables, 'settings' | 'ownership'>): CallsPermission => ({
  ...settings.calls,
  token: ownership.token(),
  path: ownershipPath,
});

/**
 * Owns the table ownership_token: the line by which servers show that this service may load them, made when it is first asked for; of two
 * processes that ask at once, both get the same. It is no secret: whoever may be loaded serves it to everybody.
 */
export function createOwnershipRepository(database: Database) {
  const select = database.prepare<[], { token: string }>('SELECT token FROM ownership_token');
  const insert = database.prepare<[string]>('INSERT INTO ownership_token (one, token) VALUES (1, ?) ON CONFLICT DO NOTHING');
  return {
    token(): string {
      const known = select.get();
      if (known !== undefined) return known.token;
      insert.run(`pronghorn-${randomBytes(16).toString('hex')}`);
      return (select.get() as { token: string }).token;
    },
  };
}
