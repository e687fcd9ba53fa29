import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CampaignResults, Har, Page as ListPage, Visit } from '@pronghorn/core';
import type { Browser, Page } from 'puppeteer-core';
import { number } from '../public/text/format.js';
import { invalidReasons, metricNames, outcomeNames } from '../public/text/vocabulary.js';
import { invalid, madeMetrics } from './made-visits.ts';
import { launchBrowser, openPage, texts } from './pages.ts';
import { type Outcomes, type Service, startService } from './service.ts';

const hostile = '<img src=x onerror="document.title=1">Läden</script>';
/** After a round that was lost after its visits: round 3 needs a second try over h3, which never succeeds in round 4. */
const someInvalid: Outcomes = (protocol, roundNumber, random) => {
  const wrong = invalid('wrong-protocol', 'The document came over h2, asked for h3. <b>');
  if (protocol === 'h3' && roundNumber === 4) return [wrong, wrong];
  const valid = { verdict: 'valid', metrics: madeMetrics(protocol, random) } as const;
  return protocol === 'h3' && roundNumber === 3 ? [wrong, valid] : [valid];
};

let service: Service;
let browser: Browser;
before(async () => {
  service = await startService();
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
});

const open = (hash: string, complaints?: string[]) => openPage(browser, `${service.url}/${hash}`, complaints);

async function finishedCampaign() {
  const campaign = await service.makeCampaign({
    name: hostile,
    sites: [{ url: 'https://shop.example/?q=<script>alert(1)</script>', name: hostile }],
    rounds: 8,
    seed: 5,
  });
  await service.discover(campaign);
  await service.loseRound(campaign);
  await service.perform(campaign, 8, someInvalid);
  const results: CampaignResults = await service.get(`campaigns/${campaign.id}/results`);
  const visits: ListPage<Visit> = await service.get(`campaigns/${campaign.id}/visits?limit=1000`);
  return { campaign, results, visits: visits.items };
}

test('the numbers on a campaign’s page are those of the API', async () => {
  const { campaign, results, visits } = await finishedCampaign();
  await using page = await open(`#/campaigns/${campaign.id}`);
  await page.waitForSelector('.dot-strip');

  const shown = await page.$$eval('.summary tr[data-slot] data', (found) =>
    found.map((element) => ({
      metric: element.closest('table')?.dataset.metric,
      slot: Number(element.closest('tr')?.dataset.slot),
      statistic: element.dataset.statistic,
      value: Number(element.value),
      text: element.textContent,
    })),
  );
  const [group] = results.groups;
  assert.ok(group);
  const expected = (['onLoad', 'speedIndex'] as const).flatMap((metric) =>
    group.slots.toReversed().flatMap(({ slot, metrics }) =>
      (['n', 'median', 'p75', 'p90', 'p99', 'min', 'max'] as const).map((statistic) => {
        const value = metrics[metric]?.[statistic] ?? Number.NaN;
        return { metric, slot, statistic, value, text: number(value, statistic === 'n' ? 'count' : metricNames[metric].unit) };
      }),
    ),
  );
  assert.deepEqual(shown, expected);

  const counted = visits.filter((visit) => visit.counted).length;
  assert.equal((await texts(page, '.dot-strip .dot')).length, 2 * counted);
  assert.equal(counted, 23);
});

