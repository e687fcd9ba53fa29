// Makes all sites, once for each version of their sources, and keeps them in the state folder.
import { createHash } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { film } from './film.ts';
import { paintLandscape } from './landscape.ts';
import { encodePng } from './png.ts';
import { makeScripts } from './scripts.ts';
import { makeShop } from './shop.ts';
import { font, SiteFiles, sitesDirectory, source, writeServed } from './site-files.ts';

export interface Content {
  directory: string;
  /** Names the version: the same version is the same bytes. */
  version: string;
  /** The sharded page, with `{{port}}` where the port goes: it names other hosts of an origin whose port isn't known before it starts. */
  shardedDocument: string;
}

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

/** Makes the sites in a draft folder and moves that into place, so that no reader sees half a site. */
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
  const others = ['../hosts/hosts.ts', '../../package.json'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
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

// The article: text, three web fonts, pictures, a few small scripts. Stands for news and blogs.
const figures = [
  { name: 'hero.png', seed: 21, width: 1200, height: 440, palette: 'dawn', herd: 3 },
  { name: 'built.png', seed: 8, width: 620, height: 340, palette: 'noon', herd: 5 },
  { name: 'ghost.png', seed: 9, width: 620, height: 340, palette: 'dusk', herd: 1 },
  { name: 'winter.png', seed: 12, width: 620, height: 340, palette: 'winter', herd: 4 },
  { name: 'storm.png', seed: 17, width: 620, height: 340, palette: 'storm', herd: 2 },
  { name: 'author.png', seed: 3, width: 88, height: 88, palette: 'dusk', herd: 1 },
] as const;

const related = [
  ['How far is a horizon?', 'noon'],
  ['The last fence', 'storm'],
  ['Counting what runs', 'dawn'],
  ['Snow, and what lies under it', 'winter'],
  ['A field guide to wind', 'noon'],
  ['Letters: on sagebrush', 'dusk'],
  ['Night on the divide', 'dusk'],
  ['Rain at last', 'storm'],
  ['The oldest road', 'dawn'],
  ['What a coyote knows', 'winter'],
  ['Grass, a biography', 'noon'],
  ['Maps that lied', 'storm'],
] as const;

async function makeArticle(): Promise<SiteFiles> {
  const site = new SiteFiles();
  for (const name of ['inter.woff2', 'source-serif.woff2', 'source-serif-italic.woff2'] as const) site.asset(name, await font(name));
  for (const name of ['logo.svg', 'icon-post.svg', 'icon-feed.svg', 'progress.js', 'contents.js', 'minutes.js']) {
    site.asset(name, await source(`article/${name}`));
  }
  const cards = related.map(([, palette], n) => ({ name: card(n), seed: 40 + n, width: 280, height: 170, palette, herd: n % 3 }));
  await Promise.all(
    [...figures, ...cards].map(async ({ name, ...landscape }) =>
      site.asset(name, await encodePng(paintLandscape({ ...landscape, grain: 0.2 }))),
    ),
  );
  for (const name of ['fonts.css', 'article.css']) site.asset(name, site.fill(await source(`article/${name}`)));
  const cardsHtml = related.map(([title], n) => `<a href="/"><img src="{{/${card(n)}}}" alt="" width="280" height="170">${title}</a>`);
  site.document('/index.html', site.fill(await source('article/index.html'), { related: cardsHtml.join('\n') }));
  return site;
}

const card = (n: number) => `related-${n + 1}.png`;

// Four pictures of half a megabyte to four. Stands for photographs in full quality and for downloads: pages that
// throughput decides, not round trips.
const prints = [
  { title: 'Evening, basin rim', width: 1420, height: 940, palette: 'dusk', seed: 61 },
  { title: 'First snow', width: 1000, height: 667, palette: 'winter', seed: 62 },
  { title: 'Front from the west', width: 720, height: 463, palette: 'storm', seed: 63 },
  { title: 'Dawn', width: 500, height: 334, palette: 'dawn', seed: 64 },
] as const;

async function makeLargeObjects(): Promise<SiteFiles> {
  const site = new SiteFiles();
  const files = await Promise.all(
    prints.map(async ({ title: _, ...landscape }, n) => {
      // Stored, not compressed: what counts here is bytes on the network, with as little decoding in Chrome as can be.
      const png = await encodePng(paintLandscape({ ...landscape, grain: 3, herd: 3 }), 0);
      site.asset(print(n), png);
      return png;
    }),
  );
  const figures = prints.map(({ title, width, height }, n) => {
    const megabytes = ((files[n] as Buffer).length / 1e6).toFixed(1);
    return `<figure><img src="{{/${print(n)}}}" alt="" width="${width}" height="${height}"><figcaption>${title} <span>${megabytes} MB</span></figcaption></figure>`;
  });
  site.document('/index.html', site.fill(await source('large-objects/index.html'), { prints: figures.join('\n') }));
  return site;
}

const print = (n: number) => `print-${n + 1}.png`;
