// A site's page: its newest result and its metrics from campaign to campaign, in a real Chrome. The numbers are the API's.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { SiteStatus, SiteTrends } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import type { Outcomes } from './made-rounds.ts';
import { invalid, madeMetrics } from './made-visits.ts';
import { texts } from './pages.ts';
import { fill, has, isAt, press, says, saysAll } from './reader.ts';
import { setStage } from './stage.ts';

const dayMs = 86_400_000;
const clock = { now: Date.parse('2026-03-01T12:00:00Z') };
const { service, open } = await setStage({ kind: 'open' }, { now: () => clock.now });
/** As many as a test for a trend needs. */
const nights = 10;

/** A little slower from night to night; HTTP/3 much slower in the last two. */
const ofNight =
  (night: number): Outcomes =>
  (protocol, _round, random) => {
    const metrics = madeMetrics(protocol, random);
    const factor = (1 + night / 100) * (protocol === 'h3' && night >= nights - 2 ? 1.5 : 1);
    return [{ verdict: 'valid', metrics: { ...metrics, onLoad: metrics.onLoad * factor } }];
  };

describe('the page of a site', proves('dashboard-sites'), () => {
  before(async () => {
    for (let night = 0; night < nights; night++) {
      const annotations = { commit: `c0ffee${night}`, branch: night % 2 === 0 ? 'main' : 'fix', buildUrl: `https://ci.example/${night}` };
      const campaign = await service.makeCampaign({
        ...{
          name: `night ${night}`,
          sites: [{ url: 'https://93.184.216.34/', name: 'shop' }],
          protocols: ['h2', 'h3'],
          rounds: 6,
          annotations,
        },
      });
      await service.perform(campaign, Number.POSITIVE_INFINITY, ofNight(night));
      clock.now += dayMs;
    }
    await service.makeCampaign({ sites: [{ url: 'https://93.184.216.35/', name: 'never measured' }], rounds: 1 });
  });

  const trends = (query = ''): Promise<SiteTrends> => service.get(`sites/1/trends?${query}`);
  const address = (query = '') => `#/sites/1${query}`;

  test('each condition has its newest result, in sight on a phone too, and tags lead to the sites that have them', async () => {
    const { now }: SiteStatus = await service.get('sites/1/status');
    const { h2, h3 } = now?.medians ?? {};
    await using page = await open(address());
    await page.waitForSelector('.cells td');
    await saysAll(page, 'h1', ['shop']);
    const [line = []] = await page.$$eval('.cells tbody tr', (rows) =>
      rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent?.trim() ?? '')),
    );
    assert.deepEqual([line[0], line[2], line[3]], ['native', `${Math.round(h2 ?? 0)} ms`, `${Math.round(h3 ?? 0)} ms`]);

    await press(page, 'button::-p-text(Add tags)');
    await fill(page, 'dialog[open] input', 'Check out, team-b');
    await page.keyboard.press('Enter');
    await has(page, '.about .chip', 2);
    assert.deepEqual((await service.get('sites/1/tags')).tags, ['check-out', 'team-b']);

    await page.waitForSelector('.campaign-lines td');
    await page.setViewport({ width: 390, height: 800 });
    await page.waitForFunction(() => {
      const ends = [...document.querySelectorAll('.cells td, .campaign-lines td')].map((element) => element.getBoundingClientRect().right);
      return Math.max(...ends) <= 390;
    });

    await press(page, '.about a::-p-text(team-b)');
    await saysAll(page, '.sites .name > a:first-child', ['shop']);
    await isAt(page, /^#\/\?tag=team-b$/);
  });

  test('a site has its medians with intervals, commits, tests and H3-Delta of the API; its newest campaign is measured again by a click', async () => {
    const { series, deltas } = await trends();
    await using page = await open(address());
    await page.waitForSelector('[data-figure="delta"]');
    await press(page, '[data-figure="metric"] .chart-tools button[aria-pressed]');
    await has(page, '[data-figure="metric"] tbody tr', 2 * nights);
    const cells = await page.$$eval('[data-figure="metric"] tbody tr', (rows) =>
      rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)),
    );
    for (const { points } of series) {
      for (const { median, interval, annotations } of points) {
        const wanted = [median ?? 0, interval?.low ?? 0, interval?.high ?? 0].map((value) => String(Math.round(value)));
        assert.ok(
          cells.some((row) => wanted.every((text) => row.includes(text)) && row.includes(annotations.commit ?? '')),
          wanted.join(),
        );
      }
    }
    await press(page, '[data-figure="delta"] .chart-tools button[aria-pressed]');
    await page.waitForSelector('[data-figure="delta"] tbody tr');
    const drawnDeltas = await page.$$eval('[data-figure="delta"] tbody tr', (rows) =>
      rows.map((row) => [...row.querySelectorAll('td')].slice(3, 6).map((cell) => Number(cell.textContent?.replace('−', '-')))),
    );
    assert.deepEqual(
      drawnDeltas,
      deltas[0]?.points.map(({ delta, interval }) =>
        [delta, interval?.low ?? Number.NaN, interval?.high ?? Number.NaN].map((value) => Number(value.toFixed(2)) + 0),
      ),
    );
    const tests = (await texts(page, '.tests'))[0] ?? '';
    for (const { trend } of series) assert.ok(tests.includes(trend?.words ?? 'none'), tests);
    const [newest = ''] = await texts(page, '.campaign-lines tbody tr');
    assert.match(newest, /campaign 10.*c0ffee9.*fix.*build.*with the one before/s);
    assert.equal(await page.$eval('.campaign-lines a[rel]', (link) => (link as HTMLAnchorElement).href), 'https://ci.example/9');
    // It is compared with the one before it, and opened, from the trend.
    assert.equal(await page.$eval('.campaign-lines td:last-child a', (link) => link.getAttribute('href')), '#/compare?a=9&b=10');
    assert.equal(await page.$eval('.campaign-lines a', (link) => link.getAttribute('href')), '#/campaigns/10');

    await press(page, 'button::-p-text(Measure again)');
    await isAt(page, /^#\/campaigns\/\d+$/);
    const { spec } = await service.get(`campaigns/${page.url().split('/').at(-1)}`);
    assert.deepEqual([spec.rounds, spec.protocols], [6, ['h2', 'h3']]);
  });

  test('days, branch and protocols are in the address and narrow what is shown', async () => {
    await using page = await open(address('?since=2026-03-03&branch=main&protocols=h3'));
    const { series } = await trends(`branch=main&protocol=h3&since=${new Date(2026, 2, 3).toISOString()}`);
    const shown = series[0]?.points.length ?? 0;
    assert.ok(shown > 1 && shown < nights / 2);
    await has(page, '.campaign-lines tbody tr', shown);
    const typed = async (text: string) => {
      await fill(page, 'input[name=since]', text);
      await page.keyboard.press('Enter');
    };
    await typed('yesterday');
    await page.waitForSelector('input[name=since][aria-invalid=true]');
    assert.match(page.url(), /since=2026-03-03/, 'what is no day changes nothing');
    await typed('7 mar 2026');
    await isAt(page, /since=2026-03-07/);
    await page.waitForFunction(() => document.querySelector<HTMLInputElement>('input[name=since]')?.value === '7 Mar 2026');
    await page.goto(`${service.url}/${address('?since=2030-01-01')}`);
    await says(page, '.empty', 'Choose other days');
  });

  test('where no load succeeded there is no number and no point, but these words', async () => {
    const lost = {
      name: 'mistyped',
      sites: [{ url: 'https://93.184.216.36/shpo', name: 'mistyped' }],
      protocols: ['h2' as const, 'h3' as const],
      rounds: 1,
    };
    const campaign = await service.makeCampaign(lost);
    await service.perform(campaign, Number.POSITIVE_INFINITY, () => [invalid('dns-error', 'net::ERR_NAME_NOT_RESOLVED')]);
    await using page = await open(`#/sites/${campaign.sites[0]?.id}`);
    await saysAll(page, '.campaign-lines td.right[data-name^=HTTP]', ['no load succeeded', 'no load succeeded']);
    await saysAll(page, '[data-figure=metric] .empty', ['No campaign has a median: loads failed.']);
    assert.doesNotMatch((await texts(page, 'main')).join(), /60,000|\b0 ms/);
  });
});