test('a sentence tells the medians and H3-Delta, and that forced HTTP/3 is the best case', async () => {
  const { campaign, results } = await finishedCampaign();
  await using page = await open(`#/campaigns/${campaign.id}`);
  await page.waitForSelector('.dot-strip');
  const [sentence] = await texts(page, '.sentence[data-metric=onLoad]');
  const delta = results.groups[0]?.h3Delta.onLoad ?? Number.NaN;
  assert.ok(delta < -0.01);
  const [, shownDelta] = sentence?.match(/H3-Delta −(0\.\d\d) \(HTTP\/3 lower\)\.$/) ?? [];
  assert.equal(shownDelta, Math.abs(delta).toFixed(2));
  assert.match(
    sentence ?? '',
    /^Median onLoad: HTTP\/3 \d+ ms \(7 visits\), HTTP\/2 \d+ ms \(8 visits\), HTTP\/1\.1 \d+ ms \(8 visits\)\./,
  );
  const notes = (await texts(page, '.note')).join();
  assert.match(notes, /best case, not what a first visitor gets.*opposite directions/);
  assert.match(notes, /In 1 of 7 visits over h3, 12 datagrams crossed the link and were lost in the browser’s full receive buffer/);
  assert.equal(
    (await texts(page, '.group .calm'))[0],
    'HTTP/3 was forced on 1 of 2 hosts, which serves 50 % of the page’s objects and 25 % of its bytes.',
  );
});

test('invalid visits are counted with their reason in words, and no hostile name is more than text', async () => {
  const { campaign } = await finishedCampaign();
  await using page = await open(`#/campaigns/${campaign.id}`);
  await page.waitForSelector('.invalid');
  assert.deepEqual(await texts(page, '.invalid li'), [`HTTP/3: 3 visits, wrong-protocol – ${invalidReasons['wrong-protocol']}`]);
  assert.equal((await texts(page, 'h1'))[0], hostile);
  assert.equal(await page.title(), `${hostile} – Pronghorn`);
  assert.equal(await page.$('main img, main script'), null);
});

test('every visit leads to its resources and to an HTTP Archive of them', async () => {
  const { campaign } = await finishedCampaign();
  await using page = await open(`#/campaigns/${campaign.id}`);
  await (await page.waitForSelector('details[data-key^="visits"] summary'))?.press('Enter');
  await page.waitForSelector('.visits tbody tr');
  assert.equal((await texts(page, '.visits tbody tr')).length, 26 + 3);

  const har = await page.$eval('.visits a[download]', (link) => link.href);
  await page.click('.visits a[href^="#/visits/"]');
  await page.waitForSelector('.waterfall tbody tr');
  assert.equal(await page.$eval('main a[download]', (link) => link.href), har);
  const { log }: Har = await (await fetch(har)).json();
  const rows = await page.$$eval('.waterfall tbody tr', (found) => found.map((row) => row.querySelector('th')?.title));
  assert.deepEqual(
    rows,
    log.entries.map((entry) => entry.request.url),
  );
  assert.match((await texts(page, '.failed .status'))[0] ?? '', /ERR_CONNECTION_REFUSED/);
  assert.match((await texts(page, 'main')).join(), /Refused by the egress policy\s*10\.0\.0\.1 \(tcp 80\)/);
});

test('a running campaign is followed until it is done, and not asked for after that', async () => {
  const campaign = await service.makeCampaign({ sites: [{ url: 'https://running.example/' }], protocols: ['h2', 'h3'], rounds: 3 });
  await service.perform(campaign, 1);
  await using page = await open(`#/campaigns/${campaign.id}`);
  await page.waitForSelector('.state-running');
  assert.match((await texts(page, '.live'))[0] ?? '', /1 of 3 rounds2 valid visits, 0 invalid/);
  await page.$eval('details[data-key^="visits"]', (details) => {
    details.open = true;
  });
  await page.focus('details[data-key^="visits"] summary');

  await service.perform(campaign, 2);
  await page.waitForSelector('.state-done');
  await page.waitForFunction(() => document.querySelectorAll('.visits tbody tr').length === 6);
  assert.deepEqual(await texts(page, '.summary[data-metric=onLoad] data[data-statistic=n]'), ['3', '3']);
  // What was open is open after drawing again, what had the focus has it.
  await page.waitForFunction(() => document.activeElement?.textContent === 'Visits (6)');

  assert.equal(await pollsAhead(page), 0);
});

