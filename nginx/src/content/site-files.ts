// The files of one site while it is made: documents at their paths, assets under names that carry their content's hash.
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const gzipped = promisify(gzip);

/** Files that gzip makes smaller. Pictures and woff2 are compressed already. */
const textual = /\.(html|css|js|svg|json)$/;

export class SiteFiles {
  readonly #files = new Map<string, Buffer>();
  readonly #assets = new Map<string, string>();

  /** Adds an asset. Its URL changes with its content, which is what lets it be cached for ever (`immutable`). */
  asset(name: string, content: string | Uint8Array): void {
    const bytes = Buffer.from(content as Uint8Array);
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 8);
    const path = `/assets/${name.replace(/(\.[a-z0-9]+)$/, `.${hash}$1`)}`;
    this.#assets.set(name, path);
    this.#files.set(path, bytes);
  }

  document(path: string, content: string): void {
    this.#files.set(path, Buffer.from(content));
  }

  pathOf(name: string): string {
    const path = this.#assets.get(name);
    if (!path) throw new Error(`there is no asset ${name}; there are ${[...this.#assets.keys()].join(', ')}`);
    return path;
  }

  /** Fills a template with this site's asset paths and the given values. */
  fill(template: string, values: Record<string, string> = {}): string {
    return fill(template, (asset) => this.pathOf(asset), values);
  }

  async write(directory: string): Promise<void> {
    await Promise.all([...this.#files].map(([path, content]) => writeServed(join(directory, path), content)));
  }
}

/**
 * Writes a file as nginx serves it: text also compressed beside it (`gzip_static`), so that compressing costs no
 * request any time, and every protocol carries the same bytes.
 */
export async function writeServed(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  if (textual.test(path)) await writeFile(`${path}.gz`, await gzipped(content, { level: 9 }));
}

/**
 * Fills a template: `{{/name}}` becomes the URL of that asset, `{{name}}` the value of that name (which may hold
 * further `{{/name}}`).
 * @throws {Error} for a name that isn't known.
 */
export function fill(template: string, urlOf: (asset: string) => string, values: Record<string, string> = {}): string {
  const valued = template.replace(/\{\{([a-z]\w*)\}\}/gi, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the template wants {{${name}}}, which is not among ${Object.keys(values).join(', ')}`);
    return value;
  });
  return valued.replace(/\{\{\/([^}]+)\}\}/g, (_, asset: string) => urlOf(asset));
}

const sites = new URL('../../sites/', import.meta.url);
export const sitesDirectory = fileURLToPath(sites);

/** The text of nginx/sites/PATH. */
export function source(path: string): Promise<string> {
  return readFile(new URL(path, sites), 'utf8');
}

const fontFiles = {
  'inter.woff2': '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
  'source-serif.woff2': '@fontsource-variable/source-serif-4/files/source-serif-4-latin-wght-normal.woff2',
  'source-serif-italic.woff2': '@fontsource-variable/source-serif-4/files/source-serif-4-latin-wght-italic.woff2',
} as const;
type Font = keyof typeof fontFiles;

/** A variable font, Latin subset. */
export function font(name: Font): Promise<Buffer> {
  return readFile(fileURLToPath(import.meta.resolve(fontFiles[name])));
}
