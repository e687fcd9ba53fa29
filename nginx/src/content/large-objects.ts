// Four pictures of half a megabyte to four. Stands for photographs in full quality and for downloads: pages that
// throughput decides, not round trips.
import { paintLandscape } from './landscape.ts';
import { encodePng } from './png.ts';
import { SiteFiles } from './site-files.ts';
import { source } from './sources.ts';

const prints = [
  { title: 'Evening, basin rim', width: 1420, height: 940, palette: 'dusk', seed: 61 },
  { title: 'First snow', width: 1000, height: 667, palette: 'winter', seed: 62 },
  { title: 'Front from the west', width: 720, height: 463, palette: 'storm', seed: 63 },
  { title: 'Dawn', width: 500, height: 334, palette: 'dawn', seed: 64 },
] as const;

export async function makeLargeObjects(): Promise<SiteFiles> {
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
