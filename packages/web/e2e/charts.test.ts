// The charts in a real Chrome: what is drawn stands where the API's numbers are, and is reached, zoomed, saved and read by everybody.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import type { Campaign, CampaignDistributions, CampaignResults, Page as ListPage, Visit } from '@pronghorn/core';
import type { Browser, ElementHandle, Page } from 'puppeteer-core';
import { builtChartsPage } from './charts/page.ts';
import { launchBrowser, openPage, texts } from './pages.ts';
import { type Service, startService } from './service.ts';

let [folder, url] = ['', ''];
let service: Service;
let browser: Browser;
let campaign: Campaign;
before(async () => {
  folder = await builtChartsPage();
  service = await startService({ kind: 'open' }, { webRoot: folder });
  campaign = await service.makeCampaign({
    sites: [{ url: 'https://93.184.216.34/' }],
    conditions: ['native', 'latency-100'],
    protocols: ['h2', 'h3'],
    rounds: 12,
  });
  await service.perform(campaign, Number.POSITIVE_INFINITY);
  url = `${service.url}/?campaign=${campaign.id}`;
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const [deltaFigure, spreadFigure, ecdfFigure, trendFigure] = [0, 1, 2, 3] as const;
async function figure(page: Page, index: number): Promise<ElementHandle> {
  page.setDefaultTimeout(10_000);
  await page.waitForFunction('document.querySelectorAll("figure canvas").length === 3');
  const found = (await page.$$('figure'))[index];
  assert.ok(found);
  return found;
}
const visits = async () => ((await service.get(`campaigns/${campaign.id}/visits?limit=1000`)) as ListPage<Visit>).items;
const onLoadOf = ({ outcome }: Visit) => (outcome.verdict === 'valid' ? (outcome.metrics.onLoad ?? Number.NaN) : Number.NaN);

test('dots and whiskers stand where the API’s H3-Delta and its interval are', async () => {
  await using page = await openPage(browser, url);
  const results: CampaignResults = await service.get(`campaigns/${campaign.id}/results`);
  const deltas = results.groups.flatMap(({ comparisons }) =>
    comparisons.filter(({ confirmatory }) => confirmatory).map(({ delta }) => delta),
  );
  const drawn = await (await figure(page, deltaFigure)).evaluate((element) => {
    const middle = (found: Element) => found.getBoundingClientRect().x + found.getBoundingClientRect().width / 2;
    const ticks = [...element.querySelectorAll('text.tick')].map(
      (tick) => [Number(tick.textContent?.replace('−', '-')), middle(tick)] as const,
    );
    const rows = [...element.querySelectorAll('.row')].map((row) =>
      [...row.querySelectorAll('.whisker:not(:first-child), .dot')].map(middle),
    );
    return { ticks, rows };
  });
  const [[zero, atZero], [one, atOne]] = [drawn.ticks.find(([tick]) => tick === 0), drawn.ticks[0]] as [[number, number], [number, number]];
  const valueAt = (pixel: number) => zero + ((pixel - atZero) / (atOne - atZero)) * (one - zero);
  assert.equal(drawn.rows.length, 2);
  drawn.rows.forEach((marks, row) => {
    const expected = [deltas[row]?.low, deltas[row]?.high, deltas[row]?.value];
    assert.deepEqual(
      marks.map((pixel) => Math.abs(valueAt(pixel) - (expected[marks.indexOf(pixel)] ?? 9)) < 0.002),
      [true, true, true],
      `${marks.map(valueAt)} is not ${expected}`,
    );
  });
});

/** Walks over the visits of a SpreadPlot by keys. @returns where each stands, and what is said there. */
async function walk(page: Page, keys: string[]): Promise<{ x: number; y: number; words: string }[]> {
  const found = [];
  for (const key of keys) {
    await page.keyboard.press(key as 'ArrowLeft');
    found.push(
      await (await figure(page, spreadFigure)).evaluate((element) => {
        const plot = element.querySelector('.plot')?.getBoundingClientRect();
        const ring = element.querySelector('.ring')?.getBoundingClientRect();
        const words = (element.querySelector('[aria-live]')?.textContent ?? '').replaceAll('\u00a0', ' ');
        return { x: (ring?.x ?? 0) + 8 - (plot?.x ?? 0), y: (ring?.y ?? 0) + 8 - (plot?.y ?? 0), words };
      }),
    );
  }
  return found;
}

/** The line x = a + b · f(value) through the first and the last of the walk; every other must lie on it. */
function axisThrough(places: readonly { x: number }[], values: readonly number[], f: (value: number) => number): (value: number) => number {
  const [first = 0, last = 0] = [values[0], values.at(-1)];
  const [x0, x1] = [places[0]?.x ?? 0, places.at(-1)?.x ?? 0];
  const axis = (value: number) => x0 + ((f(value) - f(first)) / (f(last) - f(first))) * (x1 - x0);
  places.forEach(({ x }, i) => {
    assert.ok(Math.abs(x - axis(values[i] as number)) < 1, `${values[i]} stands at ${x} instead of ${axis(values[i] as number)}`);
  });
  return axis;
}

for (const scale of ['linear', 'log'] as const) {
  test(`on a ${scale} axis visits and medians stand at the API’s values, and Enter and a click open the visit`, async () => {
    await using page = await openPage(browser, `${url}&scale=${scale}`);
    const plot = await figure(page, spreadFigure);
    const row = (await visits())
      .filter((visit) => visit.condition === 'native' && visit.protocol === 'h2')
      .sort((a, b) => onLoadOf(a) - onLoadOf(b));
    await (await plot.$('.plot'))?.focus();
    const places = await walk(page, ['ArrowRight', 'Home', ...row.slice(1).map(() => 'ArrowRight')]);
    const [, ...walked] = places;
    const axis = axisThrough(walked, row.map(onLoadOf), scale === 'log' ? Math.log : Number);
    assert.match(
      walked[3]?.words ?? '',
      new RegExp(`^${Math.round(onLoadOf(row[3] as Visit))} ms, HTTP/2, native, round ${row[3]?.roundNumber}\\.`),
    );

    const distributions: CampaignDistributions = await service.get(`campaigns/${campaign.id}/distributions?metric=onLoad`);
    const box = distributions.groups[0]?.slots[0]?.distribution?.box;
    assert.ok(box);
    const dark = await firstInk(plot);
    assert.ok(
      dark.some((x) => Math.abs(x - axis(box.median)) <= 1.5),
      `the median ${box.median} is not at ${axis(box.median)}: ${dark}`,
    );

    await page.keyboard.press('Enter');
    assert.equal(await opened(page), row.at(-1)?.id);
    const frame = await (await plot.$('.plot'))?.boundingBox();
    const [second] = walked.slice(1);
    await page.mouse.click((frame?.x ?? 0) + (second?.x ?? 0), (frame?.y ?? 0) + (second?.y ?? 0));
    assert.equal(await opened(page), row[1]?.id);
  });
}
const opened = (page: Page) => page.$eval('#opened', (element) => element.textContent);
/** The columns of ink in the first line that has some between the names and the numbers: there the first row's median begins. */
function firstInk(plot: ElementHandle): Promise<number[]> {
  return plot.evaluate((element) => {
    const canvas = element.querySelector('canvas') as HTMLCanvasElement;
    const { width, height } = canvas;
    const { data } = canvas.getContext('2d')?.getImageData(0, 0, width, height) ?? { data: new Uint8ClampedArray() };
    const isInk = (x: number, y: number) => {
      const [red = 255, green = 255, , alpha = 0] = data.subarray(4 * (y * width + x));
      return red < 60 && green < 60 && alpha > 200;
    };
    const columns = Array.from({ length: width - 200 }, (_, i) => 100 + i);
    const line = Array.from({ length: height - 30 }, (_, i) => 30 + i).find((y) => columns.some((x) => isInk(x, y))) ?? 0;
    return columns.filter((x) => isInk(x, line + 2));
  });
}

test('a zoom by wheel, range or key is kept when the theme changes, and undone by a button', async () => {
  await using page = await openPage(browser, url);
  const plot = await figure(page, spreadFigure);
  await (await plot.$('.plot'))?.focus();
  const [whole] = await walk(page, ['ArrowRight']);
  const frame = await (await plot.$('.plot'))?.boundingBox();
  assert.ok(frame && whole);
  await page.mouse.move(frame.x + 300, frame.y + 80);
  await page.mouse.down();
  await page.mouse.move(frame.x + 500, frame.y + 90, { steps: 4 });
  await page.mouse.up();
  const isZoomed = () => plot.$eval('.zoom-buttons button:last-child', (button) => !(button as HTMLButtonElement).disabled);
  assert.equal(await isZoomed(), true);
  const ranged = await walk(page, ['Home', 'End']);
  assert.ok(ranged.every(({ x }) => x > 0));
  await page.evaluate('theme.value = "dark"');
  await page.waitForFunction('document.documentElement.dataset.theme === "dark"');
  assert.equal(await isZoomed(), true);
  assert.deepEqual((await walk(page, ['End']))[0], ranged[1]);
  await page.keyboard.press('0');
  assert.equal(await isZoomed(), false);
  await page.keyboard.down('Control');
  await page.mouse.move(frame.x + 300, frame.y + 80);
  await page.mouse.wheel({ deltaY: -120 });
  await page.keyboard.up('Control');
  await page.waitForFunction('!document.querySelectorAll(".zoom-buttons button:last-child")[0].disabled');
  await (await plot.$('.zoom-buttons button:last-child'))?.click();
  assert.equal(await isZoomed(), false);
});

test('each chart is saved as a picture with its title, and as CSV with the numbers of its table', async () => {
  await using page = await openPage(browser, 'about:blank');
  await page.evaluateOnNewDocument(() => {
    const saved: Blob[] = [];
    Object.assign(window, { saved });
    URL.createObjectURL = (blob) => {
      saved.push(blob as Blob);
      return '#';
    };
  });
  await page.goto(url);
  for (const [index, kinds] of [
    [deltaFigure, ['SVG', 'PNG', 'CSV']],
    [spreadFigure, ['PNG', 'CSV']],
    [ecdfFigure, ['PNG', 'CSV']],
    [trendFigure, ['PNG', 'CSV']],
  ] as const) {
    const plot = await figure(page, index);
    for (const kind of kinds) {
      const before = Number(await page.evaluate('saved.length'));
      await plot.evaluate(
        (element, name) => [...element.querySelectorAll('button')].find((button) => button.textContent === name)?.click(),
        kind,
      );
      await page.waitForFunction(`saved.length === ${before + 1}`);
    }
  }
  const told = (await page.evaluate(async () => {
    const saved = (window as unknown as { saved: Blob[] }).saved;
    return Promise.all(
      saved.map(async (blob) => {
        const size = blob.type === 'image/png' ? await createImageBitmap(blob) : null;
        return { type: blob.type, text: size === null ? await blob.text() : '', width: size?.width ?? 0 };
      }),
    );
  })) as { type: string; text: string; width: number }[];
  assert.deepEqual(
    told.map(({ type }) => type),
    ['image/svg+xml', 'image/png', 'text/csv', ...['image/png', 'text/csv'], ...['image/png', 'text/csv'], ...['image/png', 'text/csv']],
  );
  for (const { width } of told.filter(({ type }) => type === 'image/png')) assert.ok(width > 1200, `${width}`);
  const [svg, , deltas, , spread] = told;
  assert.match(svg?.text ?? '', />H3-Delta of onLoad</);
  assert.doesNotMatch(svg?.text ?? '', /class=|var\(/);
  const results: CampaignResults = await service.get(`campaigns/${campaign.id}/results`);
  const [first] = results.groups[0]?.comparisons.filter(({ confirmatory }) => confirmatory) ?? [];
  assert.ok(deltas?.text.includes(`,native,${first?.delta?.value},${first?.delta?.low},${first?.delta?.high},`));
  const { median, p25 } = results.groups[0]?.slots[0]?.metrics.onLoad ?? {};
  assert.ok(spread?.text.includes(`native,HTTP/2,12,`) && spread.text.includes(`,${p25},${median},`));
});

test('curves are read at a value by pointer and keys, and taken out by their names', async () => {
  await using page = await openPage(browser, url);
  const plot = await figure(page, ecdfFigure);
  await (await plot.$('.plot'))?.focus();
  await page.keyboard.press('ArrowRight');
  const words = await plot.$eval('[aria-live]', (element) => (element.textContent ?? '').replaceAll('\u00a0', ' '));
  const [, at = ''] = words.match(/^At most (\d+) ms: /) ?? [];
  const shares = Object.groupBy(await visits(), ({ protocol, condition }) => `${protocol} ${condition}`);
  for (const [name, found = []] of Object.entries(shares)) {
    const [, share] = words.match(new RegExp(`${name} (\\d+(?:\\.\\d)?) %`)) ?? [];
    const near = [-1, 1].map((d) => (100 * found.filter((visit) => onLoadOf(visit) <= Number(at) + d).length) / found.length);
    assert.ok(Number(share) >= (near[0] ?? 0) - 1 && Number(share) <= (near[1] ?? 0) + 1, `${name}: ${share} is not within ${near}`);
  }
  await plot.$$eval('.line-legend input', ([input]) => (input as HTMLInputElement).click());
  await page.waitForFunction('document.querySelectorAll("figure")[2].querySelectorAll(".words .reading").length === 3');
});

test('campaigns of a trend are reached by keys, with their commits and regressions in words', async () => {
  await using page = await openPage(browser, url);
  const plot = await figure(page, trendFigure);
  assert.match((await texts(page, '.regressions li')).join(), /HTTP\/3: HTTP\/3 got 18 % slower/);
  await (await plot.$('.plot'))?.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  assert.match(
    await plot.$eval('[aria-live]', (element) => element.textContent ?? ''),
    / ms, interval .*, HTTP\/3, 2. Sept 2026.*, commit [0-9a-f]+a3c\. Enter opens this campaign\./,
  );
  await page.keyboard.press('Enter');
  assert.equal(await opened(page), '60');
});

test('a dark chart is printed in ink on white', async () => {
  await using page = await openPage(browser, url);
  const plot = await figure(page, spreadFigure);
  await page.evaluate('theme.value = "dark"');
  await page.waitForFunction('document.documentElement.dataset.theme === "dark"');
  const printed = await plot.evaluate((element) => {
    dispatchEvent(new Event('beforeprint'));
    const canvas = element.querySelector('canvas') as HTMLCanvasElement;
    const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: new Uint8ClampedArray() };
    let ink = 0;
    for (let i = 0; i < data.length; i += 4) if ((data[i + 3] ?? 0) > 250 && (data[i] ?? 255) < 40) ink++;
    const sharper = canvas.width / canvas.getBoundingClientRect().width;
    dispatchEvent(new Event('afterprint'));
    return { ink, sharper, theme: document.documentElement.dataset.theme };
  });
  assert.ok(printed.ink > 500, String(printed.ink));
  assert.ok(printed.sharper >= 1.9);
  assert.equal(printed.theme, 'dark');
});

test('axe finds nothing against the charts, light and dark, on a desk and on a phone', async () => {
  const axe = createRequire(import.meta.url)('axe-core') as { source: string };
  await using page = await openPage(browser, url);
  for (const [theme, width] of [
    ['light', 1280],
    ['dark', 390],
  ] as const) {
    await page.setViewport({ width, height: 800 });
    await figure(page, trendFigure);
    await page.evaluate(`theme.value = "${theme}"`);
    await page.evaluate(axe.source);
    const { violations } = (await page.evaluate('axe.run()')) as { violations: { id: string; nodes: { html: string }[] }[] };
    assert.deepEqual(
      violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`),
      [],
    );
  }
});
