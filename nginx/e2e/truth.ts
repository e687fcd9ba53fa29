// Ground-truth pages as both tiers ask for them: each object with its deadline, and Chrome's load events.
import assert from 'node:assert/strict';
import type { Protocol } from '@pronghorn/core/vocabulary';
import { truthPages } from '../src/hosts/truth.ts';
import type { Origin } from '../src/index.ts';
import { launchChrome, timeout } from './chrome.ts';
import { overH2 } from './requests.ts';

export interface TimedObject {
  name: string;
  /** When it is to come, after its document, by the page's construction. */
  deadlineMs: number;
  /** After its document was asked for, and after that had come. */
  sinceAskedMs: number;
  sinceDocumentMs: number;
  upstreamLateMs: number;
}

export const truthUrl = ({ port }: Origin, path: string): string => `https://truth.pronghorn.test:${port}${path}`;

/** A ground-truth page, whose objects have paths of this visit alone. */
export async function askForPage(origin: Origin, name: string): Promise<{ endMs: number; objects: string[] }> {
  const [document] = await overH2(origin, [truthUrl(origin, `/${name}`)]);
  assert.ok(document);
  assert.equal(document.headers['cache-control'], 'no-store');
  const paths: string[] = document.body.toString().match(/\/visit\/[0-9a-f-]+\/\d+/g) ?? [];
  return { endMs: document.endMs, objects: paths.map((path) => truthUrl(origin, path)) };
}

export async function timedObjects(origin: Origin): Promise<TimedObject[]> {
  const all: TimedObject[] = [];
  for (const page of truthPages) {
    const askedMs = performance.now();
    const document = await askForPage(origin, page.name);
    for (const [n, { status, headers, endMs }] of (await overH2(origin, document.objects)).entries()) {
      assert.equal(status, 200);
      all.push({
        name: `${page.name} ${n}`,
        deadlineMs: page.objects[n]?.atMs as number,
        sinceAskedMs: endMs - askedMs,
        sinceDocumentMs: endMs - document.endMs,
        upstreamLateMs: lateMs(headers['server-timing']),
      });
    }
  }
  return all;
}

export const lateMs = (serverTiming: string | string[] | undefined): number =>
  Number(/late;dur=(-?[\d.]+)/.exec(String(serverTiming))?.[1]);

/** How much later than constructed Chrome's load event was, of each page. */
export async function loadErrors(origin: Origin, protocol: Protocol): Promise<{ name: string; errorMs: number }[]> {
  const browser = await launchChrome(origin, protocol);
  try {
    const errors: { name: string; errorMs: number }[] = [];
    for (const { name, url, truth } of origin.sites) {
      if (!truth) continue;
      const page = await browser.newPage();
      await page.goto(url, { waitUntil: 'load', timeout });
      const { onLoad, spoken } = await page.evaluate(() => {
        const [entry] = performance.getEntriesByType('navigation' as never) as unknown as {
          loadEventStart: number;
          nextHopProtocol: string;
        }[];
        return { onLoad: entry?.loadEventStart ?? 0, spoken: entry?.nextHopProtocol };
      });
      await page.close();
      assert.equal(spoken, { h1: 'http/1.1', h2: 'h2', h3: 'h3' }[protocol]);
      errors.push({ name, errorMs: onLoad - truth.onLoadMs });
    }
    return errors;
  } finally {
    await browser.close();
  }
}
