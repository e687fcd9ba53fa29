// The dashboard as files: built when its sources changed, so that a clone needs no step of its own, and an image none at all.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { makeOnce } from './make-once.ts';

const home = join(import.meta.dirname, '..');
const dist = join(home, 'dist');
/** What a build is made of. */
const sources = ['index.html', 'vite.config.ts', 'package.json', 'public', 'src'];
/** A service that was started before a change still reads its own files: so many builds stay, and all of the last hour. */
const keptBuilds = 3;
const keptMs = 3_600_000;

/**
 * The folder to serve at `/`: built now if its sources changed since, which takes seconds. It needs the REST API of packages/api under
 * `/api/v1` of the same origin. Beside each text there is the same compressed, as `.br` and `.gz`.
 * @param say is told when it has to be built.
 * @throws Error when the sources have a fault, or nothing is built and the tools to build are not installed.
 */
export async function builtDashboard(say: (words: string) => void = () => {}): Promise<string> {
  if (!canBuild()) {
    // An image has what was built and nothing to build with, nor what it was built of.
    const newest = buildsByAge()[0];
    if (newest === undefined)
      throw new Error('The dashboard is not built, and vite, which builds it, is not installed. Run ./pronghorn doctor.');
    return newest;
  }
  const stamp = stampOfSources();
  const folder = join(dist, stamp);
  if (existsSync(join(folder, 'index.html'))) return folder;
  await makeOnce(folder, async (making) => {
    say('Building the dashboard, once…');
    const { build } = await import('vite');
    await build({ root: home, configFile: join(home, 'vite.config.ts'), logLevel: 'warn', build: { outDir: making, emptyOutDir: true } });
    await compressAll(making);
  });
  for (const old of buildsByAge().slice(keptBuilds)) {
    if (Date.now() - builtAt(old) > keptMs) rmSync(old, { recursive: true, force: true });
  }
  return folder;
}

/** Hash of what the dashboard is built of; core's sources too, which are bundled where it uses more than their types. */
function stampOfSources(): string {
  const core = dirname(dirname(createRequire(import.meta.url).resolve('@pronghorn/core/vocabulary')));
  const hash = createHash('sha256');
  for (const path of [...sources.map((source) => join(home, source)), core, join(core, '../package.json')]) {
    for (const file of filesIn(path)) hash.update(relative(home, file)).update('\0').update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 16);
}

function filesIn(path: string): string[] {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function canBuild(): boolean {
  try {
    createRequire(import.meta.url).resolve('vite');
    return true;
  } catch {
    return false;
  }
}

/** The newest first; what is being built is not among them. */
function buildsByAge(): string[] {
  if (!existsSync(dist)) return [];
  const builds = readdirSync(dist).filter((name) => /^[0-9a-f]{16}$/.test(name));
  return builds.map((name) => join(dist, name)).sort((a, b) => builtAt(b) - builtAt(a));
}

/** Another process may have removed it meanwhile. */
const builtAt = (folder: string): number => statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)];

/** Once and well, instead of at every request. */
async function compressAll(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const texts = filesIn(folder).filter((file) => /\.(?:js|css|html|svg)$/.test(file));
  await Promise.all(
    texts.map(async (file) => {
      const text = readFileSync(file);
      const brotli = await toBrotli(text, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: text.length } });
      writeFileSync(`${file}.br`, brotli);
      writeFileSync(`${file}.gz`, await toGzip(text, { level: 9 }));
    }),
  );
}
