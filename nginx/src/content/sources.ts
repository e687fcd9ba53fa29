// What the sites are made from besides code: the files under nginx/sites, and fonts carried by npm packages.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

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
export type Font = keyof typeof fontFiles;

/** A variable font, Latin subset. */
export function font(name: Font): Promise<Buffer> {
  return readFile(fileURLToPath(import.meta.resolve(fontFiles[name])));
}
