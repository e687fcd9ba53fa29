// An origin for one test file: in a temporary state folder, gone with the test.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isThorough } from '@pronghorn/core/testing';
import { type Origin, type OriginOptions, type ServerName, serverNames, startOrigin } from '../src/index.ts';

/**
 * The servers on which is proven what hardly depends on them: nginx, and thoroughly Caddy as well. What each is configured for, protocols and
 * places, is proven on both.
 */
export const firstServers: readonly ServerName[] = isThorough ? serverNames : ['nginx'];

export async function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'pronghorn-test-'));
}

export async function temporaryOrigin(options: Partial<OriginOptions> = {}): Promise<{ origin: Origin; close(): Promise<void> }> {
  const directory = await temporaryFolder();
  const origin = await startOrigin({ directory, ...options });
  return {
    origin,
    async close() {
      await origin.stop();
      await rm(directory, { recursive: true });
    },
  };
}
