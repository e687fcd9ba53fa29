// Test files that share a process. Node starts a process for each file that it is given: it is given modules that import several.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Files that run in one process, one after the other; paths from the repository's root. */
export type Batch = readonly string[];

/**
 * Deals files to batches of at most `size`. Neighbours, which are alike and take equally long, go to different batches.
 */
export function deal(files: readonly string[], size: number): Batch[] {
  const batches = Array.from({ length: Math.ceil(files.length / size) }, (): string[] => []);
  for (const [i, file] of files.entries()) batches[i % batches.length]?.push(file);
  return batches;
}

/**
 * Writes a module for each batch. A file that can't be loaded fails under its own name, and the others of its batch still run.
 *
 * @param root of the repository
 * @param batches in the order in which they shall start: Node sorts files by name
 * @returns the paths of the modules with their batches, and a function that removes them
 */
export function writeBatches(root: string, batches: readonly Batch[]): { modules: Map<string, Batch>; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-tests-'));
  const modules = new Map(
    batches.map((files, at) => {
      const module = join(folder, `${String(at).padStart(4, '0')}-${basename(files[0] ?? '', '.test.ts')}.test.mjs`);
      writeFileSync(module, `${start}${files.map((file) => importing(root, file)).join('')}${end}`);
      return [module, files];
    }),
  );
  return { modules, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Node may end a process once the tests that it knows are done, while the next file still loads: so the first test is that all are loaded. */
const start = `import { test } from 'node:test';
const loaded = Promise.withResolvers();
test('the files of this process can be loaded', { timeout: 900_000 }, () => loaded.promise);
`;

/** A process that ends by itself in the middle of its tests, with exit code 0, would pass: so the last test is that all have ended. */
export const lastTest = 'all tests of this process have ended';
const end = `loaded.resolve();\ntest(${JSON.stringify(lastTest)}, () => {});\n`;

function importing(root: string, path: string): string {
  const failing = `test(${JSON.stringify(`${path} can be loaded`)}, () => { throw error; })`;
  return `await import(${JSON.stringify(pathToFileURL(join(root, path)).href)}).catch((error) => void ${failing});\n`;
}
