// The api as tests use it: in a folder of its own, with a clock that they move, and every reply held against its schema.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import {
  type Campaign,
  type CampaignRequest,
  type Lease,
  type LeaseRequest,
  type Role,
  roles,
  type VisitUpload,
} from '@pronghorn/core/schemas';
import type { FastifySerializerCompiler, InjectOptions } from 'fastify';
import type { TSchema } from 'typebox';
import { type ApiOptions, buildApi } from '../app.ts';
import type { TokenAccess } from '../plugins/app/access/access-options.ts';
import { validatorOf } from '../plugins/external/typebox.ts';

/** A folder that is gone after the test. */
export function testFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-api-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Written like any other reply, unless it has what its schema forgot or lacks what its schema promises. */
const strictSerializer: FastifySerializerCompiler<TSchema> =
  ({ schema, url, method }) =>
  (reply: unknown) => {
    const [error] = validatorOf(schema).Errors(reply);
    if (error) throw new Error(`the reply of ${method} ${url} does not fit its schema: ${error.instancePath} ${error.message}`);
    return JSON.stringify(reply);
  };

export type TestApi = Awaited<ReturnType<typeof testApi>>;

/** @param options.database default: in memory. */
export async function testApi(t: TestContext, options: Partial<ApiOptions> = {}) {
  const clock = { now: Date.parse('2026-03-01T12:00:00Z') };
  const folder = testFolder(t);
  const app = await buildApi({
    database: ':memory:',
    evidenceDirectory: join(folder, 'evidence'),
    now: () => clock.now,
    leaseMs: 60_000,
    ...(options.threads === true ? {} : { results: { threads: 0 } }),
    serializerCompiler: strictSerializer,
    ...options,
  });
  t.after(() => app.close());

  const send = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object) => {
    const request: InjectOptions = { method, url: `/api/v1${path}`, ...(payload ? { payload } : {}) };
    const reply = await app.inject(request);
    return { status: reply.statusCode, headers: reply.headers, body: reply.body === '' ? undefined : reply.json() };
  };

  return {
    app,
    clock,
    folder,
    send,
    get: (path: string) => send('GET', path),
    post: (path: string, payload?: object) => send('POST', path, payload),
    put: (path: string, payload: object) => send('PUT', path, payload),
    delete: (path: string) => send('DELETE', path),
    /** Makes a campaign: of one site and one round unless told. */
    campaign: async (request: Partial<CampaignRequest> = {}): Promise<Campaign> =>
      (await send('POST', '/campaigns', { sites: [{ url: 'https://site.example/' }], rounds: 1, seed: 7, ...request })).body,
    lease: async (request: Partial<LeaseRequest> = {}): Promise<Lease> =>
      (await send('POST', '/leases', { runner: 'runner', ...request })).body,
    upload: (lease: Lease, visit: VisitUpload) => send('PUT', `/leases/${lease.id}/visits/${visit.id}`, visit),
    complete: (lease: Lease) => send('POST', `/leases/${lease.id}/complete`),
  };
}

export type TokenApi = Awaited<ReturnType<typeof tokenApi>>;
export type Asker = Role | null;

export type Asking = { payload?: object; headers?: Record<string, string>; remoteAddress?: string };

/** @param access.lookUp default: no name is known. */
export async function tokenApi(t: TestContext, access: TokenAccess = {}, options: Partial<ApiOptions> = {}) {
  const api = await testApi(t, { ...options, access: { kind: 'tokens', lookUp: async () => [], ...access } });
  const tokens = await api.app.commit(
    () =>
      Object.fromEntries(roles.map((role) => [role, api.app.tables.tokens.create({ name: `the ${role}`, role }, null).token])) as Record<
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
