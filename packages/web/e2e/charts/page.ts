// Builds the page of all charts, and shows it by itself: node packages/web/e2e/charts/page.ts
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import vue from '@vitejs/plugin-vue';
import { build } from 'vite';
import { startService } from '../service.ts';

/** @returns the folder to serve at `/`; it is the caller's to remove. */
export async function builtChartsPage(): Promise<string> {
  const outDir = mkdtempSync(join(tmpdir(), 'pronghorn-charts-'));
  await build({
    ...{ root: import.meta.dirname, base: './', configFile: false, plugins: [vue()], logLevel: 'warn' },
    build: { outDir, emptyOutDir: true, chunkSizeWarningLimit: 1000, target: 'es2023', modulePreload: { polyfill: false } },
    define: { __VUE_OPTIONS_API__: 'false', __VUE_PROD_DEVTOOLS__: 'false' },
  });
  return outDir;
}

if (import.meta.main) {
  await using service = await startService({ kind: 'open' }, { webRoot: await builtChartsPage() });
  const campaign = await service.makeCampaign({
    sites: [{ url: 'https://93.184.216.34/' }, { url: 'https://93.184.216.35/gallery' }],
    conditions: ['native', 'latency-100', '4g', 'loss-1'],
    protocols: ['h1', 'h2', 'h3'],
    rounds: 20,
  });
  await service.perform(campaign, Number.POSITIVE_INFINITY);
  console.log(service.url);
  await once(process, 'SIGINT');
}
