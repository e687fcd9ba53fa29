// The page of all charts in a real Chrome, drawn of a campaign in a real service: what the tests of the charts share.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import type { Page as ListPage, Visit } from '@pronghorn/core/schemas';
import { metricOf } from '@pronghorn/core/vocabulary';
import type { ElementHandle, Page } from 'puppeteer-core';
import { launchBrowser } from '../pages.ts';
import { startService } from '../service.ts';
import { builtChartsPage } from './page.ts';

export type ChartsStage = Awaited<ReturnType<typeof chartsStage>>;

export async function chartsStage() {
  await using making = new AsyncDisposableStack();
  const folder = making.adopt(await builtChartsPage(), (built) => rmSync(built, { recursive: true, force: true }));
  const service = making.use(await startService({ kind: 'open' }, { webRoot: folder }));
  const browser = making.adopt(await launchBrowser(), (launched) => launched.close());
  const campaign = await service.makeCampaign({
    sites: [{ url: 'https://93.184.216.34/' }],
    conditions: ['native', 'latency-100'],
    protocols: ['h2', 'h3'],
    rounds: 12,
  });
  await service.perform(campaign, Number.POSITIVE_INFINITY);
  const { items }: ListPage<Visit> = await service.get(`campaigns/${campaign.id}/visits?limit=1000`);
  const things = making.move();
  return {
    service,
    browser,
    campaign,
    /** Of the campaign. */
    visits: items,
    url: `${service.url}/?campaign=${campaign.id}`,
    [Symbol.asyncDispose]: () => things.disposeAsync(),
  };
}

/** Their places on the page. */
export const [deltaFigure, spreadFigure, ecdfFigure, trendFigure] = [0, 1, 2, 3] as const;
/** Once it is drawn, which a canvas is only near the window. */
export async function figure(page: Page, index: number): Promise<ElementHandle> {
  await page.waitForFunction(
    (at) => {
      const element = document.querySelectorAll('figure')[at];
      element?.scrollIntoView({ block: 'center' });
      const canvas = element?.querySelector('canvas');
      // Chart.js styles the canvas that it draws on; the other charts are SVG.
      return canvas ? canvas.style.display === 'block' : element?.querySelector('svg') !== null && element !== undefined;
    },
    {},
    index,
  );
  const element = (await page.$$('figure'))[index];
  assert.ok(element);
  return element;
}

export const onLoadOf = ({ outcome }: Visit) =>
  outcome.verdict === 'valid' ? (metricOf(outcome.metrics, 'onLoad') ?? Number.NaN) : Number.NaN;
/** Which visit or campaign the page was asked to open last. */
export const opened = (page: Page) => page.$eval('#opened', (element) => element.textContent);

/** Walks over the visits of a SpreadPlot by keys. @returns where each stands, and what is said there. */
export async function walk(page: Page, keys: string[]): Promise<{ x: number; y: number; words: string }[]> {
  const plot = await figure(page, spreadFigure);
  const steps = [];
  for (const key of keys) {
    await page.keyboard.press(key as 'ArrowLeft');
    steps.push(
      await plot.evaluate(async (element) => {
        // What a key moves is drawn in the next frame.
        for (let frame = 0; frame < 2; frame++) await new Promise((done) => requestAnimationFrame(done));
        const plot = element.querySelector('.plot')?.getBoundingClientRect();
        const ring = element.querySelector('.ring')?.getBoundingClientRect();
        const words = (element.querySelector('[aria-live]')?.textContent ?? '').replaceAll('\u00a0', ' ');
        return { x: (ring?.x ?? 0) + 8 - (plot?.x ?? 0), y: (ring?.y ?? 0) + 8 - (plot?.y ?? 0), words };
      }),
    );
  }
  return steps;
}
