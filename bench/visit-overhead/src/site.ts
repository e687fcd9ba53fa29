// The page that all are measured on: one of the demo origin's.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOrigin } from '../../../nginx/src/index.ts';
import type { OriginTrust } from '../../../packages/runner/src/chrome/flags.ts';

export const testedProtocols = ['h2', 'h3'] as const;
export type TestedProtocol = (typeof testedProtocols)[number];

export interface Page {
  url: string;
  trust: OriginTrust;
}

/** Serves a site until `stop`, and leaves nothing behind. */
export async function openSite(site = 'shop'): Promise<Page & { stop(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), 'visit-overhead-origin-'));
  const removed = () => rmSync(directory, { recursive: true, force: true });
  try {
    const origin = await startOrigin({ directory, web: true });
    const url = origin.sites.find(({ name }) => name === site)?.url;
    if (url === undefined)
      throw new Error(`the demo origin has no site named ${site}, only ${origin.sites.map(({ name }) => name).join(', ')}`);
    return { url, trust: origin.trust, stop: () => origin.stop().finally(removed) };
  } catch (error) {
    removed();
    throw error;
  }
}
