// Two campaigns compared, in a real Chrome: the numbers are the API's.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Campaign, CampaignComparisonPage } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { changeAnswer } from '@pronghorn/core/text';
import type { Outcomes } from './made-rounds.ts';
import { madeMetrics } from './made-visits.ts';
import { texts } from './pages.ts';
import { fill, has, isAt, press, says, saysAll } from './reader.ts';
import type { Service } from './service.ts';
import { setStage } from './stage.ts';

const { service, open } = await setStage();
let [earlier, later, elsewhere, wide, wider]: Campaign[] = [];

/** HTTP/3 takes so much of its time. */
const h3Takes =
  (factor: number): Outcomes =>
  (protocol, _round, random) => {
    const metrics = madeMetrics(protocol, random);
    return [{ verdict: 'valid', metrics: { ...metrics, onLoad: metrics.onLoad * (protocol === 'h3' ? factor : 1) } }];
  };

describe('two campaigns compared', proves('dashboard-sites'), () => {
  before(async () => {
    const sites = [{ url: 'https://93.184.216.34/', name: 'shop' }];
    const made = async (given: Partial<Parameters<Service['makeCampaign']>[0]>, outcomes: Outcomes) => {
      const campaign = await service.makeCampaign({ sites, protocols: ['h2', 'h3'], rounds: 10, ...given });
      await service.perform(campaign, Number.POSITIVE_INFINITY, outcomes);
      return campaign;
    };
    earlier = await made({ name: 'before', conditions: ['native', 'latency-100'] }, h3Takes(1));
    later = await made({ name: 'after', conditions: ['native', '4g'], browser: 'headless-shell' }, h3Takes(0.7));
    elsewhere = await made({ name: 'another site', sites: [{ url: 'https://93.184.216.35/' }], rounds: 1 }, h3Takes(1));
    const page = [{ url: 'https://93.184.216.36/', name: 'wide' }];
    const conditions = Array.from({ length: 22 }, (_, i) => ({ name: `delay-${i + 1}`, up: { delayMs: i + 1 }, down: { delayMs: i + 1 } }));
    wide = await made({ name: 'many conditions', sites: page, conditions, rounds: 1 }, h3Takes(1));
    wider = await made({ name: 'many conditions again', sites: page, conditions, rounds: 1 }, h3Takes(1));
  });

  const address = (query: string) => `#/compare?${query}`;
  const both = () => `a=${earlier?.id}&b=${later?.id}`;

  test('the answer comes first, then setup in one line, then a plot of the API’s numbers, in its words and on one axis', async () => {
    const comparison: CampaignComparisonPage = await service.get(`campaigns/${later?.id}/compare/${earlier?.id}`);
    await using page = await open(address(both()));
    await saysAll(page, '.answer', [changeAnswer(comparison)]);
    await page.waitForSelector('.change-plot svg .full');
    assert.match(changeAnswer(comparison), /^B’s onLoad is \d+ % faster over HTTP\/3, by \d+ ms; no clear difference over HTTP\/2\.$/);
    assert.match((await texts(page, '.differences summary'))[0] ?? '', /Different browser.*: this alone may explain the numbers/);
    const isFolded = await page.$eval('.differences', (details) => !(details as HTMLDetailsElement).open);
    assert.ok(isFolded);
    assert.deepEqual(
      await page.$$eval('[data-difference]', (elements) => elements.map((one) => one.getAttribute('data-difference'))),
      comparison.differences.map(({ what }) => what),
    );
    assert.match((await texts(page, '[data-difference=browser]'))[0] ?? '', /A chrome.*B headless-shell.*less time than full Chrome/s);
    const changes = comparison.cells.flatMap(({ protocols }) => protocols);
    assert.deepEqual(
      changes.map(({ protocol, outcome }) => [protocol, outcome]),
      [
        ['h2', 'undecided'],
        ['h3', 'lower'],
      ],
    );
    assert.deepEqual(await texts(page, '.change-plot tbody .change'), ['? unclear', '↓ faster']);
    assert.deepEqual(
      await texts(page, '.change-plot details p'),
      changes.map(({ words }) => words),
    );
    assert.deepEqual(
      await texts(page, '.change-plot td.median'),
      changes.flatMap(({ baseline, campaign }) => [baseline, campaign].map((side) => `${Math.round(side?.median ?? 0)} ms`)),
    );
    const difference = changes[1]?.difference?.value ?? 0;
    assert.match((await texts(page, '.difference.clear'))[0] ?? '', new RegExp(`^−${Math.round(-difference)} ms \\(−\\d+ %\\)$`));
    assert.match(
      (await texts(page, '.leads tbody tr'))[0] ?? '',
      /median [\d.]+ % lower(, unclear)?HTTP\/3’s median \d+ % lower.*HTTP\/3 gained/s,
    );
    // Who is faster in one campaign is its own result’s to say.
    assert.doesNotMatch((await texts(page, '.leads tbody tr'))[0] ?? '', /faster|winner/);
    assert.deepEqual(
      await page.$$eval('.leads > p a', (links) => links.map((link) => link.getAttribute('href'))),
      [earlier, later].map((campaign) => `#/campaigns/${campaign?.id}`),
    );

    // Marks stand where the medians are, A hollow and B full.
    const places = (kind: string) =>
      page.$$eval(`td.track .${kind}`, (marks) =>
        marks.map((mark) => {
          const { left, width } = mark.getBoundingClientRect();
          return left + width / 2;
        }),
      );
    const [a, b] = [await places('hollow'), await places('full')];
    const medians = [...changes.map(({ baseline }) => baseline?.median ?? 0), ...changes.map(({ campaign }) => campaign?.median ?? 0)];
    const xs = [...a, ...b];
    const [low, high] = [Math.min(...medians), Math.max(...medians)];
    const [start, end] = [xs[medians.indexOf(low)] ?? 0, xs[medians.indexOf(high)] ?? 0];
    assert.ok(end - start > 50, `${start} to ${end}`);
    for (const [at, median] of medians.entries()) {
      const wanted = start + ((median - low) / (high - low)) * (end - start);
      assert.ok(Math.abs((xs[at] ?? 0) - wanted) < 1.5, `${median} at ${xs[at]}, not ${wanted}`);
    }

    // Metric and what is shown are in the address, and the back button undoes them.
    await page.select('.metric-choice select', 'speedIndex');
    await says(page, '.answer', 'SpeedIndex');
    await isAt(page, /metric=speedIndex/);
    await page.goBack();
    await says(page, '.answer', 'onLoad');
    await page.select('.change-plot select', 'clear');
    await has(page, '.change-plot tbody [data-outcome]', 1);
    await isAt(page, /only=clear/);

    // On a phone each row has its difference in sight.
    await page.setViewport({ width: 390, height: 800 });
    await page.waitForFunction(() => {
      const ends = [...document.querySelectorAll('.change-plot :is(td, summary)')].map((element) => element.getBoundingClientRect().right);
      return ends.length > 0 && Math.max(...ends) <= 390;
    });
  });

  test('opened from a campaign, it is B, and A is the last one before it; without one, it offers the newest pairs', async () => {
    await using page = await open('#/gates');
    await page.waitForSelector('h1');
    await page.evaluate((hash) => location.assign(hash), `#/compare?b=${later?.id}`);
    await isAt(page, new RegExp(`^#/compare\\?b=${later?.id}&a=${earlier?.id}$`));
    await page.waitForSelector('.answer');
    await page.goBack();
    await isAt(page, /^#\/gates$/);
    await page.goto(`${service.url}/${address(`b=${earlier?.id}`)}`);
    await says(page, '.begin', 'No earlier campaign measured these pages');

    await page.goto(`${service.url}/#/compare`);
    await has(page, '.pairs li', 2);
    assert.deepEqual(await page.$$eval('.pairs a', (links) => links.map((link) => link.getAttribute('href'))), [
      `#/compare?a=${wide?.id}&b=${wider?.id}`,
      `#/compare?a=${earlier?.id}&b=${later?.id}`,
    ]);
    assert.match((await texts(page, '.pairs li'))[1] ?? '', new RegExp(`after.*#${earlier?.id}, .*→ #${later?.id}, .*different setup`));
    await press(page, '.pairs a');
    await page.waitForSelector('.answer');
  });

  test('campaigns are chosen with those of the same pages first, by search or number, and swapped', async () => {
    await using page = await open(address(`a=${earlier?.id}`));
    await says(page, '.begin', 'Choose B');
    await press(page, '.campaign-picker:nth-of-type(2) summary');
    await has(page, '.panel ul', 2);
    const offered = () =>
      page.$$eval('.panel ul', (lists) =>
        lists.map((list) => [list.getAttribute('aria-label'), ...[...list.querySelectorAll('b')].map((name) => name.textContent)]),
      );
    assert.deepEqual(await offered(), [
      ['Same pages', 'after'],
      ['Other campaigns', 'many conditions again', 'many conditions', 'another site'],
    ]);
    assert.match((await texts(page, '.option small'))[0] ?? '', new RegExp(`^#${later?.id} · \\d+ \\w+ \\d{4}, \\d\\d:\\d\\d:\\d\\d$`));
    await fill(page, '.panel input', 'no such thing');
    await says(page, '.panel', 'No such campaign');
    await fill(page, '.panel input', `#${later?.id}`);
    await page.waitForSelector('.panel ul[aria-label="This number"] .option');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.answer');
    await press(page, '.swap');
    await isAt(page, new RegExp(`[?&]a=${later?.id}(&|$)`));
    await page.waitForSelector('.change-plot [data-outcome=higher]');
  });

  test('of many places the first are shown, more on demand, the answer is of all, and what is old is marked', async () => {
    await using page = await open(address(`a=${wide?.id}&b=${wider?.id}`));
    const shows = (count: number) => has(page, '.change-plot tbody .cell-name', count);
    await saysAll(page, '.answer', ['No clear difference in onLoad.']);
    await shows(20);
    await says(page, '.too-few', 'among 44 comparisons');
    await says(page, '.more button', '40 of 44 shown');
    await press(page, '.more button');
    await shows(22);
    await has(page, '.more', 0);
    await page.select('.choices label:last-child select', 'delay-22');
    await shows(1);
    // What the two did not both measure is no reason to show nothing.
    await page.goto(`${service.url}/${address(`a=${wide?.id}&b=${wider?.id}&condition=gone`)}`);
    await shows(20);

    // Until the answer to another choice is there, what is shown is marked as the one before.
    await page.waitForSelector('.more button');
    const [isAsked, mayAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.setRequestInterception(true);
    page.on('request', async (request) => {
      if (request.url().includes('/compare/')) {
        isAsked.resolve();
        await mayAnswer.promise;
      }
      await request.continue();
    });
    await page.select('.change-plot select', 'clear');
    await isAsked.promise;
    await page.waitForSelector('[aria-busy=true].is-old .change-plot');
    await saysAll(page, '.more button[disabled]', ['Reading…']);
    await shows(20);
    mayAnswer.resolve();
    await says(page, '[aria-busy=false]:not(.is-old) .change-plot .empty', 'No difference is clear');
  });

  test('campaigns that share nothing, or are one, say what to do; a campaign leads to its comparison with the one before it', async () => {
    await using page = await open(address(`a=${elsewhere?.id}&b=${later?.id}`));
    await says(page, 'main', 'they share no site, condition, view and protocol');
    await saysAll(page, '.answer', ['Nothing was measured in both campaigns.']);
    await page.goto(`${service.url}/${address(`a=${later?.id}&b=${later?.id}`)}`);
    await says(page, '.begin', 'choose another one');

    const sites = [{ url: 'https://93.184.216.34/', name: 'shop' }];
    const again = await service.makeCampaign({ name: 'again', sites, protocols: ['h2', 'h3'], rounds: 1, conditions: ['4g', 'native'] });
    await page.goto(`${service.url}/#/campaigns/${again.id}`);
    await press(page, 'a::-p-text(Compare with last)');
    await page.waitForFunction(
      (wanted) => Object.entries(wanted).every(([name, id]) => new URLSearchParams(location.hash.split('?')[1]).get(name) === id),
      {},
      { a: earlier?.id, b: again.id },
    );
  });
});
