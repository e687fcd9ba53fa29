// What makes the images and their tests what they are: the files of which docker/README.md says why they count.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');
const isIn = (file: string, paths: readonly string[]) => paths.some((path) => file === path || file.startsWith(`${path}/`));

/** Read by the tests, or by the engine for them, without being in an image. */
const besideImages = [
  ...['.dockerignore', 'docker-compose.yml', 'docker/Dockerfile', 'docker/e2e', 'docker/only-gateway.yml', 'docker/runner.yml'],
  ...['docker/seccomp.json', 'docs/containers.md'],
];

/** Sources that say what programs of the image shall do, whose versions are others than outside: Chromium, iproute2, nftables, dnsmasq. */
const forPrograms = ['chrome', 'firefox', 'link', 'machine', 'visit-command'].map((name) => `packages/runner/src/${name}`);

/** Modules of Node by which a source sees nothing of where it runs. */
const everywhereAlike = 'assert|async_hooks|buffer|crypto|events|path|perf_hooks|stream|string_decoder|test|timers|url|util|zlib';
/** A source that reads files, starts programs, opens connections or asks about its process: in a container it may find something else. */
const asksItsPlace = new RegExp(`'node:(?!(?:${everywhereAlike})\\b)|\\bprocess\\.|\\bfetch\\(|\\btrustProxy\\b|\\.listen\\(`);
/** In the images like all sources of the command line; no container runs it. */
const neverThere = ['packages/cli/src/test-command'];
const isSource = (file: string) => /^packages\/[^/]+\/src\/.*\.(?:ts|vue|css)$/.test(file);

/** Files of this checkout that are committed, or new and not ignored. @throws Error where git doesn't know */
export const checkedOut = (): string[] =>
  execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 })
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(root, file)))
    .sort();

/** Those of them that the Dockerfile copies, as far as .dockerignore lets it. */
export function copiedOf(files: readonly string[]): string[] {
  const ignored = linesOf(read('.dockerignore'))
    .filter((line) => !line.startsWith('#'))
    .flatMap((line) => [line, join(line, '**')]);
  const copied = [...read('docker/Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) => paths.split(' '));
  return files.filter((file) => isIn(file, copied) && !ignored.some((pattern) => matchesGlob(file, pattern)));
}

/** What the tests of the images import, and run beside them. */
const importedByTests = (files: readonly string[]): string[] =>
  files
    .filter((file) => /^docker\/e2e\/.*\.ts$/.test(file))
    .flatMap((file) => [...read(file).matchAll(/from '(\.\.\/\.\.\/[^']+)'/g)].map(([, path = '']) => join(dirname(file), path)));

/** The files that count. */
export function inputFiles(): string[] {
  const files = checkedOut();
  const beside = [...besideImages, ...importedByTests(files)];
  const copied = copiedOf(files).filter(
    (file) => !isSource(file) || isIn(file, forPrograms) || (asksItsPlace.test(read(file)) && !isIn(file, neverThere)),
  );
  return [...new Set([...copied, ...files.filter((file) => isIn(file, beside))])].sort();
}

/** Their hash; undefined where git does not know them. */
export function inputs(): string | undefined {
  const hash = createHash('sha256');
  try {
    for (const file of inputFiles()) {
      const path = join(root, file);
      hash.update(`${file}\0${statSync(path).mode & 0o111}\0`).update(createHash('sha256').update(readFileSync(path)).digest());
    }
  } catch {
    return undefined;
  }
  return hash.digest('hex');
}

/** Of the images that the tests build. */
export const inputsLabel = 'org.pronghorn.inputs';

/** What their label says: the hash, with that of the base images on this engine. Undefined where git does not know the files. */
export function labelOfImages(now = inputs()): string | undefined {
  const bases = [...read('docker/Dockerfile').matchAll(/^ARG (?:DEBIAN|NODE|NGINX)=(\S+)$/gm)].map(([, name = '']) => idOf(name));
  return (
    now &&
    createHash('sha256')
      .update([now, ...bases].join('\n'))
      .digest('hex')
  );
}

function idOf(image: string): string {
  try {
    return execFileSync('docker', ['image', 'inspect', '--format', '{{.Id}}', image], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return 'not here yet';
  }
}

if (import.meta.main) console.log(inputFiles().join('\n'));
