// What to measure, as users name it: public URLs, pages of a folder, servers on this machine's loopback. The last two get host names that are the
// same on every machine, so that results of a pipeline and of a desk belong together.
import { type Dirent, existsSync, readdirSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { folderDomain, serverDomain } from '@pronghorn/core/network';
import type { SiteRequest } from '@pronghorn/core/schemas';
import { isLoopbackHost } from '@pronghorn/core/visitor';
import { protocols } from '@pronghorn/core/vocabulary';
import type { LocalHost } from '@pronghorn/origin';
import { placeOf } from '@pronghorn/origin/loopback';
import type { LocalOptions } from '../options/measuring.ts';
import { withScheme } from '../options/values.ts';
import { UsageError } from '../program/errors.ts';
import { reasonOf } from '../program/files.ts';

/** A site as a command line or a file names it. */
export type Target = Omit<SiteRequest, 'url'> & ({ url: string } | { folder: string; page?: string; fallback?: string });

export interface Targets {
  sites: SiteRequest[];
  hosts: LocalHost[];
  world: boolean;
}

export interface TargetOptions {
  /** The folder that is `/`; undefined: the topmost one named. */
  root?: string | undefined;
  /** The page for missing paths, relative to the folder. */
  fallback?: string | undefined;
  /** True where servers on the loopback stand behind nginx. */
  front: boolean;
}

export const targetOptions = ({ root, fallback, front, link }: LocalOptions & { link: string }): TargetOptions => ({
  root,
  fallback,
  front: front ?? link !== 'direct',
});

export const isLoopback = (url: string): boolean => isLoopbackHost(URL.parse(url)?.hostname ?? '');

/**
 * Reads a path of this machine or a URL, with or without its scheme.
 *
 * @throws UsageError when it may be both, or is neither, such as a list that continues after a space
 */
export function targetOf(given: string): { url: string } | { folder: string } {
  if (/^\.{0,2}\//.test(given) || given === '.' || given === '..') return { folder: given };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(given) || !existsSync(given)) {
    assertHost(given);
    return { url: withUsualScheme(given) };
  }
  const [first = ''] = given.split('/');
  if (first.includes('.') && !first.startsWith('.') && statSync(given).isDirectory())
    throw new UsageError(`${given} is a folder here, but may also be a host: write ./${given} or https://${given}.`);
  return { folder: given };
}

/** The URL of a page on the network, with or without its scheme. @throws UsageError for a bare word */
export function pageUrl(given: string): string {
  assertHost(given);
  return withScheme(given);
}

/** Text with a scheme or a port is a URL; a bare word is more often an item of a list that was written with spaces. */
function assertHost(given: string): void {
  const { hostname: host, port } = URL.parse(`http://${given}`) ?? { hostname: '', port: '' };
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) || port !== '';
  if (isUrl || host === '' || host.includes('.') || host.startsWith('[') || isLoopback(`http://${given}`)) return;
  if ((protocols as readonly string[]).includes(given.toLowerCase()))
    throw new UsageError(`${given} is a protocol, not a page. Separate protocols by commas, without spaces: --protocols h2,h3.`);
  throw new UsageError(
    `${given} is neither a file here nor a host with a dot. Separate the items of a list by commas, without spaces; write a host of this network as https://${given}.`,
  );
}

/** Development servers have no certificate. */
function withUsualScheme(given: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(given) || !isLoopback(`http://${given}`) ? withScheme(given) : `http://${given}`;
}

/** @throws UsageError that names the missing folder or page, or the server that doesn't answer */
export async function resolveTargets(targets: readonly Target[], options: TargetOptions): Promise<Targets> {
  const hosts = new Map<string, LocalHost>();
  const pages = targets.filter((target) => 'folder' in target);
  const roots = rootsOf(pages, options.root);
  let world = false;
  const sites: SiteRequest[] = [];
  for (const target of targets) {
    if ('folder' in target) {
      const { folder: _, page: __, fallback = options.fallback, ...site } = target;
      const { root, path } = pageOf(target, roots, fallback);
      const name = hostOf(hosts, `folder ${root}`, slug(basename(root)), folderDomain, {
        folder: root,
        ...(fallback === undefined ? {} : { fallback }),
      });
      sites.push({ name: `${basename(root)}${decoded(path)}`.slice(0, 200), ...site, url: `https://${name}${path}` });
    } else if (options.front && isLoopback(target.url)) {
      const server = new URL(target.url);
      await mustListen(server);
      const name = hostOf(hosts, server.origin, slug(server.host), serverDomain, { server: new URL(server.origin) });
      const path = `${server.pathname}${server.search}`;
      sites.push({ name: `${server.host}${decoded(path)}`.slice(0, 200), ...target, url: `https://${name}${path}` });
    } else {
      world = true;
      sites.push(target);
    }
  }
  return { sites, hosts: [...hosts.values()], world };
}

/** One host for each folder or server, however many of its pages are measured. */
function hostOf(hosts: Map<string, LocalHost>, key: string, label: string, domain: string, serves: LocalHost['serves']): string {
  const known = hosts.get(key);
  if (known !== undefined) return known.name;
  const name = freeName([...hosts.values()], label, domain);
  hosts.set(key, { name, serves });
  return name;
}

/** A host for one more server. */
export const serverHost = (hosts: readonly LocalHost[], { origin, host }: URL) => ({
  name: freeName(hosts, slug(host), serverDomain),
  serves: { server: new URL(origin) },
});

