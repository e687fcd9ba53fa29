// The pictures of docs/images, taken from the newest campaign that is done at a service that anybody may read, such as of ./pronghorn demo:
//   ./pronghorn serve --open --data FOLDER
//   node packages/web/e2e/pictures.ts http://127.0.0.1:8080
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ListedCampaign, Page, Visit } from '@pronghorn/core/schemas';
import { drawn } from './every-page.ts';
import { launchBrowser, openPage } from './pages.ts';

const [, , service = 'http://127.0.0.1:8080'] = process.argv;
const size = { width: 1180, height: 900 };
/** Each page, and where its picture ends: below that only details come. */
const pages = [
  { name: 'result', hash: await resultHash(), end: '.median-loads' },
  { name: 'visit', hash: await visitHash(), end: '.chart-frame' },
];

const browser = await launchBrowser();
try {
  for (const { name, hash, end } of pages) {
    for (const scheme of ['light', 'dark']) {
      await using page = await openPage(browser, 'about:blank');
      await page.setViewport(size);
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      await page.goto(`${service}/${hash}`, { waitUntil: 'networkidle0' });
      await drawn(page);
      const height = await page.$eval(end, (element) => Math.ceil(element.getBoundingClientRect().bottom + scrollY) + 24);
      const path = fileURLToPath(new URL(`../../../docs/images/${name}-${scheme}.webp`, import.meta.url));
      const clip = { x: 0, y: 0, width: size.width, height };
      await page.screenshot({ path: path as `${string}.webp`, type: 'webp', quality: 88, clip, captureBeyondViewport: true });
      console.log(`${path}: ${size.width} × ${height}, ${Math.round(statSync(path).size / 1000)} kB`);
    }
  }
} finally {
  await browser.close();
}

async function ask<T>(path: string): Promise<T> {
  const response = await fetch(`${service}/api/v1/${path}`);
  if (!response.ok) throw new Error(`${service}/api/v1/${path} answered ${response.status}: start the service with --open.`);
  return response.json() as Promise<T>;
}
async function newest(): Promise<ListedCampaign> {
  const { items } = await ask<Page<ListedCampaign>>('campaigns?state=done&limit=1');
  const [campaign] = items;
  if (campaign === undefined) throw new Error(`No campaign of ${service} is done: measure one first, such as by ./pronghorn demo.`);
  return campaign;
}
async function resultHash(): Promise<string> {
  return `#/campaigns/${(await newest()).id}`;
}
/** An HTTP/3 visit beside the HTTP/2 visit of its round, under 100 ms of latency if that was measured. */
async function visitHash(): Promise<string> {
  const { id, spec } = await newest();
  const condition = (spec.conditions.find(({ name }) => name === 'latency-100') ?? spec.conditions[0])?.name ?? '';
  const { items } = await ask<Page<Visit>>(`campaigns/${id}/visits?condition=${encodeURIComponent(condition)}&verdict=valid&limit=100`);
  const first = items.find(({ protocol, counted }) => protocol === 'h3' && counted);
  const second = items.find(({ protocol, roundId, counted }) => protocol === 'h2' && counted && roundId === first?.roundId);
  if (!first || !second) throw new Error(`Campaign ${id} has no round under ${condition} with valid visits over HTTP/2 and HTTP/3.`);
  return `#/visits/${first.id}?with=${second.id}`;
}