test('a hidden page asks for nothing, and catches up when it is seen again', async () => {
  const campaign = await service.makeCampaign({ sites: [{ url: 'https://hidden.example/' }], protocols: ['h2', 'h3'], rounds: 2 });
  await service.perform(campaign, 1);
  await using page = await open(`#/campaigns/${campaign.id}`);
  await page.waitForSelector('.state-running');
  await page.waitForFunction(() => Reflect.get(window, 'pollTimers').size === 1);
  await setHidden(page, true);
  const requests = watchRequests(page);
  await service.perform(campaign, 1);
  await page.waitForFunction(() => Reflect.get(window, 'pollTimers').size === 0);
  assert.deepEqual(requests, []);
  await setHidden(page, false);
  await page.waitForSelector('.state-done');
});

test('many sites start with an overview, and one is shown when it is chosen', async () => {
  const sites = Array.from({ length: 8 }, (_, i) => ({ url: `https://site-${i}.example/` }));
  const campaign = await service.makeCampaign({ name: 'eight', sites, protocols: ['h2', 'h3'], rounds: 2 });
  await service.perform(campaign, 16);
  await using page = await open('');
  await (await page.waitForSelector('::-p-text(eight)'))?.click();
  await page.waitForSelector('.overview');
  assert.equal((await texts(page, '.overview tbody tr')).length, 8);
  assert.equal(await page.$('.group'), null);
  await page.click('.overview tbody tr:nth-child(3) a');
  await page.waitForSelector('.group .dot-strip');
  assert.match((await texts(page, '.group h2'))[0] ?? '', /^site-2\.example/);
  assert.equal((await texts(page, '.group .dot')).length, 2 * 2 * 2);
});

/** As on a link with delay: HTTP/3 gains where there is loss, and loses under delay alone. */
const byCondition: Outcomes = (protocol, _roundNumber, random, condition) => {
  const metrics = madeMetrics(protocol, random);
  const factor = protocol !== 'h3' ? 1 : condition.startsWith('latency') ? 1.3 : condition === 'poor' ? 0.8 : 1.1;
  const valid = { ...metrics, onLoad: metrics.onLoad * factor * (condition === 'native' ? 1 : 4) };
  return [{ verdict: 'valid', metrics: valid }];
};
const manyConditions =
  'native latency-50 latency-100 latency-200 loss-1 loss-2 loss-5 bandwidth-5 bandwidth-2 bandwidth-1 medium poor mobile-poor 3g'.split(
    ' ',
  );

async function campaignOfConditions() {
  const campaign = await service.makeCampaign({
    name: 'fourteen conditions',
    sites: [{ url: 'https://shop.example/', name: 'shop' }],
    conditions: manyConditions,
    rounds: 3,
    seed: 5,
  });
  await service.perform(campaign, 3 * manyConditions.length, byCondition);
  return { campaign, results: (await service.get(`campaigns/${campaign.id}/results`)) as CampaignResults };
}

test('many conditions are compared in one table, H3-Delta by condition, with what each does', async () => {
  const { campaign, results } = await campaignOfConditions();
  await using page = await open(`#/campaigns/${campaign.id}`);
  await page.waitForSelector('.overview');
  assert.deepEqual(await texts(page, '.overview tbody th a'), manyConditions);
  assert.deepEqual(await texts(page, '.overview thead th'), [
    ...['condition', 'verdict on onLoad', 'HTTP/3', 'HTTP/2', 'HTTP/1.1', 'H3-Delta of onLoad', 'H3-Delta of SpeedIndex', 'invalid'],
  ]);
  const shown = await page.$$eval('.overview data[data-metric=onLoad]', (found) => found.map(({ value }) => Number(value)));
  assert.deepEqual(
    shown,
    results.groups.map(({ h3Delta }) => h3Delta.onLoad),
  );
  assert.deepEqual(
    await texts(page, '.overview tbody small'),
    results.conditions.map(({ words }) => words),
  );
  assert.deepEqual(
    await texts(page, '.overview .outcome .word'),
    results.groups.map(
      ({ comparisons }) => outcomeNames[comparisons.find(({ confirmatory }) => confirmatory)?.verdict.outcome ?? 'h1-faster'],
    ),
  );
  const sides = await page.$$eval('.overview tr', (rows) =>
    rows.flatMap((row) => {
      const [bar, data] = [row.querySelector('.delta-bar rect'), row.querySelector('data')];
      return bar && data ? [[Number(data.value) < 0, bar.classList.contains('protocol-h3')]] : [];
    }),
  );
  assert.ok(sides.length === manyConditions.length && sides.every(([isLower, isH3]) => isLower === isH3));
});

