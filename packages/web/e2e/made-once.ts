// What tests need that takes long to make: it is made once, and each that needs it starts with a copy.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@pronghorn/core/client';
// By its path: the api depends on this package, and a package manager would call the two a cycle.
import { type Api, buildApi } from '../../api/src/index.ts';
import { makeOnce } from '../build/make-once.ts';
import { type ServiceClient, serviceClient } from './service-client.ts';

let own: string | undefined;

/** What a run of tests makes lasts as long as the run; without one, as long as this process. */
function home(): string {
  if (process.env.PRONGHORN_TEST_RUN) return process.env.PRONGHORN_TEST_RUN;
  if (own === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'pronghorn-made-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    own = made;
  }
  return own;
}

/**
 * @param name of what is made, which no other thing has
 * @param make fills a folder
 * @returns the folder, which nobody may change
 */
export async function madeOnce(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(home(), name);
  await makeOnce(folder, make);
  return folder;
}

/**
 * Leaves a database with what `fill` does to a service, and its evidence. The service is one that listens nowhere and keeps its database in memory,
 * which takes half as long.
 */
export async function fillDatabase(
  folder: string,
  fill: (service: ServiceClient) => Promise<void>,
  { now, schedules = false, heartbeatMs }: { now: () => number; schedules?: boolean; heartbeatMs?: number },
): Promise<void> {
  const app = await buildApi({
    ...{ database: ':memory:', evidenceDirectory: join(folder, 'evidence'), now },
    schedules: { enabled: schedules },
    ...(heartbeatMs && { runners: { heartbeatMs } }),
  });
  try {
    const client = new Client({
      service: 'http://localhost',
      token: null,
      timeoutMs: null,
      fetch: (url, init) => answered(app, url, init),
    });
    await fill(serviceClient(client, () => new Date(now()).toISOString()));
    writeFileSync(join(folder, 'pronghorn.db'), app.database.serialize());
  } finally {
    await app.close();
  }
}

/** Asks without a socket. */
async function answered(app: Api, address: string | URL | Request, { method, headers, body }: RequestInit = {}): Promise<Response> {
  const { pathname, search } = new URL(String(address));
  const { statusCode, body: text } = await app.inject({
    method: method as 'GET',
    url: pathname + search,
    headers: headers as Record<string, string>,
    ...(typeof body === 'string' && { payload: body }),
    ...(body instanceof Uint8Array && { payload: Buffer.from(body) }),
  });
  return new Response(statusCode === 204 ? null : text, { status: statusCode });
}
