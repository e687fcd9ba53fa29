import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CampaignResults, CampaignSummary, Page as ListPage, Visit } from '@pronghorn/core';
import type { Browser, Page } from 'puppeteer-core';
import { number, signed } from '../src/text/format.ts';
import { invalidReasons, metricNames, outcomeNames } from '../src/text/vocabulary.ts';
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
/** All of a campaign's page is there: its last part is. */
const shown = (page: Page) => page.waitForSelector('.results .visits tbody tr');

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
let finished: ReturnType<typeof finishedCampaign> | undefined;
/** Measured once for all tests. */
const once = () => {
  finished ??= finishedCampaign();
  return finished;
};

test('the numbers in the table are those of the API, for each metric that is chosen and each column', async () => {
  const { campaign, results } = await once();
  const [group] = results.groups;
  assert.ok(group);
  const cells = (page: Page) =>
    page.$$eval('.summary tr[data-slot] data', (found) =>
      found.map((element) => ({
        metric: element.closest('table')?.dataset.metric,
        slot: Number(element.closest('tr')?.dataset.slot),
        statistic: element.dataset.statistic,
        value: Number(element.value),
        text: element.textContent,
      })),
    );
  const expected = (
    metric: 'onLoad' | 'speedIndex',
    statistics: readonly ('n' | 'median' | 'p5' | 'p75' | 'p90' | 'p99' | 'min' | 'max')[],
  ) =>
    group.slots.toReversed().flatMap(({ slot, metrics }) =>
      statistics.map((statistic) => {
        const value = metrics[metric]?.[statistic] ?? Number.NaN;
        return { metric, slot, statistic, value, text: number(value, statistic === 'n' ? 'count' : metricNames[metric].unit) };
      }),
    );
  await using page = await open(`#/campaigns/${campaign.id}`);
  await shown(page);
  assert.deepEqual(await cells(page), expected('onLoad', ['n', 'median', 'p75', 'p90', 'p99', 'min', 'max']));

  await page.select('[data-choice=metric]', 'speedIndex');
  await page.waitForSelector('.summary[data-metric=speedIndex]');
  await page.$eval('.which', (details) => {
    (details as HTMLDetailsElement).open = true;
  });
  await page.click('.which input[value=p5]');
  await page.click('.which input[value=max]');
  await page.waitForFunction(() => location.hash.includes('p5') && !location.hash.includes('max'));
  assert.deepEqual(await cells(page), expected('speedIndex', ['n', 'min', 'p5', 'median', 'p75', 'p90', 'p99']));

  // The address has all of it: another reader sees the same, and the back button undoes the last step.
  await using other = await open(new URL(page.url()).hash);
  await shown(other);
  assert.deepEqual(await cells(other), await cells(page));
  await page.goBack();
  await page.waitForFunction(() => location.hash.includes('max'));
  assert.deepEqual(await cells(page), expected('speedIndex', ['n', 'min', 'p5', 'median', 'p75', 'p90', 'p99', 'max']));
});

test('a sentence tells the medians and H3-Delta, that forced HTTP/3 is the best case, and that the metrics disagree', async () => {
  const { campaign, results } = await once();
  await using page = await open(`#/campaigns/${campaign.id}`);
  await shown(page);
  const [sentence] = await texts(page, '.sentence[data-metric=onLoad]');
  const delta = results.groups[0]?.h3Delta.onLoad ?? Number.NaN;
  assert.ok(delta < -0.01);
  const [, shownDelta] = sentence?.match(/H3-Delta −(0\.\d\d) \(HTTP\/3 lower\)\.\s*$/) ?? [];
  assert.equal(shownDelta, Math.abs(delta).toFixed(2));
  assert.match(
    sentence?.trim() ?? '',
    /^Median onLoad: HTTP\/3 \d+ ms \(7 visits\), HTTP\/2 \d+ ms \(8 visits\), HTTP\/1\.1 \d+ ms \(8 visits\)\./,
  );
  assert.match((await texts(page, '.best-case')).join(), /best case, not what a first visitor gets/);
  await page.waitForFunction(() => /opposite directions here/.test(document.querySelector('.delta-part .note')?.textContent ?? ''));
  assert.match((await texts(page, '.delta-part .note')).join(), /The metric fixed before this campaign is\s+onLoad/);
  assert.match(
    (await texts(page, '.receive-drops')).join(),
    /In 1 of 7 visits over h3, 12 datagrams crossed the link and were lost in the browser’s full receive buffer/,
  );
  await page.waitForSelector('.coverage');
  assert.equal(
    (await texts(page, '.coverage'))[0],
    'HTTP/3 was forced on 1 of 2 hosts, which serves 50 % of the page’s objects and 25 % of its bytes.',
  );
  const deltas = await page.$$eval('.delta-part [data-value]', (found) => found.map((dot) => Number((dot as HTMLElement).dataset.value)));
  assert.deepEqual(deltas, [results.groups[0]?.h3Delta.onLoad, results.groups[0]?.h3Delta.speedIndex]);
});

