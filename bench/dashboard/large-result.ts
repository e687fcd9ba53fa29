// How soon the page of a result can be read and used: a campaign of 42,000 visits and a chart of 10,000 points, beside 720 visits.
// Takes 4 minutes. node bench dashboard/large-result [2|3], for one of the two alone
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApi } from '../../packages/api/src/index.ts';
import { makeDatabase } from '../../packages/api/src/testing/made-database.ts';
import { Client } from '../../packages/core/src/client/index.ts';
import { builtDashboard } from '../../packages/web/build/dashboard.ts';
import { launchBrowser } from '../../packages/web/e2e/pages.ts';

const [only] = process.argv.slice(2);
const looks = 5;
const zoomMs = 3000;
/** Computing the results of thousands of rounds takes its time. */
const maxMs = 180_000;
const parts = [
  { name: 'ordinary: 12 conditions, 20 rounds', campaigns: 1, sites: 1, conditions: 12, rounds: 20 },
  { name: '50 sites × 14 conditions × 20 rounds', campaigns: 1, sites: 50, conditions: 14, rounds: 20 },
  { name: '10,000 points in one chart', campaigns: 1, sites: 1, conditions: 6, rounds: 556 },
];

/** Milliseconds since the navigation began. */
type Look = { answerMs: number | null; chartMs: number | null; busyUntilMs: number; longestTaskMs: number };
type Watching = Window & { look: Look };

const folder = mkdtempSync(join(tmpdir(), 'pronghorn-bench-'));
const database = join(folder, 'pronghorn.db');
const ids = makeDatabase(database, parts);
const api = await startApi({ database, evidenceDirectory: join(folder, 'evidence'), webRoot: await builtDashboard() });
const client = new Client({ service: api.url, token: null, timeoutMs: 10_000 });
const browser = await launchBrowser();
let ordinary: Look | undefined;
try {
  for (const [at, { name }] of parts.entries()) {
    if (only !== undefined && at > 0 && only !== String(at + 1)) continue;
    console.log(`\n${name}: ${(await progressOf(ids[at] ?? '')).toLocaleString('en')} visits`);
    const first = await look(ids[at] ?? '');
    console.log(`  first look, results computed meanwhile: ${words(first)}`);
    const rest: Awaited<ReturnType<typeof look>>[] = [];
    for (let count = 0; count < looks; count++) rest.push(await look(ids[at] ?? '', count === looks - 1));
    const middle = rest.toSorted((one, other) => interactiveMs(one) - interactiveMs(other))[Math.floor(looks / 2)] as Look;
    console.log(`  later looks, median of ${looks}:            ${words(middle)}`);
    ordinary ??= middle;
    if (middle !== ordinary) console.log(`  interactive ÷ ordinary: ${(interactiveMs(middle) / interactiveMs(ordinary)).toFixed(2)}`);
    const { zoom, heapMegabytes } = rest.at(-1) as (typeof rest)[number];
    const fluid = zoom && `zooming: ${zoom.framesEachSecond.toFixed(0)} frames a second, slowest ${zoom.slowestMs.toFixed(0)} ms; `;
    console.log(`  ${fluid ?? ''}memory of the tab's scripts: ${heapMegabytes.toFixed(0)} MB`);
  }
} finally {
  await browser.close();
  await api.close();
  rmSync(folder, { recursive: true, force: true });
}

/** The page shows the answer and a chart, and reacts to input. */
function interactiveMs({ answerMs, chartMs, busyUntilMs }: Look): number {
  return Math.max(answerMs ?? Number.POSITIVE_INFINITY, chartMs ?? Number.POSITIVE_INFINITY, busyUntilMs);
}

function words(found: Look): string {
  const { answerMs, chartMs, longestTaskMs } = found;
  const shown = (ms: number | null) => (ms === null ? 'never' : `${ms.toFixed(0)} ms`);
  return `answer ${shown(answerMs)}, first chart ${shown(chartMs)}, interactive ${shown(interactiveMs(found))}, longest task ${longestTaskMs.toFixed(0)} ms`;
}

