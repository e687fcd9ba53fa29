// The article: text, three web fonts, pictures, a few small scripts. Stands for news and blogs.

import { paintLandscape } from './landscape.ts';
import { encodePng } from './png.ts';
import { SiteFiles } from './site-files.ts';
import { font, source } from './sources.ts';

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

export async function makeArticle(): Promise<SiteFiles> {
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
