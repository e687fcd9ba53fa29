// What a reader is told, and what still works, when one of a page's questions is refused, late, or its browser lacks something.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import type { HTTPRequest, Page } from 'puppeteer-core';
import { drawn } from './every-page.ts';
import { byCondition, conditions, judgedStage } from './judged-campaign.ts';
import { texts } from './pages.ts';
import { press } from './reader.ts';

const { service, browser, hash: statistics } = await judgedStage();
const judged = statistics.replace('/statistics', '');

type Answer = 'goes on' | { status: number; body?: string } | Promise<{ status: number; body?: string } | 'goes on'>;

const problem = { type: 'urn:pronghorn:problem:forbidden', title: 'Forbidden', detail: 'Made for this test.' };

/** A page some of whose questions are answered by `answer`; `prepare` acts before its scripts do. */
async function open(
  hash: string,
  answer: (path: string, request: HTTPRequest) => Answer,
  prepare?: () => void,
): Promise<Page & AsyncDisposable> {
  const page = await browser.newPage();
  const errors: unknown[] = [];
  page.on('pageerror', (error) => errors.push(error));
  if (prepare) await page.evaluateOnNewDocument(prepare);
  await page.setRequestInterception(true);
  page.on('request', async (request) => {
    const given = await answer(new URL(request.url()).pathname, request);
    if (given === 'goes on') await request.continue();
    else await request.respond({ contentType: 'application/problem+json', body: JSON.stringify(problem), ...given });
  });
  await page.goto(`${service.url}/${hash}`);
  return Object.assign(page, {
    async [Symbol.asyncDispose]() {
      await page.close();
      assert.deepEqual(errors, []);
    },
  });
}
const goesOn = (): Answer => 'goes on';
const refused =
  (end: string, status = 403) =>
  (path: string): Answer =>
    path.endsWith(end) ? { status } : 'goes on';

test('a browser without idle callbacks shows all parts of a result and of a visit', proves('dashboard-results'), async () => {
  const lacking = () => {
    Object.assign(window, { requestIdleCallback: undefined, cancelIdleCallback: undefined });
  };
  {
    await using page = await open(statistics, goesOn, lacking);
    await page.waitForSelector('.cell-part:nth-of-type(5)');
  }
  await using page = await open(`${judged}/loads`, goesOn, lacking);
  await page.waitForSelector('.summary tbody tr');
  await press(page, '.parts a::-p-text(Visits)');
  const visit = await page.waitForSelector('.visits tbody tr a[href*="/visits/"]');
  await visit?.evaluate((link) => (link as HTMLElement).click());
  await page.waitForSelector('.files a');
});

test('a page whose file is gone says so, though who is asking is not known yet', proves('dashboard-results'), async () => {
  const late = Promise.withResolvers<'goes on'>();
  await using page = await open(judged, (path) =>
    path.endsWith('/session') ? late.promise : /CampaignPage.*\.js$/.test(path) ? { status: 404 } : 'goes on',
  );
  await page.waitForFunction(() => document.querySelector('main [role=alert]')?.textContent?.includes('could not be loaded'));
  late.resolve('goes on');
});

test('while the next page is loaded, the one that stands there says that it is busy', proves('dashboard-use'), async () => {
  const late = Promise.withResolvers<'goes on'>();
  await using page = await open('#/conditions', (path) => (/RunnersPage.*\.js$/.test(path) ? late.promise : 'goes on'));
  await page.waitForSelector('h1');
  await page.$eval('#sections a[href="#/runners"]', (link) => (link as HTMLElement).click());
  await page.waitForSelector('main[aria-busy=true]');
  const before = await texts(page, 'h1');
  late.resolve('goes on');
  await page.waitForSelector('main[aria-busy=false]');
  assert.deepEqual([before, await texts(page, 'h1')], [['Network conditions'], ['Runners']]);
});

test(
  'who is asking is asked again when the service did not say it, and the page is there meanwhile',
  proves('dashboard-results'),
  async () => {
    let attempts = 0;
    await using page = await open(judged, (path) => (path.endsWith('/session') && attempts++ === 0 ? { status: 503 } : 'goes on'));
    await page.waitForSelector('.answer');
    await page.waitForFunction(() =>
      [...document.querySelectorAll('button, a')].some(({ textContent }) => textContent?.trim() === 'Clone and edit'),
    );
    assert.equal(attempts, 2);
  },
);

test('visits that are refused are told, and the page is not busy for ever', proves('dashboard-results'), async () => {
  await using page = await open(`${judged}/visits`, refused('/visits'));
  await page.waitForFunction(() =>
    document.querySelector('.results')?.textContent?.includes('The visits could not be read: Made for this test.'),
  );
  await drawn(page);
  assert.doesNotMatch((await texts(page, '.results')).join(), /No visit has come yet/);
});

test('comparisons that are refused are told, and not taken for none', proves('dashboard-results'), async () => {
  await using page = await open(statistics, refused('/comparisons'));
  await page.waitForFunction(() =>
    /H3-Delta of SpeedIndex could not be read: Made for this test\./.test(document.querySelector('.delta-part')?.textContent ?? ''),
  );
  assert.doesNotMatch((await texts(page, '.delta-part')).join(), /No comparison/);
});

test('a visit keeps its campaign when its link checks are refused, and says what is missing', proves('dashboard-results'), async () => {
  const campaign = await service.makeCampaign({
    name: 'checks refused',
    sites: [{ url: 'https://one.example/' }],
    conditions: [conditions[0] ?? ''],
    rounds: 1,
  });
  await service.perform(campaign, 1, byCondition);
  const { items } = await service.get(`campaigns/${campaign.id}/visits`);
  await using page = await open(`#/visits/${items[0].id}`, refused('/link-checks'));
  await page.waitForSelector('.files a');
  assert.match((await texts(page, '.crumbs')).join(), /checks refused/);
  assert.match((await texts(page, '[role=alert]')).join(), /Its link checks could not be read: Made for this test\./);
});

test('back leads to where the reader was', proves('dashboard-results'), async () => {
  await using page = await open(`${judged}/visits`, goesOn);
  // By what the reader sees: the number of pixels above it changes while charts are still drawn.
  const ninth = '.visits tbody tr:nth-child(9) a[href*="/visits/"]';
  const link = await page.waitForSelector(ninth);
  // The place that is kept is that of a whole page.
  await page.waitForSelector('.dot-picker', { visible: true });
  await link?.evaluate((element) => element.scrollIntoView());
  assert.ok((await page.evaluate(() => scrollY)) > 400, 'the row is not below what a page shows first');
  await link?.evaluate((element) => (element as HTMLElement).click());
  await page.waitForSelector('.files a');
  await page.goBack();
  await page.waitForFunction((row) => Math.abs(document.querySelector(row)?.getBoundingClientRect().y ?? Number.NaN) < 300, {}, ninth);
});
