// Which tests a change can break, by imports: a developer's answer in minutes.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { counted } from '@pronghorn/core/text';
import { UsageError } from '../program/errors.ts';
import { duration } from '../program/terminal.ts';
import { testFiles } from './proofs.ts';
import { lanes, root, testRunsOf } from './steps.ts';
import type { Times } from './times.ts';

/** What the tests of a choice may take together by the times of the last run. Lint, types and tests that wait in vain come on top. */
const budgetSeconds = 200;
/** Of a file that no run has measured yet. */
const usualSeconds = { unit: 2, e2e: 40 };

/**
 * The tests that files changed since `main` can break, as many as the budget allows, nearest first. Those of the images and thorough ones are named,
 * and never among them.
 *
 * @throws UsageError where nothing changed, or git does not know since when
 */
export function changedTests(last: Times): { files: Set<string>; says: string } {
  const changed = changedFiles();
  if (changed.size === 0)
    throw new UsageError('Nothing differs from where this checkout left main, so there is nothing to test: ./pronghorn test runs all.');
  const graph = importGraph(changed);
  const apart = new Set(testRunsOf('e2e', false).flatMap((run) => (run.apart ? run.batches.flat() : [])));
  const reached = new Set<string>();
  const near = testFiles()
    .filter((file) => existsSync(join(root, file)))
    .flatMap((file) => {
      const found = nearestTo(changed, file, readFileSync(join(root, file), 'utf8'), graph);
      for (const one of found.reached) reached.add(one);
      return found.distance === undefined ? [] : [{ file, distance: found.distance, ...costOf(file, last, apart.has(file)) }];
    })
    .sort((a, b) => a.distance - b.distance || a.seconds - b.seconds);
  const isElsewhere = (file: string) => file.startsWith('docker/e2e/') || file.includes('/thorough/');
  const files = new Set<string>();
  let took = 0;
  let tookApart = 0;
  for (const { file, seconds, secondsApart } of near) {
    if (isElsewhere(file)) continue;
    if (files.size > 0 && (took + seconds > budgetSeconds || tookApart + secondsApart > budgetSeconds)) continue;
    files.add(file);
    took += seconds;
    tookApart += secondsApart;
  }
  const [elsewhere, left] = [true, false].map((is) =>
    near.filter(({ file }) => !files.has(file) && isElsewhere(file) === is).map(({ file }) => file),
  ) as [string[], string[]];
  const unreached = [...changed].filter((file) => !reached.has(file) && !file.endsWith('.md'));
  return {
    files,
    says: [
      `${counted(changed.size, 'file')} changed since main. Of ${counted(near.length, 'test file')} that imports lead there, ${files.size} run, in about ${duration(Math.max(took, tookApart))}.`,
      ...(left.length > 0 ? ['Not run, since all would take too long:', ...left.map((file) => `  ${file}`)] : []),
      ...(elsewhere.length > 0
        ? ['Not run, since --changed tests no images and nothing thorough:', ...elsewhere.map((file) => `  ${file}`)]
        : []),
      ...(unreached.length > 0 ? ['No test is known to depend on:', ...unreached.map((file) => `  ${file}`)] : []),
      ...(left.length + elsewhere.length + unreached.length > 0
        ? [`./pronghorn test${elsewhere.some((file) => file.includes('/thorough/')) ? ' --thorough' : ''} runs all.`]
        : []),
    ].join('\n'),
  };
}

/**
 * What a file adds to a run: its share of the time that the tests beside it take, too, and its own time where its kind runs one after the other.
 * Wall times, since the CPU time of a Chrome that is killed is in no process's account.
 */
function costOf(file: string, { files }: Times, isApart: boolean): { seconds: number; secondsApart: number } {
  const step = file.includes('/e2e/') ? 'e2e' : 'unit';
  const wall = files[file]?.seconds ?? usualSeconds[step];
  return { seconds: wall / lanes[step], secondsApart: isApart ? wall : 0 };
}

