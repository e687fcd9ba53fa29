// node bench/pages/ten-sites.ts FOLDER: ten sites made of the demo's pages, each in a folder of its own and so under a name of its own, and a list of
// them: what the campaign of a study is tried on where nothing of the world is to be asked.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ensureContent } from '../../nginx/src/content/build.ts';

/** A page, and of its repeated elements how many are left; null: all. */
const sites: [name: string, page: string, element: RegExp | null, left: number][] = [
  ['news', 'article', null, 0],
  ['blog', 'article', /<a href="\/"><img src="[^"]*related[\s\S]*?<\/a>\n?/g, 3],
  ['note', 'article', /<a href="\/"><img src="[^"]*related[\s\S]*?<\/a>\n?/g, 0],
  ['pottery', 'shop', null, 0],
  ['gifts', 'shop', /<div class="card"[\s\S]*?<\/button><\/div>\n?/g, 30],
  ['stall', 'shop', /<div class="card"[\s\S]*?<\/button><\/div>\n?/g, 8],
  ['gallery', 'large-objects', null, 0],
  ['poster', 'large-objects', /<figure>[\s\S]*?<\/figure>\n?/g, 1],
  ['postcard', 'large-objects', /<figure><img src="[^"]*print-[123][\s\S]*?<\/figure>\n?/g, 0],
  ['application', 'scripts', null, 0],
];

const folder = resolve(process.argv[2] ?? 'ten-sites');
mkdirSync(folder, { recursive: true });
const { directory } = await ensureContent(folder);
for (const [name, page, element, left] of sites) {
  // What is compressed is compressed anew by who serves the folder.
  cpSync(join(directory, page), join(folder, name), { recursive: true, filter: (path) => !path.endsWith('.gz') });
  if (element === null) continue;
  const file = join(folder, name, 'index.html');
  let count = 0;
  const text = readFileSync(file, 'utf8').replace(element, (found) => (count++ < left ? found : ''));
  if (count <= left) throw new Error(`${page} has ${count} elements to leave out, expected more than ${left}`);
  writeFileSync(file, text);
}
const list = join(folder, 'list.txt');
writeFileSync(list, `${sites.map(([name]) => join(folder, name)).join('\n')}\n`);
console.log(list);
