// Charts are zoomed, read, saved and printed, in a real Chrome, by everybody.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import type { CampaignResults } from '@pronghorn/core/schemas';
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
import { openPage, texts } from './pages.ts';

let stage: ChartsStage;
before(async () => {
  stage = await chartsStage();
});
after(() => stage?.[Symbol.asyncDispose]());

const open = () => openPage(stage.browser, stage.url);

test('a zoom by wheel, range or key is kept when the theme changes, and undone by a button', async () => {
  await using page = await open();
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
  await using page = await openPage(stage.browser, 'about:blank');
  await page.evaluateOnNewDocument(() => {
    const saved: Blob[] = [];
    Object.assign(window, { saved });
    URL.createObjectURL = (blob) => {
      saved.push(blob as Blob);
      return '#';
    };
  });
  await page.goto(stage.url);
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

test('curves are read at a value by pointer and keys, and taken out by their names', async () => {
  await using page = await open();
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
  await using page = await open();
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
});

test('a dark chart is printed in ink on white, sharp, and as wide as the paper', async () => {
  await using page = await open();
  await figure(page, spreadFigure);
  await page.evaluate('theme.value = "dark"');
  await page.waitForFunction('document.documentElement.dataset.theme === "dark"');
  // When Chrome lays out the paper, after all that a page does before: what stands there then is printed.
  await page.evaluate((index) => {
    const onPaper = matchMedia('print');
    onPaper.addEventListener('change', () => {
      if (!onPaper.matches) return;
      const canvas = document.querySelectorAll('figure')[index]?.querySelector('canvas') as HTMLCanvasElement;
      const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: new Uint8ClampedArray() };
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
  await using page = await open();
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