test('invalid visits are counted with their reason in words, and no hostile name is more than text', async () => {
  const { campaign } = await once();
  await using page = await open(`#/campaigns/${campaign.id}`);
  await shown(page);
  assert.deepEqual(await texts(page, '.invalid li'), [`HTTP/3: 3 visits, wrong-protocol – ${invalidReasons['wrong-protocol']}`]);
  assert.match((await texts(page, '.reasons')).join(), /3 visits, wrong-protocol/);
  assert.equal((await texts(page, 'h1'))[0], hostile);
  assert.equal(await page.$('main img, main script'), null);
  assert.notEqual(await page.title(), '1');
});

test('every visit is listed, filtered, leads to its own page, and two are put side by side', async () => {
  const { campaign, visits } = await once();
  await using page = await open(`#/campaigns/${campaign.id}`);
  await shown(page);
  const ids = () => page.$$eval('.visits tbody tr', (rows) => rows.map((row) => (row as HTMLElement).dataset.visit));
  assert.equal(visits.length, 26 + 3);
  assert.deepEqual((await ids()).toSorted(), visits.map(({ id }) => id).toSorted());

  await page.select('[data-filter=verdict]', 'invalid');
  await page.waitForFunction(() => document.querySelectorAll('.visits tbody tr').length === 3);
  assert.deepEqual((await ids()).toSorted(), visits.flatMap(({ id, outcome }) => (outcome.verdict === 'invalid' ? [id] : [])).toSorted());
  await page.select('[data-filter=verdict]', 'counted');
  await page.select('[data-filter=protocol]', 'h3');
  await page.waitForFunction(() => document.querySelectorAll('.visits tbody tr').length === 7);
  assert.match(page.url(), /verdict=counted/);

  const [first, second] = await ids();
  for (const id of [first, second]) await page.click(`tr[data-visit="${id}"] input`);
  const beside = await page.waitForSelector('.beside a');
  assert.equal(await beside?.evaluate((link) => link.getAttribute('href')), `#/visits/${first}?with=${second}`);
  assert.equal(await page.$eval('.visits a[download]', (link) => link.href), `${service.url}/api/v1/visits/${first}/har`);
  await page.click('.visits a[href^="#/visits/"]');
  await page.waitForFunction((id) => location.hash === `#/visits/${id}`, {}, first);
});

test('a running campaign names no winner, and is followed until it is done', async () => {
  const campaign = await service.makeCampaign({ sites: [{ url: 'https://running.example/' }], protocols: ['h2', 'h3'], rounds: 3 });
  await service.perform(campaign, 1);
  await using page = await open(`#/campaigns/${campaign.id}?show=result`);
  await shown(page);
  assert.match((await texts(page, '.so-far'))[0] ?? '', /^So far: 1 of 3 rounds done\. No winner is named/);
  assert.deepEqual(await texts(page, '.answer .word'), ['unfinished']);
  await page.$eval('.all-metrics', (details) => {
    (details as HTMLDetailsElement).open = true;
  });
  await page.focus('.all-metrics summary');

  await service.perform(campaign, 2);
  await page.waitForFunction(() => document.querySelectorAll('.visits tbody tr').length === 6);
  await page.waitForFunction(() => document.querySelector('.so-far') === null);
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.summary data[data-statistic=n]')].every(({ textContent }) => textContent === '3'),
  );
  // What was open is open, what had the focus has it.
  assert.ok(await page.$('.all-metrics[open] table'));
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Medians of all metrics');
});

