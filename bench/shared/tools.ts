// Brings what a bench needs into .tools/ by npm, once for each state of its package.json. Nothing is installed into the system.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Calls `install` unless it has ended for a list of the same content before. */
export function onceFor(list: string, folder: string, install: () => void): void {
  const done = join(folder, `installed-${list.split('/').at(-1)}`);
  if (existsSync(done) && readFileSync(done).equals(readFileSync(list))) return;
  mkdirSync(folder, { recursive: true });
  install();
  copyFileSync(list, done);
}

/**
 * Installs the dependencies of bench/AREA/package.json.
 *
 * @returns the folder .tools/bench-AREA
 * @throws Error when npm can't bring something
 */
export function bringPackages(area: string, options: readonly string[] = []): string {
  const folder = join(import.meta.dirname, `../../.tools/bench-${area}`);
  const list = join(import.meta.dirname, `../${area}/package.json`);
  onceFor(list, folder, () => {
    console.error(`Installing what bench/${area} needs into .tools/bench-${area}`);
    copyFileSync(list, join(folder, 'package.json'));
    const usual = ['--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund'];
    execFileSync('npm', ['install', ...usual, ...options], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  });
  return folder;
}
