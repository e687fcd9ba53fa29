// The shop: a page of many small pictures. Stands for catalogues and search results; also the page that is sharded.
import { shardOf } from '../hosts.ts';
import { paintLandscape } from './landscape.ts';
import { encodePng } from './png.ts';
import { type Pot, paintPot, pots } from './pottery.ts';
import { random } from './random.ts';
import { fill, SiteFiles } from './site-files.ts';
import { font, source } from './sources.ts';

const productCount = 64;
const glazeNames = ['Tenino', 'Umber', 'Basin', 'Ochre', 'Larkspur', 'Sage', 'Madder', 'Chalk', 'Basalt', 'Heron'];

/** The shop, and the same page with every asset on the host that `shardOf` names; `{{port}}` in it is filled at each start. */
export async function makeShop(): Promise<{ shop: SiteFiles; shardedDocument: string }> {
  const site = new SiteFiles();
  site.asset('inter.woff2', await font('inter.woff2'));
  for (const name of ['logo.svg', 'basket.svg', 'basket.js', 'filter.js', 'rating.js']) site.asset(name, await source(`shop/${name}`));
  const pictures = [
    { name: 'banner.png', picture: paintLandscape({ seed: 33, width: 1280, height: 260, palette: 'dusk', grain: 0.2, herd: 4 }) },
    ...pots.map((kind, n) => ({ name: `kind-${kind}.png`, picture: paintPot({ seed: 501 + n, kind, size: 96 }) })),
    ...Array.from({ length: productCount }, (_, n) => ({
      name: product(n),
      picture: paintPot({ seed: n + 1, kind: kindOf(n), size: 240 }),
    })),
  ];
  await Promise.all(pictures.map(async ({ name, picture }) => site.asset(name, await encodePng(picture))));
  for (const name of ['shop.css', 'cards.css']) site.asset(name, site.fill(await source(`shop/${name}`)));

  const template = await source('shop/index.html');
  const values = {
    count: String(productCount),
    filters: pots.map((kind) => `<button type="button" data-kind="${kind}">${plural(kind)}</button>`).join(''),
    kinds: pots.map((kind) => `<div><img src="{{/kind-${kind}.png}}" alt="" width="64" height="64">${plural(kind)}</div>`).join('\n'),
    cards: cards().join('\n'),
  };
  site.document('/index.html', site.fill(template, values));
  const shardedUrl = (asset: string) => `https://${shardOf(asset)}:{{port}}${site.pathOf(asset)}`;
  return { shop: site, shardedDocument: fill(template, shardedUrl, values) };
}

function cards(): string[] {
  const chance = random(77);
  return Array.from({ length: productCount }, (_, n) => {
    const [kind, glaze] = [kindOf(n), chance.pick(glazeNames)];
    const price = chance.int(14, 160);
    const name = `${glaze} ${kind} no. ${n + 1}`;
    return `<div class="card" data-kind="${kind}"><img src="{{/${product(n)}}}" alt="${name}" width="240" height="240">
<h2>${name}</h2><p><span class="stars" data-rating="${chance.int(3, 5)}"></span><b>${price}.00</b></p><button type="button">Add to basket</button></div>`;
  });
}

/** Kinds alternate with a shift, so that no column of the page has only one. */
const kindOf = (n: number) => pots[(n * 3 + Math.floor(n / 8)) % pots.length] as Pot;
const product = (n: number) => `pot-${String(n + 1).padStart(2, '0')}.png`;
const plural = (kind: Pot) => `${(kind[0] as string).toUpperCase()}${kind.slice(1)}s`;