const git = (...args: string[]): string[] =>
  execFileSync('git', [...args, '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'ignore'] })
    .split('\0')
    .filter((name) => name !== '');

/** Paths from the repository's root; of what is gone, and of what is not committed, as well. */
const changedFiles = (): Set<string> =>
  new Set([...git('diff', '--no-renames', '--name-only', base()), ...git('ls-files', '--others', '--exclude-standard')]);

/** The commit that this checkout and main have in common; main as it was last fetched, where there is such a branch. */
function base(): string {
  for (const main of ['origin/main', 'main']) {
    const { status, stdout } = spawnSync('git', ['merge-base', 'HEAD', main], { cwd: root, encoding: 'utf8' });
    if (status === 0) return stdout.trim();
  }
  throw new UsageError(
    '--changed compares with the branch main, and git finds no commit that this folder has in common with it. Fetch main with its history, or run all: ./pronghorn test',
  );
}

export interface Graph {
  imports: ReadonlyMap<string, readonly string[]>;
  /** What commands of the command line load when they run: a test reaches that of the commands that it names. */
  actions: ReadonlyMap<string, readonly string[]>;
}

/** Where a file names others without importing them: what it reads, builds or starts. */
const alsoReads: Readonly<Record<string, readonly string[]>> = {
  'packages/web/build/dashboard.ts': ['packages/web/src/main.ts', 'packages/web/index.html', 'packages/web/vite.config.ts'],
  'packages/runner/src/transaction/program.ts': ['packages/transaction/'],
};

const commandFiles = /^packages\/cli\/src\/commands\//;

/** All files of the repository with those that they name: in quotes, by a relative path or as @pronghorn/… A folder stands for what is in it. */
function importGraph(changed: ReadonlySet<string>): Graph {
  const files = [...new Set([...git('ls-files', '--cached', '--others', '--exclude-standard'), ...changed])];
  const entries = packageEntries(files);
  const inFolder = (folder: string) => files.filter((file) => file.startsWith(folder));
  const imports = new Map<string, string[]>();
  const actions = new Map<string, string[]>();
  for (const file of files.filter((name) => /\.(?:ts|mjs|js|vue)$/.test(name) && existsSync(join(root, name)))) {
    const text = readFileSync(join(root, file), 'utf8');
    const found = (part: string) => namesIn(file, part, entries, changed).flatMap((one) => (one.endsWith('/') ? inFolder(one) : [one]));
    if (commandFiles.test(file)) for (const [command, modules] of actionsIn(text)) actions.set(command, found(modules));
    imports.set(file, [
      ...found(commandFiles.test(file) ? text.replaceAll(dynamicImports, '') : text),
      ...(alsoReads[file] ?? []).flatMap((one) => (one.endsWith('/') ? inFolder(one) : [one])),
    ]);
  }
  return { imports, actions };
}

const dynamicImports = /\bimport\([^)]*\)/g;

/** The commands that a file of commands/ declares, with the modules that their actions load. */
export const actionsIn = (text: string): [command: string, modules: string][] =>
  text.split(/^export function /m).flatMap((declaration): [string, string][] => {
    const [, command] = /\.command\('([\w-]+)'/.exec(declaration) ?? [];
    return command === undefined ? [] : [[command, declaration.match(dynamicImports)?.join('\n') ?? '']];
  });

/**
 * @param gone paths that are found though nothing is there
 * @returns paths from the repository's root; a folder ends with a slash
 */
export function namesIn(file: string, text: string, entries: ReadonlyMap<string, string>, gone: ReadonlySet<string> = new Set()): string[] {
  const quoted = text.matchAll(/(['"`])(\.{1,2}\/[^'"`\n$]*|@pronghorn\/[\w/-]+)\1/g);
  const joined = text.matchAll(/\b(import\.meta\.dirname|root),\s*(['"`])([\w@./-]*\w[\w@./-]*)\2/g);
  const at = (folder: string, name: string): string[] => {
    const path = resolve(root, folder, name);
    const inside = relative(root, path);
    if (inside === '' || inside.startsWith('..')) return [];
    if (!existsSync(path)) return gone.has(inside) ? [inside] : [];
    return [statSync(path).isDirectory() ? `${inside}/` : inside];
  };
  return [
    ...[...quoted].flatMap(([, , name = '']) => entries.get(name) ?? at(dirname(file), name)),
    ...[...joined].flatMap(([, folder, , name = '']) => at(folder === 'root' ? '' : dirname(file), name)),
  ];
}

/** @pronghorn/core/math → packages/core/src/math/index.ts */
function packageEntries(files: readonly string[]): Map<string, string> {
  const manifests = files.filter((file) => existsSync(join(root, file)) && /^(?:packages\/[^/]+|nginx)\/package\.json$/.test(file));
  return new Map(
    manifests.flatMap((manifest) => {
      const { name, exports = {} }: { name: string; exports?: Record<string, string> } = JSON.parse(
        readFileSync(join(root, manifest), 'utf8'),
      );
      return Object.entries(exports).map(([path, file]) => [join(name, path), join(dirname(manifest), file)] as const);
    }),
  );
}

/**
 * How many imports lead from a test to the nearest changed file: 0 if itself changed, undefined where none leads there. One in its own folder counts
 * as imported: a route's test asks for it by its path, and imports lead there through all of the service.
 * @param text of the test
 */
export function nearestTo(
  changed: ReadonlySet<string>,
  test: string,
  text: string,
  { imports, actions }: Graph,
): { distance: number | undefined; reached: string[] } {
  const seen = new Set([test]);
  const words = new Set(text.match(/[\w-]+/g));
  const loaded = [...actions].flatMap(([command, modules]) => (words.has(command) ? modules : []));
  const named = (file: string) => [...(imports.get(file) ?? []), ...(commandFiles.test(file) ? loaded : [])];
  let distance: number | undefined;
  for (let layer = [test], at = 0; layer.length > 0; at++) {
    if (layer.some((file) => changed.has(file))) distance ??= at;
    layer = layer.flatMap(named).filter((file) => !seen.has(file) && seen.add(file));
  }
  const reached = [...seen].filter((file) => changed.has(file));
  const isBeside = reached.some((file) => dirname(file) === dirname(test));
  return { distance: isBeside ? Math.min(distance ?? 1, 1) : distance, reached };
}