function freeName(hosts: readonly LocalHost[], label: string, domain: string): string {
  const taken = new Set(hosts.map(({ name }) => name));
  let name = `${label}.${domain}`;
  for (let n = 2; taken.has(name); n++) name = `${label}-${n}.${domain}`;
  return name;
}

/** As a label of a host name. */
function slug(text: string): string {
  const letters = text.normalize('NFKD').toLowerCase();
  return (
    letters
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 40) || 'site'
  );
}

const decoded = (path: string): string => {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
};

/** The folders of all named pages, without those inside another. */
function rootsOf(pages: readonly { folder: string }[], named: string | undefined): string[] {
  if (named !== undefined) return [existing(named, 'folder').path];
  const folders = pages.map(({ folder }) => {
    const { path, isFile } = existing(folder, 'folder or page');
    return isFile ? dirname(path) : path;
  });
  return folders.filter((folder) => !folders.some((other) => other !== folder && isBelow(folder, other)));
}

const isBelow = (path: string, folder: string) => path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

function existing(given: string, what: string): { path: string; isFile: boolean } {
  const path = resolve(given);
  try {
    const status = statSync(path);
    if (status.isFile() || status.isDirectory()) return { path, isFile: status.isFile() };
  } catch (error) {
    throw new UsageError(`There is no ${what} ${given} to measure (${path}: ${reasonOf(error)}). Build it first, or name another.`);
  }
  throw new UsageError(`${given} is neither a folder nor a page.`);
}

/** @returns the folder that is `/`, and the path of the page's URL */
function pageOf(
  { folder, page }: { folder: string; page?: string },
  roots: readonly string[],
  fallback: string | undefined,
): { root: string; path: string } {
  const { path, isFile } = existing(folder, 'folder or page');
  const root = roots.find((one) => isBelow(path, one));
  if (root === undefined) throw new UsageError(`${folder} is not below --root ${roots[0]}.`);
  if (fallback !== undefined && !isPageOf(root, join(root, fallback)))
    throw new UsageError(`The fallback ${fallback} is not in ${root}; expected one of its pages, such as index.html.`);
  if (page !== undefined) return { root, path: requestedPage(root, page, fallback) };
  if (isFile && !/\.html?$/i.test(path))
    throw new UsageError(`${folder} is not a page; expected a folder, or a file whose name ends in .html.`);
  const inside = relative(root, path).split(sep).filter(Boolean);
  if (isFile && basename(path) === 'index.html') inside.pop();
  else if (!isFile && fallback === undefined && !existsSync(join(path, 'index.html'))) throw new UsageError(withoutIndex(folder, path));
  const url = `/${inside.map(encodeURIComponent).join('/')}`;
  return { root, path: isFile && basename(path) !== 'index.html' ? url : `${url.replace(/\/$/, '')}/` };
}

const isPageOf = (root: string, file: string): boolean =>
  isBelow(file, root) && /\.html?$/i.test(file) && existsSync(file) && statSync(file).isFile();

function withoutIndex(folder: string, path: string): string {
  let entries: Dirent[];
  try {
    statSync(join(path, 'index.html'), { throwIfNoEntry: false });
    entries = readdirSync(path, { withFileTypes: true });
  } catch (error) {
    return `The folder ${folder} can't be read (${reasonOf(error)}). Allow listing and entering it: chmod u+rx.`;
  }
  const pages = entries.filter((entry) => entry.isFile() && /\.html?$/i.test(entry.name)).map(({ name }) => name);
  const below = entries.filter((entry) => entry.isDirectory() && existsSync(join(path, entry.name, 'index.html'))).map(({ name }) => name);
  const choice = pages.length > 0 ? pages : below;
  const instead = choice.length > 0 ? ` Name one of its pages: ${choice.slice(0, 8).join(', ')}${choice.length > 8 ? ', …' : ''}.` : '';
  return `The folder ${folder} has no index.html, so it is not a site.${instead || ' Is it the folder that the build writes?'}`;
}

/** @throws UsageError where the folder has nothing for this path of a URL */
function requestedPage(root: string, page: string, fallback: string | undefined): string {
  const url = URL.parse(page, 'https://folder.invalid/');
  if (url === null || url.host !== 'folder.invalid')
    throw new UsageError(`"${page}" is not the path of a page; expected one such as /pricing/.`);
  const file = join(root, decoded(url.pathname));
  const exists = [file, `${file}.html`, join(file, 'index.html')].some((one) => existsSync(one) && statSync(one).isFile());
  if (!exists && fallback === undefined)
    throw new UsageError(`${root} has no page ${page}: no such file, none with .html, and no folder of that name with index.html.`);
  return `${url.pathname}${url.search}`;
}

const connectMs = 3_000;

async function mustListen(server: URL): Promise<void> {
  const why = await deafness(server);
  if (why !== undefined) throw new UsageError(`Nothing listens at ${server.origin} (${why}). Start the server first, or name its port.`);
}

export const listens = async (server: URL): Promise<boolean> => (await deafness(server)) === undefined;

/** Why nothing listens there; undefined: something does. */
async function deafness(server: URL): Promise<string | undefined> {
  const socket = connect({ ...placeOf(server), timeout: connectMs });
  const why = await new Promise<string | undefined>((done) => {
    socket.once('connect', () => done(undefined));
    socket.once('timeout', () => done(`no answer within ${connectMs / 1_000} s`));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      done(error.code === 'ECONNREFUSED' ? 'connection refused' : (error.code ?? error.message)),
    );
  });
  socket.destroy();
  return why;
}
