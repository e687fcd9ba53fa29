// Unit tests by the batch: a test file in a process of its own pays for its imports, 0.2 s in core and 0.7 s in the api, which is more
// than most of them need to check something. Files of a batch share a process, and it is still one test run with one report.
import { globSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const batchSize = 8;

/**
 * Writes modules that import the unit tests of packages, eight test files or fewer in each, and all of one package.
 * Neighbours, which are alike and take as long, go to different batches. One that can't be loaded fails under its own name, and the others
 * of its batch are run.
 *
 * @param root of the repository.
 * @param alone packages that are left out, since their tests change what a process has once: hooks, time zone, globals.
 * @returns paths of the modules, and what removes them.
 */
export function unitBatches(root: string, alone: readonly string[]): { files: string[]; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-unit-'));
  const packages = readdirSync(join(root, 'packages')).filter((name) => !alone.includes(name));
  const files = packages.sort().flatMap((name) => {
    const tests = globSync(`packages/${name}/src/**/*.test.ts`, { cwd: root }).sort();
    const batches = Array.from({ length: Math.ceil(tests.length / batchSize) }, (): string[] => []);
    for (const [i, path] of tests.entries()) batches[i % batches.length]?.push(path);
    return batches.map((paths, i) => {
      const file = join(folder, `${name}-${i + 1}.test.mjs`);
      writeFileSync(file, `import { test } from 'node:test';\n${paths.map((path) => importing(root, path)).join('')}`);
      return file;
    });
  });
  return { files, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function importing(root: string, path: string): string {
  const failing = `test(${JSON.stringify(`${path} can be loaded`)}, () => { throw error; })`;
  return `await import(${JSON.stringify(pathToFileURL(join(root, path)).href)}).catch((error) => void ${failing});\n`;
}
