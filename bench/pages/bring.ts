// Brings the packages into .tools/bench-pages by the ordinary clients, once; nothing is installed into the system.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { debianPackages, type RealPage } from './pages.ts';

const here = fileURLToPath(new URL('../../.tools/bench-pages/', import.meta.url));
export const modules = join(here, 'node_modules');
const copies = join(here, 'debian');

/** @throws Error when a client can't bring something */
export function bring(): void {
  mkdirSync(here, { recursive: true });
  if (!existsSync(modules)) {
    copyFileSync(fileURLToPath(new URL('package.json', import.meta.url)), join(here, 'package.json'));
    const options = ['--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund', '--omit=peer', '--legacy-peer-deps'];
    execFileSync('npm', ['install', ...options], { cwd: here, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  const deb = join(here, 'deb');
  if (!existsSync(join(deb, 'root'))) {
    mkdirSync(deb, { recursive: true });
    execFileSync('apt-get', ['download', ...debianPackages], { cwd: deb, stdio: ['ignore', 'ignore', 'inherit'] });
    for (const file of readdirSync(deb).filter((name) => name.endsWith('.deb'))) execFileSync('dpkg', ['-x', file, 'root'], { cwd: deb });
  }
}

/** The folder of a page's site; Debian's with its links followed, since they lead into other packages. */
export function rootOf({ from, root }: RealPage): string {
  if (from === 'npm') return join(modules, root);
  const copy = join(copies, root.replaceAll('/', '-'));
  if (!existsSync(copy)) {
    mkdirSync(copies, { recursive: true });
    // Links to what no package here has stay out.
    execFileSync('sh', ['-c', 'cp -rL "$0/." "$1" 2> /dev/null; test -d "$1"', join(here, 'deb/root/usr/share/doc', root), copy]);
  }
  return copy;
}
