// Whole sites that npm and Debian packages ship, brought into .tools/bench-pages by the ordinary clients.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bringPackages } from './tools.ts';

export interface RealPage {
  package: string;
  from: 'npm' | 'debian';
  /** The file that is served as `/`: a path in the package's folder, or in /usr/share/doc. */
  root: string;
  page: string;
}

const npm = (name: string, root: string, ...pages: string[]): RealPage[] =>
  pages.map((page) => ({ package: name, from: 'npm', root: `${name}/${root}`, page }));
const debian = (name: string, root: string, page: string): RealPage[] => [{ package: name, from: 'debian', root, page }];

export const realPages: readonly RealPage[] = [
  ...npm('startbootstrap-creative', 'dist', '/'),
  ...npm('startbootstrap-resume', 'dist', '/'),
  ...npm('startbootstrap-sb-admin', 'dist', '/', '/charts.html'),
  ...npm('startbootstrap-sb-admin-2', '', '/', '/charts.html'),
  ...npm('startbootstrap-simple-sidebar', 'dist', '/'),
  ...npm('material-dashboard', '', '/pages/dashboard.html', '/pages/notifications.html'),
  ...npm('material-kit', '', '/', '/examples/landing-page.html'),
  ...npm('soft-ui-dashboard', '', '/pages/dashboard.html', '/pages/profile.html'),
  ...npm('gentelella', 'dist', '/production/index.html', '/production/chartjs.html'),
  ...npm('swagger-ui-dist', '', '/'),
  ...npm('reveal.js', '', '/demo.html'),
  ...npm('impress.js', '', '/'),
  ...npm('jquery-ui-dist', '', '/'),
  ...debian('python3.11-doc', 'python3.11/html', '/library/index.html'),
  ...debian('postgresql-doc-15', 'postgresql-doc-15/html', '/index.html'),
  ...debian('debian-reference-en', 'debian-reference-en/docs', '/index.en.html'),
  ...debian('sphinx-doc', 'sphinx-doc/html', '/'),
];

/** The packages, and those that their pages link to. */
const debianPackages = [
  ...new Set(realPages.filter(({ from }) => from === 'debian').map((page) => page.package)),
  ...['debian-reference-common', 'libjs-sphinxdoc', 'libjs-jquery', 'libjs-underscore'],
];

const here = bringPackages('pages', ['--omit=peer', '--legacy-peer-deps']);
/** The folder of npm's packages, which third-party hosts serve too. */
export const modules = join(here, 'node_modules');
const copies = join(here, 'debian');
const deb = join(here, 'deb');
if (!existsSync(join(deb, 'root'))) {
  mkdirSync(deb, { recursive: true });
  execFileSync('apt-get', ['download', ...debianPackages], { cwd: deb, stdio: ['ignore', 'ignore', 'inherit'] });
  for (const file of readdirSync(deb).filter((name) => name.endsWith('.deb'))) execFileSync('dpkg', ['-x', file, 'root'], { cwd: deb });
}

/** The folder of a page's site; Debian's with its links followed, since they lead into other packages. */
export function rootOf({ from, root }: RealPage): string {
  if (from === 'npm') return join(modules, root);
  const copy = join(copies, root.replaceAll('/', '-'));
  if (!existsSync(copy)) {
    mkdirSync(copies, { recursive: true });
    // Links to packages that are not installed are left out.
    execFileSync('sh', ['-c', 'cp -rL "$0/." "$1" 2> /dev/null; test -d "$1"', join(here, 'deb/root/usr/share/doc', root), copy]);
  }
  return copy;
}