test('what each link did is told in the API’s words, in a table and above its group', async () => {
  const { campaign, results } = await campaignOfConditions();
  const poor = results.conditions.find(({ condition }) => condition === 'poor');
  assert.match(poor?.link?.words ?? '', /^RTT 50\.6 ms; up 2\.06 % loss, UDP 9\.98 Mbit\/s/);
  await using page = await open(`#/campaigns/${campaign.id}`);
  await (await page.waitForSelector('details[data-key=links] summary'))?.click();
  assert.deepEqual(
    await page.$$eval('.links tbody tr', (rows) =>
      rows.map((row) => [...row.children].map(({ textContent }) => textContent?.replaceAll('\u00a0', ' '))),
    ),
    results.conditions.map(({ condition, words, link }) => [condition, words, link?.words ?? 'not measured yet']),
  );
  await page.click('.overview ::-p-text(poor)');
  await page.waitForSelector('.group .dot-strip');
  assert.equal((await texts(page, '.group .link'))[0], `Link: ${poor?.words}.Measured: ${poor?.link?.words}.`);
  assert.equal((await texts(page, '.group .dot')).length, 2 * 3 * 3);
});

test('nothing is wider than a phone', async () => {
  const { campaign, visits } = await finishedCampaign();
  const many = await campaignOfConditions();
  for (const hash of ['', `#/campaigns/${campaign.id}`, `#/campaigns/${many.campaign.id}`, `#/visits/${visits[0]?.id}`]) {
    await using page = await open(hash);
    await page.setViewport({ width: 360, height: 740 });
    await page.waitForSelector('tbody tr');
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360, hash);
  }
});

test('an unknown campaign is told in the API’s words', async () => {
  const complaints: string[] = [];
  await using page = await open('#/campaigns/999', complaints);
  await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'Not found');
  assert.match((await texts(page, 'main p')).join(), /There is no campaign 999\./);
  // Chrome writes the 404 itself.
  assert.equal(complaints.splice(0).length, 1);
});

test('a service that went away is told, and what was read stays', async () => {
  const gone = await startService();
  const campaign = await gone.makeCampaign({ sites: [{ url: 'https://gone.example/' }], rounds: 2 });
  await gone.perform(campaign, 1);
  const page = await browser.newPage();
  await page.goto(`${gone.url}/#/campaigns/${campaign.id}`);
  await page.waitForSelector('.dot-strip');
  await gone[Symbol.asyncDispose]();
  await page.waitForSelector('.trouble:not([hidden])');
  assert.match((await texts(page, '.trouble'))[0] ?? '', /does not answer\. What is shown may be old; trying again\./);
  assert.ok(await page.$('.dot-strip'));
  await page.close();
});

/** Requests to the API from now on. */
function watchRequests(page: Page): string[] {
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url()));
  return urls;
}

/** How many times the page means to ask again: its timers of a second and longer. */
const pollsAhead = (page: Page) => page.evaluate(() => Reflect.get(window, 'pollTimers').size);

/** As when the reader looks at another tab. */
function setHidden(page: Page, hidden: boolean): Promise<void> {
  return page.evaluate((isHidden) => {
    Object.defineProperty(document, 'hidden', { value: isHidden, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);
}
