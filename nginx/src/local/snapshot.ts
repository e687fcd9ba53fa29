// A copy of a folder as it is served: what may be served and nothing else, text compressed, the same files from the first visit to the
// last, whatever happens to the folder meanwhile. The server never sees the folder itself, so it can serve nothing else.
import { createHash } from 'node:crypto';
import { constants, createReadStream, createWriteStream, type Dirent } from 'node:fs';
import { chmod, copyFile, link, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { isCompressible } from '../machine/content-types.ts';

export interface Snapshot {
  /** Holds `plain/` and, where the build has brotli files, `br/`: the same tree with those in place of what they compress. */
  directory: string;
  files: number;
  bytes: number;
  /** A hash of all paths and contents: the same version is the same bytes. */
  version: string;
  /** Paths of HTML files from the folder, with slashes. */
  pages: string[];
  /** URL paths of what lies compressed by brotli in `br/`. */
  brotli: string[];
  notServed: NotServed[];
}

export interface NotServed {
  /** From the folder. */
  path: string;
  why: 'hidden' | 'a link that leads out of the folder' | 'a link to nothing' | 'not readable' | 'neither file nor folder';
}

/** Thrown if the folder holds no build. */
export class NoBuild extends Error {
  override name = 'NoBuild';
}

/** More is no build, but a home folder or a checkout with its modules. */
const limits = { files: 100_000, bytes: 10_000_000_000, links: 1_000 };
/** Where compression saves less than a packet, servers don't either. */
const minCompressed = 1_024;
const atOnce = 8;

interface SourceFile {
  source: string;
  /** From the folder, with slashes. */
  path: string;
  sizeBytes: number;
}

/**
 * Copies what may be served of `folder` to `target`, which must not be there.
 *
 * @throws {NoBuild} for a folder with more than 100,000 files, or of more than 10 GB, or with folders behind more than 1,000 links, or from
 *   which something goes away meanwhile
 */
export async function takeSnapshot(folder: string, target: string): Promise<Snapshot> {
  try {
    return await snapshot(folder, target);
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' || path?.startsWith(target) !== false) throw error;
    throw new NoBuild(
      `${path} disappeared while the folder was read: a build may still be writing to it. Run this again when the build is done`,
    );
  }
}

async function snapshot(folder: string, target: string): Promise<Snapshot> {
  const notServed: NotServed[] = [];
  const all: SourceFile[] = [];
  await find({ root: await realpath(folder), folder, path: '', above: [] }, all, notServed);
  all.sort((a, b) => (a.path < b.path ? -1 : 1));
  const paths = new Set(all.map(({ path }) => path));
  const isVariant = (path: string) => /\.(gz|br)$/.test(path) && paths.has(path.slice(0, -3));
  const files = all.filter(({ path }) => !isVariant(path));
  const brotli = brotliOf(files, paths);
  const hashes = await inTurns(all, async (file) => {
    try {
      return { ...file, hash: await keep(file, { target, paths, brotli, isVariant: isVariant(file.path) }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
      notServed.push({ path: file.path, why: 'not readable' });
      return undefined;
    }
  });
  const served = hashes.filter((file) => file !== undefined && !isVariant(file.path)) as (SourceFile & { hash: string })[];
  const version = createHash('sha256');
  for (const file of hashes) if (file !== undefined) version.update(`${file.path}\0${file.hash}\0`);
  return {
    directory: target,
    files: served.length,
    bytes: served.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    version: version.digest('hex').slice(0, 12),
    pages: served.map(({ path }) => path).filter((path) => /\.html?$/i.test(path)),
    brotli: [...brotli].map((path) => `/${path}`),
    notServed: notServed.sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

interface Place {
  /** The folder's real path: what links may lead to. */
  root: string;
  folder: string;
  path: string;
  /** Real paths of the folders on the way here: a link to one of them is a circle. */
  above: readonly string[];
}

async function find(place: Place, all: SourceFile[], notServed: NotServed[], size = { links: 0, bytes: 0 }): Promise<void> {
  const real = await realpath(place.folder);
  if (place.above.includes(real)) return;
  let entries: Dirent[];
  try {
    entries = await readdir(place.folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    notServed.push({ path: `${place.path}/`, why: 'not readable' });
    return;
  }
  for (const entry of entries) {
    const path = place.path === '' ? entry.name : `${place.path}/${entry.name}`;
    // RFC 8615: the one hidden name that is meant for the world.
    if (entry.name.startsWith('.') && path !== '.well-known') {
      notServed.push({ path, why: 'hidden' });
      continue;
    }
    const source = join(place.folder, entry.name);
    if (entry.isSymbolicLink()) {
      const to = await realpath(source).catch(() => undefined);
      if (to === undefined || !isBelow(to, place.root) || isHidden(relative(place.root, to))) {
        notServed.push({ path, why: to === undefined ? 'a link to nothing' : 'a link that leads out of the folder' });
        continue;
      }
    }
    const status = await stat(source).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EACCES') throw error;
    });
    if (status === undefined) {
      notServed.push({ path, why: 'not readable' }); // the folder can be listed, and not entered
      continue;
    }
    // Folders that link to each other have as many paths as there are orders of them, with a file in them or without.
    if (entry.isSymbolicLink() && status.isDirectory() && ++size.links > limits.links)
      throw new NoBuild(`${place.root} has folders behind more than ${limits.links} links: name only the folder of the build`);
    if (status.isDirectory()) await find({ ...place, folder: source, path, above: [...place.above, real] }, all, notServed, size);
    else if (status.isFile()) {
      all.push({ source, path, sizeBytes: status.size });
      size.bytes += status.size;
    } else notServed.push({ path, why: 'neither file nor folder' });
    if (all.length > limits.files || size.bytes > limits.bytes)
      throw new NoBuild(`${place.root} has more than ${limits.files} files, or more than 10 GB: name only the folder of the build`);
  }
}

const isBelow = (path: string, root: string) => path === root || path.startsWith(root + sep);
const isHidden = (path: string) => path.split(sep).some((name) => name.startsWith('.') && name !== '.well-known');

/**
 * Files with a brotli file beside them. nginx's maps ignore case and know no quotes: names that differ only in case, or have
 * rare characters, go without.
 */
function brotliOf(files: readonly SourceFile[], paths: ReadonlySet<string>): Set<string> {
  const times = new Map<string, number>();
  for (const { path } of files) times.set(path.toLowerCase(), (times.get(path.toLowerCase()) ?? 0) + 1);
  const able = files.filter(({ path }) => paths.has(`${path}.br`) && /^[\w./@+~ -]{1,500}$/.test(path));
  return new Set(able.map(({ path }) => path).filter((path) => times.get(path.toLowerCase()) === 1));
}

interface Tree {
  target: string;
  /** All paths, including compressed files. */
  paths: ReadonlySet<string>;
  brotli: ReadonlySet<string>;
  isVariant: boolean;
}

/** @returns a hash of its content */
async function keep({ source, path, sizeBytes }: SourceFile, { target, paths, brotli, isVariant }: Tree): Promise<string> {
  const plain = join(target, 'plain', path);
  await mkdir(dirname(plain), { recursive: true });
  const inBrotli = join(target, 'br', path);
  if (brotli.size > 0) await mkdir(dirname(inBrotli), { recursive: true });
  if (isVariant && path.endsWith('.br')) {
    const of = path.slice(0, -3);
    if (brotli.has(of)) await place(source, join(target, 'br', of));
    return await hashOf(source);
  }
  await place(source, plain);
  const made = [path];
  if (!isVariant && isCompressible(path) && sizeBytes >= minCompressed && !paths.has(`${path}.gz`)) {
    await pipeline(createReadStream(plain), createGzip({ level: 6 }), createWriteStream(`${plain}.gz`, { mode: 0o644 }));
    made.push(`${path}.gz`);
  }
  // A separate tree for clients that accept brotli: a file has its compressed form or, by a hard link, itself.
  const original = isVariant ? path.slice(0, -3) : path;
  if (brotli.size > 0 && !brotli.has(original)) for (const one of made) await link(join(target, 'plain', one), join(target, 'br', one));
  return await hashOf(plain);
}

/** Where the file system shares blocks between copies, a copy costs nothing. */
async function place(source: string, target: string): Promise<void> {
  await copyFile(source, target, constants.COPYFILE_FICLONE);
  await chmod(target, 0o644); // the server's workers are other people
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const n = next++;
      results[n] = await work(items[n] as T);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
