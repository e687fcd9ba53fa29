// Which test files have passed with images like those that would be built now: they are not built and tested again. It is kept in
// .tools/images.json, which is readable without an engine, and on the engine: images carry the hash of what they are made of as a label, and a
// test file that passed leaves the tag passed-NAME at that of the service.
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { after } from 'node:test';
import { isThorough } from '../../packages/core/src/testing/proves.ts';
import { missingEngine } from './engine.ts';
import { inputs, inputsLabel, labelOfImages, root } from './inputs.ts';

const file = join(process.env.PRONGHORN_TOOLS ?? join(root, '.tools'), 'images.json');
const image = 'pronghorn-test/api';

/** What a test file passed with. */
interface Passed {
  inputs: string;
  /** With the base images of that engine. */
  label: string;
}

function docker(...args: string[]): string | undefined {
  try {
    return execFileSync('docker', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

const labelOf = (tag: string) => docker('image', 'inspect', '--format', `{{index .Config.Labels "${inputsLabel}"}}`, `${image}:${tag}`);

function kept(): Record<string, Passed> {
  try {
    return { ...JSON.parse(readFileSync(file, 'utf8')) };
  } catch {
    return {};
  }
}

function keep(name: string, passed: Passed): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...kept(), [name]: passed }, null, 2)}\n`);
}

/** @param engine whether one answers: only that knows which base images there are */
function hasPassed(name: string, { now, engine }: { now: string | undefined; engine: boolean }): boolean {
  if (now === undefined || isThorough) return false;
  const before = kept()[name];
  if (!engine) return before?.inputs === now;
  const label = labelOfImages(now);
  if (label === undefined) return false;
  if (before?.label === label) return true;
  if (labelOf(`passed-${name}`) !== label) return false;
  keep(name, { inputs: now, label });
  return true;
}

/**
 * Why the tests of a file do not run here and now; false where they do. If they all pass, that is recorded as their process ends.
 *
 * @param path of the test file
 */
export async function reasonToSkip(path: string): Promise<string | false> {
  const name = basename(path, '.test.ts');
  const missing = await missingEngine();
  const now = inputs();
  if (hasPassed(name, { now, engine: missing === undefined }))
    return 'it passed, and nothing that counts has changed since (docker/README.md); PRONGHORN_THOROUGH=1 runs it all the same';
  if (missing !== undefined) return missing;
  const isWhole = !process.execArgv.some((arg) => /^--test-(?:name-pattern|skip-pattern|only)/.test(arg));
  // A process that ends in the middle of its tests may have the exit code 0.
  let haveEnded = false;
  after(() => {
    haveEnded = true;
  });
  if (now !== undefined && isWhole)
    process.once('exit', (code) => {
      if (code === 0 && haveEnded && inputs() === now) record(name, now);
    });
  return false;
}

function record(name: string, now: string): void {
  const label = labelOfImages(now);
  if (label === undefined) return;
  keep(name, { inputs: now, label });
  if (labelOf('dev') === label) docker('tag', `${image}:dev`, `${image}:passed-${name}`);
}

/** The test files that have not passed yet with such images. */
async function notPassed(): Promise<string[]> {
  const now = inputs();
  const engine = (await missingEngine()) === undefined;
  return globSync('*.test.ts', { cwd: import.meta.dirname })
    .sort()
    .filter((test) => !hasPassed(basename(test, '.test.ts'), { now, engine }));
}

// Prints them, a line each: nothing where there is nothing to test.
if (import.meta.main) for (const test of await notPassed()) console.log(`docker/e2e/${test}`);
