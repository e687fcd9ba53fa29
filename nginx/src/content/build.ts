// Makes all sites, once for each version of what they are made from, and keeps them in the state folder.
import { createHash } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeArticle } from './article.ts';
import { film } from './film.ts';
import { makeLargeObjects } from './large-objects.ts';
import { makeScripts } from './scripts.ts';
import { makeShop } from './shop.ts';
import { writeServed } from './site-files.ts';
import { sitesDirectory } from './sources.ts';

export interface Content {
  /** Holds a folder for each site. */
  directory: string;
  /** Names the version: the same version is the same bytes. */
  version: string;
  /** The sharded page, with `{{port}}` where the port goes: it names other hosts of an origin whose port isn't known before it starts. */
  shardedDocument: string;
}

/** As films behind headlines have. */
const filmBytes = 6_000_000;

const keptMs = 7 * 24 * 3600 * 1000;

/** The sites below `directory`, made if this version isn't there yet. Several processes may call it at once. */
export async function ensureContent(directory: string): Promise<Content> {
  const version = await contentVersion();
  const target = join(directory, `sites-${version}`);
  if (!(await exists(target))) await make(directory, target);
  const now = new Date();
  await utimes(target, now, now);
  await prune(directory, target);
  return { directory: target, version, shardedDocument: await readFile(join(target, 'sharded.html'), 'utf8') };
}

/** Made beside its place and moved there whole, so that nobody ever sees half a site. */
async function make(directory: string, target: string): Promise<void> {
  const draft = await mkdtemp(join(directory, 'sites-draft-'));
  try {
    const [article, { shop, shardedDocument }, largeObjects, scripts] = await Promise.all([
      makeArticle(),
      makeShop(),
      makeLargeObjects(),
      makeScripts(),
    ]);
    await article.write(join(draft, 'article'));
    await shop.write(join(draft, 'shop'));
    await largeObjects.write(join(draft, 'large-objects'));
    await scripts.write(join(draft, 'scripts'));
    await writeServed(join(draft, 'web', 'hero.webm'), await film(filmBytes));
    await writeServed(join(draft, 'sharded.html'), shardedDocument);
    await chmod(draft, 0o755); // mkdtemp's folders are private, and nginx's workers are other people
    await rename(draft, target).catch(async (error: NodeJS.ErrnoException) => {
      // Another process was faster: the same version, so the same bytes.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** A hash of everything that decides the content: the painters, the sources, the dependencies. */
async function contentVersion(): Promise<string> {
  const here = dirname(fileURLToPath(import.meta.url));
  const painters = (await readdir(here)).filter((name) => !name.endsWith('.test.ts')).map((name) => join(here, name));
  const sources = (await readdir(sitesDirectory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const others = ['../hosts.ts', '../../package.json'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const hash = createHash('sha256');
  for (const file of [...painters, ...sources, ...others].sort()) hash.update(await readFile(file)).update('\0');
  return hash.digest('hex').slice(0, 12);
}

/** Versions that no start has used for a week, and drafts of processes that were killed. */
async function prune(directory: string, current: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    if (!name.startsWith('sites-') || path === current) continue;
    const used = await stat(path).catch(() => undefined);
    if (used && Date.now() - used.mtimeMs > (name.startsWith('sites-draft-') ? 3600_000 : keptMs)) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