/** Opens a result in a fresh profile, like a user who follows a link. */
async function look(id: string, zoomed = false) {
  const context = await browser.createBrowserContext();
  try {
    const page = await context.newPage();
    await page.setViewport({ width: 1280, height: 900 });
    await page.evaluateOnNewDocument(watch);
    await page.goto(`${api.url}/#/campaigns/${id}`);
    await page.waitForFunction(
      () => (window as unknown as Watching).look.answerMs !== null && (window as unknown as Watching).look.chartMs !== null,
      { timeout: maxMs },
    );
    await page.waitForNetworkIdle({ idleTime: 1000, timeout: maxMs });
    const found = await page.evaluate(() => (window as unknown as Watching).look);
    if (zoomed) await page.goto(`${api.url}/#/campaigns/${id}/loads`);
    const canvas = zoomed ? await page.waitForSelector('.spread-part canvas', { timeout: maxMs }) : null;
    if (canvas) await canvas.scrollIntoView();
    const box = await canvas?.boundingBox();
    if (box) await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const zoom = box ? await zoomedFor(page) : null;
    const client = await page.createCDPSession();
    await client.send('HeapProfiler.collectGarbage');
    const { JSHeapUsedSize = 0 } = await page.metrics();
    return { ...found, zoom, heapMegabytes: JSHeapUsedSize / 1e6 };
  } finally {
    await context.close();
  }
}

/** Turns the wheel with control held, in and out, sixty times a second. */
async function zoomedFor(page: Awaited<ReturnType<typeof browser.newPage>>): Promise<{ framesEachSecond: number; slowestMs: number }> {
  return await page.evaluate(async (forMs) => {
    const canvas = document.querySelector('.spread-part canvas') as HTMLCanvasElement;
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const place = { clientX: left + width / 2, clientY: top + height / 2, bubbles: true, cancelable: true, ctrlKey: true };
    const times: number[] = [];
    const start = performance.now();
    while (performance.now() - start < forMs) {
      const isIn = Math.floor((performance.now() - start) / 500) % 2 === 0;
      canvas.dispatchEvent(new WheelEvent('wheel', { ...place, deltaY: isIn ? -40 : 40 }));
      times.push(await new Promise<number>((resolve) => requestAnimationFrame(resolve)));
    }
    const gaps = times.slice(1).map((time, at) => time - (times[at] ?? time));
    const total = (times.at(-1) ?? 0) - (times[0] ?? 0);
    return { framesEachSecond: (gaps.length / total) * 1000, slowestMs: Math.max(...gaps) };
  }, zoomMs);
}

async function progressOf(id: string): Promise<number> {
  return (await client.ask('GET /campaigns/{id}', { id })).body.progress.visitsValid;
}

/** Runs in the page before its own scripts. Records when each part appears, and how long the page does not react. */
function watch(): void {
  const found: Look = { answerMs: null, chartMs: null, busyUntilMs: 0, longestTaskMs: 0 };
  Object.assign(window, { look: found });
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      found.busyUntilMs = startTime + duration;
      found.longestTaskMs = Math.max(found.longestTaskMs, duration);
    }
  }).observe({ type: 'longtask', buffered: true });
  new MutationObserver(() => {
    if (document.querySelector('.answer .words, .answer .headline')) found.answerMs ??= performance.now();
    if (document.querySelector('.answer-table svg *')) found.chartMs ??= performance.now();
  }).observe(document, { childList: true, subtree: true });
  const { fill } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fill = function (this: CanvasRenderingContext2D, ...given: unknown[]) {
    if (this.canvas.isConnected) found.chartMs ??= performance.now();
    (fill as (...all: unknown[]) => void).apply(this, given);
  };
}
