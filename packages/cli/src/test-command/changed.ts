// Which tests a change can break, by imports: a developer's answer in minutes.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { duration } from '../program/terminal.ts';
import { testFiles } from './proofs.ts';
import { lanes, root, runsOf } from './steps.ts';
import type { Times } from './times.ts';

/** What the tests of a choice may take together by the times of the last run. Lint, types and tests that wait in vain come on top. */
const budgetSeconds = 200;
/** Of a file that no run has measured yet. */
const usualSeconds = { unit: 2, e2e: 40 };

/** @returns the tests that files changed since `main` can break, as many as the budget allows, nearest first */
export function changedTests(last: Times): { files: Set<string>; says: string } {
  const changed = changedFiles();
  const graph = importGraph();
  const apart = new Set(
    runsOf('e2e', false).flatMap((runs) => runs.flatMap((run) => ('batches' in run && run.apart ? run.batches.flat() : []))),
  );
  const near = testFiles()
    .filter((file) => !file.startsWith('docker/e2e/') && !file.includes('/thorough/'))
    .flatMap((file) => {
      const distance = distanceTo(changed, file, readFileSync(join(root, file), 'utf8'), graph);
      return distance === undefined ? [] : [{ file, distance, ...costOf(file, last, apart.has(file)) }];
    })
    .sort((a, b) => a.distance - b.distance || a.seconds - b.seconds);
  const files = new Set<string>();
  let took = 0;
  let tookApart = 0;
  for (const { file, seconds, secondsApart } of near) {
    if (files.size > 0 && (took + seconds > budgetSeconds || tookApart + secondsApart > budgetSeconds)) continue;
    files.add(file);
    took += seconds;
    tookApart += secondsApart;
  }
  const rest = near.length - files.size;
  return {
    files,
    says: [
      `${changed.size} files changed since main. Imports lead from ${near.length} test files to them; ${files.size} run, about ${duration(Math.max(took, tookApart))}.`,
      ...(rest > 0 ? [`NOT RUN: ${rest} test files that are further away. ./pronghorn test runs all.`] : []),
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
  execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 })
    .split('\n')
    .filter((line) => line !== '');

/** Paths from the repository's root; of what is not committed as well. */
function changedFiles(): Set<string> {
  const [base = 'HEAD'] = git('merge-base', 'HEAD', 'main');
  return new Set([...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')]);
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
function importGraph(): Graph {
  const files = [...git('ls-files'), ...git('ls-files', '--others', '--exclude-standard')].filter((file) => existsSync(join(root, file)));
  const entries = packageEntries(files);
  const inFolder = (folder: string) => files.filter((file) => file.startsWith(folder));
  const imports = new Map<string, string[]>();
  const actions = new Map<string, string[]>();
  for (const file of files.filter((name) => /\.(?:ts|mjs|js|vue)$/.test(name))) {
    const text = readFileSync(join(root, file), 'utf8');
    const found = (part: string) => namesIn(file, part, entries).flatMap((one) => (one.endsWith('/') ? inFolder(one) : [one]));
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

/** @returns paths from the repository's root; a folder ends with a slash */
export function namesIn(file: string, text: string, entries: ReadonlyMap<string, string>): string[] {
  return [...text.matchAll(/(['"`])(\.{1,2}\/[^'"`\n$]*|@pronghorn\/[\w/-]+)\1/g)].flatMap(([, , name = '']) => {
    const entry = entries.get(name);
    if (entry !== undefined) return [entry];
    const path = resolve(root, dirname(file), name);
    const inside = relative(root, path);
    if (inside === '' || inside.startsWith('..') || !existsSync(path)) return [];
    return [statSync(path).isDirectory() ? `${inside}/` : inside];
  });
}

/** @pronghorn/core/math → packages/core/src/math/index.ts */
function packageEntries(files: readonly string[]): Map<string, string> {
  const manifests = files.filter((file) => /^(?:packages\/[^/]+|nginx)\/package\.json$/.test(file));
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
 * How many imports lead from a test to the nearest changed file: 0 if itself changed.
 * @param text of the test
 * @returns undefined where none leads there
 */
export function distanceTo(changed: ReadonlySet<string>, test: string, text: string, { imports, actions }: Graph): number | undefined {
  const seen = new Set([test]);
  const words = new Set(text.match(/[\w-]+/g));
  const loaded = [...actions].flatMap(([command, modules]) => (words.has(command) ? modules : []));
  const named = (file: string) => [...(imports.get(file) ?? []), ...(commandFiles.test(file) ? loaded : [])];
  for (let layer = [test], distance = 0; layer.length > 0; distance++) {
    if (layer.some((file) => changed.has(file))) return distance;
    layer = layer.flatMap(named).filter((file) => !seen.has(file) && seen.add(file));
  }
  return undefined;
}
