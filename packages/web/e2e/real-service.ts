// The whole house: the demo origin, the service on a file that outlives it, and a runner with a real Chrome, or the client of REST calls, on this machine's own network.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allEngines, chromeExecutor, findTransaction, runRunner } from '@pronghorn/runner';
import { startOrigin } from '../../../nginx/src/index.ts';
// By its path: the api depends on this package, and a package manager would call the two a cycle.
import { type RunningApi, startApi } from '../../api/src/index.ts';
import { builtDashboard } from '../build/dashboard.ts';

export type RealService = Awaited<ReturnType<typeof startRealService>>;

/** @param options.calls with the host of REST calls, at `callsUrl`. */
export async function startRealService({ calls = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-story-'));
  const webRoot = await builtDashboard();
  const origin = await startOrigin({ directory: join(folder, 'origin'), ...(calls ? { calls: { program: findTransaction() } } : {}) });
  const start = (port: number): Promise<RunningApi> =>
    startApi({ database: join(folder, 'pronghorn.db'), evidenceDirectory: join(folder, 'evidence'), webRoot, port });
  let api = await start(0);
  const { url } = api;

  const lab = {
    trust: origin.trust,
    serves: (host: string) => host.endsWith('.pronghorn.test'),
    settings: origin.settings,
    calls: origin.calls && { hostname: new URL(origin.calls.url).hostname, settings: origin.calls.settings },
  };
  const executor = chromeExecutor({ choice: 'direct', allowNet: [], fencing: 'unfenced', congestionControl: 'cubic' }, (vantagePoint) =>
    allEngines(lab, vantagePoint),
  );
  const stop = new AbortController();
  const warnings: string[] = [];
  const working = runRunner({
    ...{ apiUrl: url, name: 'beside', location: null, executor, keepEvidence: true },
    capabilities: { engines: ['puppeteer', 'transaction'], browsers: ['chrome', 'headless-shell', 'none'], backends: ['direct'] },
    events: { warned: (message) => warnings.push(message) },
    ...{ drain: new AbortController().signal, stop: stop.signal },
  });
  working.catch((error) => warnings.push(String(error)));

  return {
    url,
    warnings,
    /** Of a demo site by its name, such as shop. */
    siteUrl: (name: string): string => origin.sites.find((site) => site.name === name)?.url ?? '',
    /** Of the host of REST calls, without a path. */
    callsUrl: origin.calls?.url ?? '',
    stopApi: () => api.close(),
    /** At the same address, with what was stored. */
    async startApi(): Promise<void> {
      api = await start(Number(new URL(url).port));
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await working.catch(() => {});
      await executor.close();
      await api.close();
      await origin.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
