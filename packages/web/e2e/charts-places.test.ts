// What charts draw stands where the API's numbers are, in a real Chrome.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CampaignDistributions, CampaignResults, Visit } from '@pronghorn/core/schemas';
import type { ElementHandle } from 'puppeteer-core';
import { type ChartsStage, chartsStage, deltaFigure, figure, onLoadOf, opened, spreadFigure, walk } from './charts/stage.ts';
import { openPage } from './pages.ts';

let stage: ChartsStage;
before(async () => {
  stage = await chartsStage();
});
after(() => stage?.[Symbol.asyncDispose]());

const open = () => openPage(stage.browser, stage.url);

test('dots and whiskers stand where the API’s H3-Delta and its interval are', async () => {
  await using page = await open();
  const results: CampaignResults = await stage.service.get(`campaigns/${stage.campaign.id}/results`);
  const deltas = results.cells.flatMap(({ comparisons }) =>
    comparisons.filter(({ confirmatory }) => confirmatory).map(({ delta }) => delta),
  );
  const drawn = await (await figure(page, deltaFigure)).evaluate((element) => {
    const middle = (element: Element) => element.getBoundingClientRect().x + element.getBoundingClientRect().width / 2;
    const ticks = [...element.querySelectorAll('g[aria-hidden] text.tick')].map(
      (tick) => [Number.parseFloat(tick.textContent?.replace('−', '-') ?? '') / 100, middle(tick)] as const,
    );
    const rows = [...element.querySelectorAll('.row')].map((row) =>
      [...row.querySelectorAll('.whisker:not(:first-child), .mark')].map(middle),
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
    await using page = await openPage(stage.browser, `${stage.url}&scale=${scale}`);
    const plot = await figure(page, spreadFigure);
    const row = stage.visits
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

    const distributions: CampaignDistributions = await stage.service.get(`campaigns/${stage.campaign.id}/distributions?metric=onLoad`);
    const box = distributions.cells[0]?.slots[0]?.distribution?.box;
    assert.ok(box && box.median !== null);
    const { median } = box;
    const dark = await firstInk(plot);
    assert.ok(
      dark.some((x) => Math.abs(x - axis(median)) <= 1.5),
      `the median ${median} is not at ${axis(median)}: ${dark}`,
    );

    await page.keyboard.press('Enter');
    assert.equal(await opened(page), row.at(-1)?.id);
    const frame = await (await plot.$('.plot'))?.boundingBox();
    const [second] = walked.slice(1);
    await page.mouse.click((frame?.x ?? 0) + (second?.x ?? 0), (frame?.y ?? 0) + (second?.y ?? 0));
    assert.equal(await opened(page), row[1]?.id);
  });
}

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
