// How HTTP/2 and HTTP/3 compare as a page grows: pages of 40 pictures each, of the sizes given, under one condition; and what was lost
// for want of room in the browser's receive buffer, which the operator may set between two runs (sysctl net.core.rmem_max).
// Usage: node bench/link/pages.ts [--condition latency-100] [--origin nginx|caddy|caddy@2.11.9] [--rounds 10] [KILOBYTES…]
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureContent } from '../../nginx/src/content/build.ts';
import { encodePng } from '../../nginx/src/content/png.ts';
import { serverWish } from '../../nginx/src/index.ts';
import { h3Delta, type MetricName, median, randomSource } from '../../packages/core/src/index.ts';
import { openLab, presetOf } from './lab.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    condition: { type: 'string', default: 'latency-100' },
    origin: { type: 'string', default: 'nginx' },
    rounds: { type: 'string', default: '10' },
  },
});
const pictures = 40;
const sizes = positionals.length > 0 ? positionals.map(Number) : [4, 16, 32, 64, 128];
const condition = presetOf(values.condition);
await using lab = await openLab([condition], [serverWish(values.origin)], makePages);
const shop = lab.origin.sites.find(({ name }) => name === 'shop') ?? lab.origin.sites[0];

console.log(`${values.origin}, ${condition.name}, ${values.rounds} rounds, ${pictures} pictures each\n`);
console.log('picture   onLoad h2     h3  H3-Delta   SpeedIndex h2     h3  H3-Delta   h3 lost on arrival');
await lab.under(condition);
for (const size of sizes) {
  const visits = await lab.visit(new URL(`/pictures-${size}.html`, shop?.url).href, Number(values.rounds));
  const compared = (metric: MetricName, width: number) => {
    const [h2 = [], h3 = []] = (['h2', 'h3'] as const).map((protocol) => visits[protocol].map((one) => one[metric] ?? Number.NaN));
    const delta = h3Delta(h3, h2) ?? Number.NaN;
    return `${median(h2).toFixed(0).padStart(width)} ${median(h3).toFixed(0).padStart(6)} ${(delta < 0 ? '−' : '+').padStart(5)}${Math.abs(delta).toFixed(2)}`;
  };
  const drops = visits.h3.map(({ link }) => link?.receiveDrops ?? 0);
  const lost = `${drops.filter((count) => count > 0).length} of ${drops.length} visits, ${drops.reduce((sum, count) => sum + count, 0)} datagrams`;
  console.log(`${String(size).padStart(4)} KB ${compared('onLoad', 11)} ${compared('speedIndex', 15)}   ${lost}`);
}

/** Noise doesn't compress: a picture's bytes are its pixels'. */
async function makePages(directory: string): Promise<void> {
  const site = join((await ensureContent(directory)).directory, 'shop');
  const random = randomSource(1);
  for (const size of sizes) {
    await mkdir(join(site, 'assets', `pictures-${size}`), { recursive: true });
    const urls = Array.from({ length: pictures }, (_, index) => `/assets/pictures-${size}/${index}.png`);
    for (const url of urls) {
      const width = 20;
      const height = Math.max(1, Math.round((size * 1_000) / (width * 3 + 1)));
      const rgb = Uint8Array.from({ length: width * height * 3 }, () => Math.floor(random() * 256));
      await writeFile(join(site, url), await encodePng({ width, height, rgb }, 0));
    }
    const images = urls.map((url) => `<img src="${url}" width="40" height="40" alt="">`).join('');
    await writeFile(
      join(site, `pictures-${size}.html`),
      `<!doctype html><title>${pictures} pictures of ${size} KB</title><h1>${pictures} pictures of ${size} KB</h1>${images}`,
    );
  }
}