test('many sites are a matrix first, from the summary alone, and one is read when it is chosen', async () => {
  const sites = Array.from({ length: 8 }, (_, i) => ({ url: `https://site-${i}.example/` }));
  const conditions = ['native', 'latency-50'];
  const campaign = await service.makeCampaign({ name: 'eight', sites, conditions, protocols: ['h2', 'h3'], rounds: 2 });
  await service.perform(campaign, 32);
  const summary: CampaignSummary = await service.get(`campaigns/${campaign.id}/summary`);
  await using page = await open(`#/campaigns/${campaign.id}`);
  await shown(page);
  const asked = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
  const cells = await page.$$eval('.matrix a.cell .hidden', (found) =>
    found.map(({ textContent }) => textContent?.replace(/^: /, '') ?? ''),
  );
  assert.equal(cells.length, 16);
  for (const [i, { siteId, condition, view, comparison, h3Delta }] of summary.groups.entries()) {
    const name = campaign.sites.find(({ id }) => id === siteId)?.name;
    const words = `${comparison ? outcomeNames[comparison.outcome] : ''}, H3-Delta ${signed(h3Delta ?? Number.NaN)}`;
    assert.ok(cells.includes(`${name}, ${condition}, ${view}: ${words}`), `${i}: ${name} ${words}`);
  }
  const ofGroups = asked.filter((url) => /\/campaigns\/\d+\/(?:results|visits|distributions)/.test(url));
  assert.ok(ofGroups.length > 0 && ofGroups.every((url) => /siteId=/.test(url)), 'never all groups, never all visits');

  await page.click('.matrix tbody tr:nth-child(3) td:nth-child(3) a');
  await page.waitForFunction(() => /^site-2\.example/.test(document.querySelector('.group h3 small')?.textContent?.trim() ?? ''));
  assert.deepEqual(await texts(page, '.group h3'), ['latency-50 site-2.example, cold view']);
  await page.waitForFunction(() => document.querySelectorAll('.visits tbody tr').length === 4);
  assert.equal(await page.$eval('[data-choice=site]', (select) => (select as HTMLSelectElement).value), campaign.sites[2]?.id);
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

test('many conditions are compared by H3-Delta, with what each does and what its link was measured to do', async () => {
  const { campaign, results } = await campaignOfConditions();
  await using page = await open(`#/campaigns/${campaign.id}`);
  await shown(page);
  assert.deepEqual(await texts(page, '.answer .lines .name strong'), manyConditions);
  assert.deepEqual(
    await texts(page, '.answer .lines .name small'),
    results.conditions.map(({ words }) => words),
  );
  assert.deepEqual(
    await texts(page, '.answer .lines .word'),
    results.groups.map(
      ({ comparisons }) => outcomeNames[comparisons.find(({ confirmatory }) => confirmatory)?.verdict.outcome ?? 'h1-faster'],
    ),
  );
  assert.deepEqual(
    await page.$$eval('.answer .lines data', (found) => found.map(({ value }) => Number(value))),
    results.groups.map(({ h3Delta }) => h3Delta.onLoad),
  );
  await page.waitForFunction(() => document.querySelectorAll('.delta-part [data-value]').length === 28);
  assert.deepEqual(
    await page.$$eval('.delta-part [data-value]', (found) => found.map((dot) => Number((dot as HTMLElement).dataset.value))),
    (['onLoad', 'speedIndex'] as const).flatMap((metric) => results.groups.map(({ h3Delta }) => h3Delta[metric])),
  );

  const links = await page.$$eval('.links tbody tr', (rows) =>
    rows.map((row) => [...row.children].slice(0, 3).map(({ textContent }) => textContent?.replaceAll('\u00a0', ' '))),
  );
  assert.deepEqual(
    links,
    results.conditions.map(({ condition, words, link }) => [
      condition,
      words,
      link?.words ?? (words === 'nothing added' ? 'nothing to check' : 'not measured yet'),
    ]),
  );

  // A row of the chart leads to its group, and to nothing else.
  await page.$$eval('.delta-part a', (rows) => {
    rows
      .find((row) => /condition=poor/.test(row.getAttribute('href') ?? ''))
      ?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
  });
  await page.waitForFunction(() => document.querySelectorAll('.group').length === 1);
  const poor = results.conditions.find(({ condition }) => condition === 'poor');
  assert.match(poor?.link?.words ?? '', /^RTT 50\.6 ms; up 2\.06 % loss, UDP 9\.98 Mbit\/s/);
  assert.equal((await texts(page, '.group .link'))[0]?.trim(), `Link: ${poor?.words}.Measured: ${poor?.link?.words}.`);
});

test('nothing is wider than a phone', async () => {
  const { campaign } = await once();
  const many = await campaignOfConditions();
  for (const hash of [`#/campaigns/${campaign.id}`, `#/campaigns/${many.campaign.id}`]) {
    await using page = await open(hash);
    await page.setViewport({ width: 360, height: 740 });
    await shown(page);
    await page.$$eval('details', (found) => {
      for (const details of found) (details as HTMLDetailsElement).open = true;
    });
    await page.waitForSelector('.all-metrics table');
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360, hash);
  }
});

test('a campaign without visits says what is to come', async () => {
  const campaign = await service.makeCampaign({ sites: [{ url: 'https://waits.example/' }], rounds: 2 });
  await using page = await open(`#/campaigns/${campaign.id}?show=result`);
  await page.waitForSelector('.validity');
  const words = (await texts(page, '.results')).join();
  assert.match(words, /So far: 0 of 2 rounds done/);
  assert.match(words, /No visit has come yet/);
  assert.doesNotMatch(words, /NaN|undefined|null/);
});

test('a service that went away is told, and what was read stays', async () => {
  const gone = await startService();
  const campaign = await gone.makeCampaign({ sites: [{ url: 'https://gone.example/' }], rounds: 2 });
  await gone.perform(campaign, 1);
  const page = await browser.newPage();
  await page.goto(`${gone.url}/#/campaigns/${campaign.id}?show=result`);
  await shown(page);
  await gone[Symbol.asyncDispose]();
  await page.waitForSelector('.trouble');
  assert.match((await texts(page, '.trouble'))[0] ?? '', /(?:does not answer|answered 503.*)\. What is shown may be old; trying again\./);
  assert.ok(await page.$('.visits tbody tr'));
  await page.close();
});
