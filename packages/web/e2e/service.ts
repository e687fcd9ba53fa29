// The real service, with campaigns put into it the way a runner does.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@pronghorn/core/client';
import type { OfferedSite } from '@pronghorn/core/schemas';
// By its path: the api depends on this package, and a package manager would call the two a cycle.
import { openRetention, startApi } from '../../api/src/index.ts';
import { builtDashboard } from '../build/dashboard.ts';
import { serviceClient } from './service-client.ts';

/** Where no clock is given, visits are of this moment. */
const madeAt = '2026-01-02T03:04:05.000Z';

let built: Promise<string> | undefined;
/** Its sources are read once in a process. */
const dashboard = (): Promise<string> => (built ??= builtDashboard());

export type Service = Awaited<ReturnType<typeof startService>>;

/**
 * Starts the api on a database of its own, with this package's page at /.
 * @param access default: whoever reaches it is admin; with tokens, `adminToken` is the first.
 * @param options.now the service's clock, and that of the made visits; default the machine's.
 * @param options.webRoot another page to serve at / than the dashboard.
 * @param options.from a folder of `madeOnce` with what `fillDatabase` put there: the service starts on a copy of it.
 * @param options.isKept whether the database is a file, so that the service can be restarted; results are then computed ahead as well.
 * @param options.heartbeatMs how often runners give a sign.
 * @param options.notifications whether it delivers what it has to tell.
 * @param options.offeredSites pages of a demo origin beside it.
 * @param options.schedules whether it starts campaigns of schedules and looks for regressions.
 */
export async function startService(
  access:
    | { kind: 'open'; ownToken?: string }
    | { kind: 'tokens'; publicReading?: boolean; publicLinkDays?: number; allowNet?: string[] } = { kind: 'open' },
  {
    now,
    schedules = false,
    notifications = false,
    webRoot,
    from,
    isKept = from !== undefined,
    heartbeatMs = 15_000,
    offeredSites = [],
  }: {
    now?: () => number;
    schedules?: boolean;
    notifications?: boolean;
    webRoot?: string;
    from?: string;
    isKept?: boolean;
    heartbeatMs?: number;
    offeredSites?: OfferedSite[];
  } = {},
) {
  const when = () => (now ? new Date(now()).toISOString() : madeAt);
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-web-'));
  if (from !== undefined) cpSync(from, folder, { recursive: true });
  let adminToken = '';
  const onFirstToken = (token: string) => {
    adminToken = token;
  };
  const database = isKept ? join(folder, 'pronghorn.db') : ':memory:';
  const page = webRoot ?? (await dashboard());
  const start = (port = 0) =>
    startApi({
      ...{ database, evidenceDirectory: join(folder, 'evidence'), webRoot: page, port },
      access: access.kind === 'open' ? access : { ...access, onFirstToken },
      schedules: { enabled: schedules },
      notifications: { enabled: notifications },
      runners: { heartbeatMs },
      // A thread takes half a second to start.
      results: { threads: 0 },
      offeredSites,
      ...(now ? { now } : {}),
    });
  let api = await start();
  const client = new Client({ service: api.url, token: adminToken || null, timeoutMs: 60_000 });

  return {
    url: api.url,
    adminToken,
    ...serviceClient(client, when),

    /** Ends the api and starts it again at the same address. @param meanwhile while nobody answers there */
    async restart(meanwhile: () => Promise<unknown> = async () => {}): Promise<void> {
      const { port } = new URL(api.url);
      await api.close();
      await meanwhile();
      api = await start(Number(port));
    },

    /** Removes the resources of all visits so far; of a database that is kept. */
    async removeResources(): Promise<void> {
      const retention = openRetention({ database, evidenceDirectory: join(folder, 'evidence') });
      await retention.run({ resourcesDays: 0, evidenceDays: null, logDays: null });
      retention.close();
    },

    async [Symbol.asyncDispose]() {
      await api.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
