// HTTP/3 beside HTTP/2 as a page of 40 pictures grows, and what its bursts lose in the browser's receive buffer (net.core.rmem_max).
// Takes 5 minutes, as root. node bench link/pages [--condition latency-100] [--origin nginx|caddy] [--rounds 10] [--print] FILE [KILOBYTES…]
//
// Each valid visit is a line of FILE. It may hold several conditions, servers and buffers: they make one family of comparisons. --print only
// prints what FILE holds.
import { appendFileSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureContent } from '../../nginx/src/content/build.ts';
import { encodePng } from '../../nginx/src/content/png.ts';
import { serverWish } from '../../nginx/src/index.ts';
import { median, randomSource, shuffle } from '../../packages/core/src/math/index.ts';
import type { MetricName } from '../../packages/core/src/schemas/index.ts';
import { metricOf } from '../../packages/core/src/vocabulary/index.ts';
import { type CellVisit, compareVisits, ms, openLab, presetOf, pWords, signed } from '../shared/lab.ts';

interface Cell {
  server: string;
  condition: string;
  /** Of a picture. */
  kilobytes: number;
  /** Maximum size of a socket's receive buffer, bytes. */
  rmemMax: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    condition: { type: 'string', default: 'latency-100' },
    origin: { type: 'string', default: 'nginx' },
    rounds: { type: 'string', default: '10' },
    print: { type: 'boolean', default: false },
  },
});
const [file, ...named] = positionals;
if (file === undefined) throw new Error('Name the file of the visits.');
const pictures = 40;
const sizes = named.length > 0 ? named.map(Number) : [4, 16, 32, 64, 128];

if (!values.print) await measure(file);
printTables(
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line)),
);

/** In each round the sizes in random order, and of each size the protocols. */
async function measure(path: string): Promise<void> {
  const condition = presetOf(values.condition);
  await using lab = await openLab([condition], [serverWish(values.origin)], makePages);
  const shop = lab.origin.sites.find(({ name }) => name === 'shop') ?? lab.origin.sites[0];
  await lab.under(condition);
  const rmemMax = Number(readFileSync('/proc/sys/net/core/rmem_max', 'utf8'));
  for (let round = 1; round <= Number(values.rounds); round++) {
    for (const kilobytes of shuffle(sizes, randomSource(round))) {
      const visits = await lab.visit(new URL(`/pictures-${kilobytes}.html`, shop?.url).href, 1);
      for (const protocol of ['h2', 'h3'] as const) {
        for (const { link, resources: _, settled: __, loaded: ___, tookMs: ____, ...metrics } of visits[protocol]) {
          const cell: Cell = { server: values.origin, condition: condition.name, kilobytes, rmemMax };
          const visit: CellVisit = { round, protocol, receiveDrops: link?.receiveDrops ?? null, metrics };
          appendFileSync(path, `${JSON.stringify({ ...cell, ...visit })}\n`);
        }
      }
    }
  }
}

function printTables(lines: readonly (Cell & CellVisit)[]): void {
  const nameOf = ({ server, condition, kilobytes, rmemMax }: Cell) => `${server} | \`${condition}\` | ${kilobytes} KB | ${rmemMax}`;
  const cells = [...Map.groupBy(lines, nameOf)];
  const comparisons = compareVisits(cells.map(([, visits]) => visits));
  const headOf = (metric: string) => `${metric} h2 | h3 | H3-Delta (95 %) | p, corrected`;
  console.log(
    `| server | condition | picture | rmem_max | rounds | ${headOf('onLoad')} | ${headOf('SpeedIndex')} | h3 visits that lost datagrams |`,
  );
  console.log(`|${' --- |'.repeat(14)}`);
  for (const [i, [name, visits]] of cells.entries()) {
    const compared = (metric: MetricName) => {
      const [h2, h3] = (['h2', 'h3'] as const).map((protocol) =>
        ms(median(visits.filter((one) => one.protocol === protocol).map(({ metrics }) => metricOf(metrics, metric) ?? Number.NaN))),
      );
      const { delta, signedRank } = comparisons[i]?.find((one) => one.metric === metric) ?? {};
      const ends = delta == null ? '–' : `${signed(delta.value, 2)} (${signed(delta.low, 2)} to ${signed(delta.high, 2)})`;
      return `${h2} | ${h3} | ${ends} | ${pWords(signedRank?.adjustedP)}`;
    };
    const drops = visits.filter(({ protocol }) => protocol === 'h3').map(({ receiveDrops }) => receiveDrops ?? 0);
    const lost = `${drops.filter((count) => count > 0).length} of ${drops.length}`;
    const rounds = comparisons[i]?.[0]?.rounds ?? 0;
    console.log(`| ${name} | ${rounds} | ${compared('onLoad')} | ${compared('speedIndex')} | ${lost} |`);
  }
}

/** Noise doesn't compress, so a picture has as many bytes as its pixels. */
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
