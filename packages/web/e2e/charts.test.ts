// Charts in a real Chrome: what they draw stands where the API's numbers are, and everybody zooms, reads, picks, saves and prints them.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import type { CampaignDistributions, CampaignResults, Visit } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import type { ElementHandle, Page } from 'puppeteer-core';
import {
  type ChartsStage,
  chartsStage,
  deltaFigure,
  ecdfFigure,
  figure,
  onLoadOf,
  opened,
  spreadFigure,
  trendFigure,
  walk,
} from './charts/stage.ts';
import { middleOf, pointers, tap } from './fingers.ts';
import { openPage, texts } from './pages.ts';
import { press } from './reader.ts';

describe('charts', proves('dashboard-results', 'dashboard-use'), () => {
  const things = new AsyncDisposableStack();
  let stage: ChartsStage;
  let page: Page;
  before(async () => {
    stage = things.use(await chartsStage());
    page = things.use(await openPage(stage.browser, stage.url));
  });
  after(() => things.disposeAsync());

  /** Of the spread plot, in the window. */
  const frameOf = async (plot: ElementHandle) => (await (await plot.$('.plot'))?.boundingBox()) ?? assert.fail();

  test('dots and whiskers stand where the API’s H3-Delta and its interval are', async () => {
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
    const [[zero, atZero], [one, atOne]] = [drawn.ticks.find(([tick]) => tick === 0), drawn.ticks[0]] as [
      [number, number],
      [number, number],
    ];
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

  for (const scale of ['linear', 'log'] as const) {
    test(`on a ${scale} axis visits and medians stand at the API’s values, and Enter and a click open the visit`, async () => {
      await press(page, `input[value="${scale}"]`);
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
      const frame = await frameOf(plot);
      const [second] = walked.slice(1);
      await page.mouse.click(frame.x + (second?.x ?? 0), frame.y + (second?.y ?? 0));
      await page.waitForFunction((id) => document.querySelector('#opened')?.textContent === id, {}, row[1]?.id);
      await page.mouse.move(0, 0);
    });
  }

  test('a zoom by wheel, range or key is kept when the theme changes, and undone by a button', async () => {
    await press(page, 'input[value="linear"]');
    const plot = await figure(page, spreadFigure);
    const frame = await frameOf(plot);
    const zoomed = (wanted: boolean) =>
      page.waitForFunction(
        (element, is) => element?.querySelector<HTMLButtonElement>('.zoom-buttons button:last-child')?.disabled === !is,
        {},
        plot as ElementHandle<Element>,
        wanted,
      );
    await (await plot.$('.plot'))?.focus();
    await page.mouse.move(frame.x + 300, frame.y + 80);
    await page.mouse.down();
    await page.mouse.move(frame.x + 500, frame.y + 90, { steps: 4 });
    await page.mouse.up();
    await zoomed(true);
    await page.mouse.move(0, 0);
    const ranged = await walk(page, ['Home', 'End']);
    assert.ok(ranged.every(({ x }) => x > 0));
    await page.evaluate('theme.value = "dark"');
    await page.waitForFunction('document.documentElement.dataset.theme === "dark"');
    await zoomed(true);
    assert.deepEqual((await walk(page, ['End']))[0], ranged[1]);
    await page.keyboard.press('0');
    await zoomed(false);
    await page.keyboard.down('Control');
    await page.mouse.move(frame.x + 300, frame.y + 80);
    await page.mouse.wheel({ deltaY: -120 });
    await page.keyboard.up('Control');
    await zoomed(true);
    await (await plot.$('.zoom-buttons button:last-child'))?.click();
    await zoomed(false);
    await page.mouse.move(0, 0);
  });

  test('curves are read at a value by pointer and keys, and taken out by their names', async () => {
    const plot = await figure(page, ecdfFigure);
    await (await plot.$('.plot'))?.focus();
    await page.keyboard.press('ArrowRight');
    const words = await plot.$eval('[aria-live]', (element) => (element.textContent ?? '').replaceAll('\u00a0', ' '));
    const [, at = ''] = words.match(/^At most (\d+) ms: /) ?? [];
    const shares = Object.groupBy(stage.visits, ({ protocol, condition }) => `${protocol} ${condition}`);
    for (const [name, its = []] of Object.entries(shares)) {
      const [, share] = words.match(new RegExp(`${name} (\\d+(?:\\.\\d)?) %`)) ?? [];
      const near = [-1, 1].map((d) => (100 * its.filter((visit) => onLoadOf(visit) <= Number(at) + d).length) / its.length);
      assert.ok(Number(share) >= (near[0] ?? 0) - 1 && Number(share) <= (near[1] ?? 0) + 1, `${name}: ${share} is not within ${near}`);
    }
    await plot.$$eval('.line-legend input', ([input]) => (input as HTMLInputElement).click());
    await page.waitForFunction('document.querySelectorAll("figure")[2].querySelectorAll(".words .reading").length === 3');
  });

  test('campaigns of a trend are reached by keys, with their commits and regressions in words', async () => {
    const plot = await figure(page, trendFigure);
    assert.match((await texts(page, '.regressions li')).join(), /HTTP\/3: HTTP\/3 got 18 % slower/);
    await (await plot.$('.plot'))?.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    assert.match(
      await plot.$eval('[aria-live]', (element) => element.textContent ?? ''),
      / ms, interval .*, HTTP\/3, 2. Sep 2026.*, commit [0-9a-f]+a3c\. Enter opens this campaign\./,
    );
    await page.keyboard.press('Enter');
    assert.equal(await opened(page), '60');
    await page.keyboard.press('Escape');
  });

  test('a point that was picked by a finger or a pen stays picked, and its button opens the visit', async () => {
    for (const pointerType of pointers) {
      const plot = await figure(page, spreadFigure);
      await (await plot.$('.plot'))?.focus();
      const [, first] = await walk(page, ['ArrowRight', 'Home']);
      await page.keyboard.press('Enter');
      const id = await opened(page);
      for (const key of ['End', 'Enter', 'Escape'] as const) await page.keyboard.press(key);
      const another = await opened(page);
      assert.notEqual(id, another);
      await page.waitForFunction('document.querySelector(".point-note") === null');
      const frame = await frameOf(plot);
      await tap(page, pointerType, [frame.x + (first?.x ?? 0), frame.y + (first?.y ?? 0)]);
      await page.waitForSelector('.point-note button');
      assert.equal(await opened(page), another);
      await tap(page, pointerType, await middleOf(await page.$('.point-note button')));
      await page.waitForFunction((wanted) => document.querySelector('#opened')?.textContent === wanted, {}, id);
    }
  });

  test('each chart is saved as a picture with its title, and as CSV with the numbers of its table', async () => {
    await page.evaluate(() => {
      const saved: Blob[] = [];
      Object.assign(window, { saved });
      URL.createObjectURL = (blob) => {
        saved.push(blob as Blob);
        return '#';
      };
    });
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
    const files = (await page.evaluate(async () => {
      const saved = (window as unknown as { saved: Blob[] }).saved;
      return Promise.all(
        saved.map(async (blob) => {
          const size = blob.type === 'image/png' ? await createImageBitmap(blob) : null;
          return { type: blob.type, text: size === null ? await blob.text() : '', width: size?.width ?? 0 };
        }),
      );
    })) as { type: string; text: string; width: number }[];
    assert.deepEqual(
      files.map(({ type }) => type),
      ['image/svg+xml', 'image/png', 'text/csv', ...['image/png', 'text/csv'], ...['image/png', 'text/csv'], ...['image/png', 'text/csv']],
    );
    for (const { width } of files.filter(({ type }) => type === 'image/png')) assert.ok(width > 1200, `${width}`);
    const [svg, , deltas, , spread] = files;
    assert.match(svg?.text ?? '', />H3-Delta of onLoad</);
    assert.doesNotMatch(svg?.text ?? '', /class=|var\(/);
    const results: CampaignResults = await stage.service.get(`campaigns/${stage.campaign.id}/results`);
    const [first] = results.cells[0]?.comparisons.filter(({ confirmatory }) => confirmatory) ?? [];
    assert.ok(deltas?.text.includes(`,native,${first?.delta?.value},${first?.delta?.low},${first?.delta?.high},`));
    const { median, p25 } = results.cells[0]?.slots[0]?.metrics.onLoad ?? {};
    assert.ok(spread?.text.includes(`native,HTTP/2,12,`) && spread.text.includes(`,${p25},${median},`));
  });

  test('a dark chart is printed in ink on white, sharp, and as wide as the paper', async () => {
    await figure(page, spreadFigure);
    await page.evaluate('theme.value = "dark"');
    await page.waitForFunction('document.documentElement.dataset.theme === "dark"');
    // When Chrome lays out the paper, after all that a page does before: what stands there then is printed.
    await page.evaluate((index) => {
      const onPaper = matchMedia('print');
      onPaper.addEventListener('change', () => {
        if (!onPaper.matches) return;
        const canvas = document.querySelectorAll('figure')[index]?.querySelector('canvas') as HTMLCanvasElement;
        // Read from a copy: Chrome warns of a canvas that is drawn and read.
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d') as OffscreenCanvasRenderingContext2D;
        copy.drawImage(canvas, 0, 0);
        const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
        let ink = 0;
        for (let i = 0; i < data.length; i += 4) if ((data[i + 3] ?? 0) > 250 && (data[i] ?? 255) < 40) ink++;
        const { width, height } = canvas.getBoundingClientRect();
        const room = canvas.parentElement?.getBoundingClientRect().width ?? 0;
        Object.assign(window, {
          printed: { ink, sharper: canvas.width / width, room: width - room, bent: canvas.width / canvas.height - width / height },
        });
      });
    }, spreadFigure);
    await page.pdf();
    const printed = (await page.evaluate('printed')) as { ink: number; sharper: number; room: number; bent: number };
    assert.ok(printed.ink > 500, String(printed.ink));
    assert.ok(printed.sharper >= 1.9, String(printed.sharper));
    assert.ok(Math.abs(printed.room) <= 1, `${printed.room} px wider than its room`);
    assert.ok(Math.abs(printed.bent) < 0.02, `its sides are bent by ${printed.bent}`);
    assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
  });

  test('axe finds nothing against the charts, light and dark, on a desk and on a phone', async () => {
    const axe = createRequire(import.meta.url)('axe-core') as { source: string };
    await page.evaluate(axe.source);
    for (const [theme, width] of [
      ['light', 1280],
      ['dark', 390],
    ] as const) {
      await page.setViewport({ width, height: 800 });
      await page.evaluate(`theme.value = "${theme}"`);
      await figure(page, trendFigure);
      const { violations } = (await page.evaluate('axe.run()')) as { violations: { id: string; nodes: { html: string }[] }[] };
      assert.deepEqual(
        violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`),
        [],
      );
    }
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

/** The columns of ink in the first line that has some between the names and the numbers: there the first row's median begins. */
function firstInk(plot: ElementHandle): Promise<number[]> {
  return plot.evaluate((element) => {
    const canvas = element.querySelector('canvas') as HTMLCanvasElement;
    const { width, height } = canvas;
    const copy = new OffscreenCanvas(width, height).getContext('2d') as OffscreenCanvasRenderingContext2D;
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, width, height);
    const isInk = (x: number, y: number) => {
      const [red = 255, green = 255, , alpha = 0] = data.subarray(4 * (y * width + x));
      return red < 60 && green < 60 && alpha > 200;
    };
    const columns = Array.from({ length: width - 200 }, (_, i) => 100 + i);
    const line = Array.from({ length: height - 30 }, (_, i) => 30 + i).find((y) => columns.some((x) => isInk(x, y))) ?? 0;
    return columns.filter((x) => isInk(x, line + 2));
  });
}
