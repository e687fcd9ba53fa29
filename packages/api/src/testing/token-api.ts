// The api as tests of access use it: with a token of each role.
import type { TestContext } from 'node:test';
import { type Role, roles } from '@pronghorn/core/schemas';
import type { ApiOptions } from '../app.ts';
import type { TokenAccess } from '../plugins/app/access/access-options.ts';
import { testApi } from './test-api.ts';

export type TokenApi = Awaited<ReturnType<typeof tokenApi>>;
export type Asker = Role | null;

export type Asking = { payload?: object; headers?: Record<string, string>; remoteAddress?: string };

/** @param access.lookUp default: no name is known. */
export async function tokenApi(t: TestContext, access: TokenAccess = {}, options: Partial<ApiOptions> = {}) {
  const api = await testApi(t, { ...options, access: { kind: 'tokens', lookUp: async () => [], ...access } });
  const tokens = await api.app.write(
    () =>
      Object.fromEntries(roles.map((role) => [role, api.app.tokens.create({ name: `the ${role}`, role }, null).token])) as Record<
        Role,
        string
      >,
  );

  /** @param asker a role, or null for nobody */
  async function ask(asker: Asker, method: string, path: string, { payload, headers = {}, remoteAddress }: Asking = {}) {
    const reply = await api.app.inject({
      method: method as 'GET',
      url: `/api/v1${path}`,
      headers: { ...(asker === null ? {} : { authorization: `Bearer ${tokens[asker]}` }), ...headers },
      ...(payload ? { payload } : {}),
      ...(remoteAddress === undefined ? {} : { remoteAddress }),
    });
    return {
      status: reply.statusCode,
      headers: reply.headers,
      cookies: reply.cookies,
      body: reply.body !== '' && reply.headers['content-type']?.toString().includes('json') ? reply.json() : reply.body,
    };
  }

  return { ...api, tokens, ask };
}
