// The shop: a page of many small pictures. Stands for catalogues and search results; also the page that is sharded.
import { shardOf } from '../hosts/hosts.ts';
import { paintLandscape } from './landscape.ts';
import { mix, noise, noiseEdge, type Random, type Rgb, random, rgb } from './painting.ts';
import { encodePng, type Picture } from './png.ts';
import { fill, font, SiteFiles, source } from './site-files.ts';

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

// The shop's goods: pots turned on a wheel, each an outline turned round its axis, lit from the upper left.

/** Outlines: the radius at equal steps from the rim to the foot, as shares of half the picture's width. */
const outlines = {
  vase: [0.2, 0.13, 0.15, 0.3, 0.42, 0.45, 0.38, 0.26, 0.24],
  bottle: [0.1, 0.085, 0.085, 0.1, 0.26, 0.36, 0.37, 0.36, 0.32],
  bowl: [0.66, 0.65, 0.61, 0.54, 0.44, 0.32, 0.24, 0.22, 0.24],
  mug: [0.4, 0.39, 0.39, 0.39, 0.4, 0.41, 0.42, 0.41, 0.36],
  jar: [0.26, 0.28, 0.42, 0.5, 0.53, 0.52, 0.47, 0.38, 0.33],
  planter: [0.52, 0.5, 0.48, 0.45, 0.43, 0.4, 0.37, 0.34, 0.33],
  goblet: [0.36, 0.38, 0.38, 0.33, 0.2, 0.07, 0.06, 0.12, 0.28],
  plate: [0.8, 0.76, 0.62, 0.42, 0.36, 0.34, 0.33, 0.32, 0.32],
} as const;
type Pot = keyof typeof outlines;
export const pots = Object.keys(outlines) as Pot[];

/** Top and bottom of each kind, as shares of the picture's height. */
const extents: Record<Pot, readonly [top: number, foot: number]> = {
  vase: [0.12, 0.86],
  bottle: [0.1, 0.86],
  bowl: [0.42, 0.82],
  mug: [0.34, 0.84],
  jar: [0.24, 0.86],
  planter: [0.3, 0.86],
  goblet: [0.18, 0.87],
  plate: [0.6, 0.8],
};

const glazes = ['#2f6f73', '#b3512f', '#d9b25f', '#39506b', '#6b7d4a', '#8d4f5e', '#e2d8c3', '#4a3a33', '#7aa2a6', '#c98a6b'].map(rgb);
const backdrops = ['#efe9df', '#e6ebea', '#f0e6e0', '#e9ebe2'].map(rgb);
const clay: Rgb = [178, 128, 96];

export function paintPot({ seed, kind, size }: { seed: number; kind: Pot; size: number }): Picture {
  const chance = random(seed);
  const outline = outlines[kind].map((radius) => radius * chance.float(0.9, 1.1));
  const glaze = chance.pick(glazes);
  const second = chance.pick(glazes);
  const bands = glazeBands(chance);
  const backdrop = chance.pick(backdrops);
  const speckle = chance.float(3, 14);
  const [top, foot] = extents[kind].map((share) => share * size) as [number, number];
  const middle = size / 2;
  const pixels = new Uint8ClampedArray(size * size * 3);
  let at = 0;
  for (let y = 0; y < size; y++) {
    const down = (y - top) / (foot - top);
    const radius = down >= 0 && down <= 1 ? radiusAt(outline, down) * middle : 0;
    const body = mix(glaze, second, bands(down));
    const own = down > 0.93 ? clay : body;
    const floor = mix(backdrop, [255, 255, 255], y < size * 0.72 ? 0.35 - (y / size) * 0.4 : 0.15);
    for (let x = 0; x < size; x++) {
      const grain = (noise[((y & (noiseEdge - 1)) * noiseEdge + ((x + seed * 31) & (noiseEdge - 1))) & 0xffff] as number) / 127;
      const shadow = ((x - middle * 1.08) / (size * 0.34)) ** 2 + ((y - foot) / (size * 0.035)) ** 2;
      let light = 1 - 0.34 * Math.max(0, 1 - shadow) + (grain > 0.7 ? 1 : 0) / 255;
      let highlight = 0;
      const inside = radius > 0 ? Math.min(1, Math.max(0, radius - Math.abs(x - middle) + 0.5)) : 0;
      if (inside > 0) {
        // Lambert's cosine on a cylinder, with a soft highlight where the light meets it; the edge is one pixel soft.
        const across = Math.min(1, Math.max(-1, (x - middle) / radius));
        const shade = 0.42 + 0.6 * Math.max(0, Math.cos(Math.asin(across) + 0.75)) + (grain * speckle) / 255;
        highlight = Math.max(0, 1 - ((across + 0.5) / 0.16) ** 2) * 0.3;
        light += (shade - light) * inside;
      }
      for (let channel = 0; channel < 3; channel++) {
        const [ground, glazed] = [floor[channel] as number, own[channel] as number];
        pixels[at++] = (ground + (glazed + (255 - glazed) * highlight - ground) * inside) * light;
      }
    }
  }
  return { width: size, height: size, rgb: new Uint8Array(pixels.buffer) };
}

/** The outline between its steps, smooth (Catmull–Rom). */
function radiusAt(outline: readonly number[], share: number): number {
  const place = share * (outline.length - 1);
  const i = Math.min(outline.length - 2, Math.floor(place));
  const t = place - i;
  const at = (n: number) => outline[Math.min(outline.length - 1, Math.max(0, n))] as number;
  const [a, b, c, d] = [at(i - 1), at(i), at(i + 1), at(i + 2)];
  return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - a - 3 * c + d) * t * t * t);
}

/** Share of the second glaze at a height: dipped, striped or plain. */
function glazeBands(chance: Random): (down: number) => number {
  const edge = chance.float(0.3, 0.7);
  const stripes = chance.int(3, 7);
  return chance.pick([
    () => 0,
    (down: number) => (down > edge ? 1 : 0),
    (down: number) => (down > edge && down < edge + 0.12 ? 1 : 0),
    (down: number) => (down > 0.2 && down < 0.8 && Math.sin(down * stripes * Math.PI * 4) > 0.4 ? 0.85 : 0),
    (down: number) => Math.min(1, Math.max(0, (down - edge + 0.15) / 0.3)),
  ]);
}
