// An origin for one test file: in a temporary state folder, gone with the test.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Origin, type OriginOptions, startOrigin } from '../src/index.ts';

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
