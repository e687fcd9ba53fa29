// Campaigns of REST calls: real ones by the real client, while they run and afterwards; and made ones for what goes wrong.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type {
  Campaign,
  CampaignResults,
  CellResults,
  Page as Listed,
  SingleVisit,
  TransactionMetrics,
  Visit,
} from '@pronghorn/core/schemas';
import type { Browser, Page } from 'puppeteer-core';
import { quantity } from '../src/text/format.ts';
import { drawn } from './every-page.ts';
import { launchBrowser, openPage, texts } from './pages.ts';
import { type RealService, startRealService } from './real-service.ts';

let service: RealService;
let browser: Browser;
before(async () => {
  [service, browser] = await Promise.all([startRealService({ calls: true }), launchBrowser()]);
});
after(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
});

async function ask<Answer>(path: string, body?: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(
    `${service.url}/api/v1/${path}`,
    body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) },
  );
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json() as Promise<Answer>;
}
const metricsOf = ({ outcome }: Pick<Visit, 'outcome'>) => {
  assert.equal(outcome.verdict, 'valid', JSON.stringify(outcome));
  return (outcome as { metrics: TransactionMetrics }).metrics;
};
const open = (hash: string) => openPage(browser, `${service.url}/${hash}`);
/** The cells of a table's column, from the top. */
const column = (page: Page, within: string, name: string) => texts(page, `${within} td[data-column="${name}"]`);

test('a campaign of runs is followed live, and its results, rates and costs are the API’s', { timeout: 180_000 }, async () => {
  const campaign = await ask<Campaign>('campaigns', {
    ...{
      name: 'calls',
      engine: 'transaction',
      protocols: ['h2', 'h3'],
      views: ['cold', 'warm'],
      rounds: 2,
      limits: { foreignCpuShare: 1 },
    },
    ...{ sites: [{ url: `${service.callsUrl}/json` }], workload: { users: 20, requests: 50, connections: 'pool' } },
  });
  await using page = await open(`#/campaigns/${campaign.id}`);
  await page.waitForSelector('.live-line');
  await page.waitForFunction(() => document.querySelector('.state')?.textContent === 'done', { timeout: 120_000 });
  await page.goto(`${new URL(page.url()).origin}/#/campaigns/${campaign.id}/loads`);
  await page.waitForSelector('.run-figures');
  await drawn(page);

  const { cells } = await ask<CampaignResults>(`campaigns/${campaign.id}/results`);
  const cold = cells.find(({ view }) => view === 'cold') as CellResults;
  const slots = [...cold.slots].sort((a, b) => b.protocol.localeCompare(a.protocol)); // HTTP/3 first
  const median = (metric: string) => slots.map((slot) => slot.metrics[metric]?.median ?? Number.NaN);
  const figures = '.run-figures > .scroll';
  assert.deepEqual(
    await column(page, figures, 'requests, /s'),
    median('requestsPerSecond').map((value) => quantity(value, 'per second').replace(' /s', '')),
  );
  assert.deepEqual(
    await column(page, figures, 'latency p99, ms'),
    median('latencyP99').map((value) => quantity(value, 'ms').replace(' ms', '')),
  );
  assert.deepEqual(
    await column(page, figures, 'client CPU a request, µs'),
    median('clientCpu').map((value) => quantity(value, 'µs').replace(' µs', '')),
  );
  assert.deepEqual(
    await column(page, figures, 'connections'),
    median('connections').map((value) => quantity(value, 'count')),
  );
  assert.deepEqual(await column(page, figures, 'successes'), ['100 %', '100 %']);
  // Go's own HTTP/2 client dials for each of many first requests.
  assert.match(cold.connectionNote ?? '', /connections over HTTP\/2 and 1 connection over HTTP\/3/);
  assert.deepEqual(await texts(page, '[data-connections]'), [`cold view: ${cold.connectionNote}`]);
  const offered = await texts(page, '[data-choice="metric"] option');
  assert.ok(offered.includes('Mean latency') && offered.includes('Time to first byte') && !offered.includes('onLoad'));
  await page.click('.choice [data-metric=latency]');
  await page.waitForFunction(() => document.querySelector('#spread-title')?.textContent === 'Every load: Latency');
});

test('a run has its course, its percentiles, what failed and what it cost, and another run of its round beside it', {
  timeout: 120_000,
}, async () => {
  const campaign = await ask<Campaign>('campaigns', {
    ...{ name: 'failing', engine: 'transaction', protocols: ['h2', 'h3'], rounds: 1, limits: { foreignCpuShare: 1 } },
    sites: [{ url: `${service.callsUrl}/delay?ms=5` }],
    workload: { mode: 'duration', seconds: 2.5, users: 3, paths: ['/delay?ms=5', '/ping', '/nowhere'] },
  });
  for (let state = campaign.state; state !== 'done'; { state } = await ask<Campaign>(`campaigns/${campaign.id}`))
    await new Promise((resolve) => setTimeout(resolve, 300));
  const { items } = await ask<Listed<Visit>>(`campaigns/${campaign.id}/visits`);
  const [h2, h3] = await Promise.all(
    (['h2', 'h3'] as const).map((protocol) => ask<SingleVisit>(`visits/${items.find((visit) => visit.protocol === protocol)?.id}`)),
  );
  assert.ok(h2?.run && h3?.run);
  await using page = await open(`#/visits/${h3.id}?with=${h2.id}`);
  await page.waitForSelector('.run-errors tbody tr');
  await page.waitForFunction(() => document.querySelectorAll('section.metrics').length === 2);
  assert.match((await texts(page, 'h1'))[0] ?? '', / over HTTP\/3\s*$/);
  // Nothing of a page stands there empty.
  assert.equal(await page.$('.visual-progress, .waterfall'), null);
  assert.ok(!(await texts(page, 'h2')).includes('Resources'));

  assert.deepEqual(
    await texts(page, '.run-errors [data-error="http-status"] [data-name="requests"]'),
    [h3, h2].map(({ run }) => quantity(run?.errors['http-status'] ?? Number.NaN, 'count')),
  );
  const row = (metric: string) => texts(page, `[data-metric="${metric}"] .value`);
  for (const [metric, unit] of [
    ['clientCpu', 'µs'],
    ['clientMemory', 'bytes'],
    ['latencyP99', 'ms'],
    ['requestsPerSecond', 'per second'],
  ] as const)
    assert.deepEqual(
      await row(metric),
      [h3, h2].map((visit) => quantity(metricsOf(visit)[metric] ?? Number.NaN, unit)),
      metric,
    );

  // The tables behind the charts have what the API has.
  await page.locator('.run-rates figure ::-p-text(Table)').click();
  await page.waitForSelector('.run-rates table');
  const rates = await column(page, '.run-rates', 'HTTP/3, successes, /s');
  assert.equal(rates[0], quantity(h3.run.seconds[0]?.succeeded ?? Number.NaN, 'count'));
  await page.select('[data-choice="time"]', 'latency');
  await page.locator('.latency-curve figure ::-p-text(Table)').click();
  await page.waitForSelector('.latency-curve table');
  const places = await column(page, '.latency-curve', 'of the requests');
  const times = await column(page, '.latency-curve', 'HTTP/3, at most, ms');
  assert.equal(times[places.indexOf('50 %')], quantity(h3.run.latency.p50, 'ms').replace(' ms', ''));
  assert.equal(times[places.indexOf('100 %')], quantity(h3.run.latency.max, 'ms').replace(' ms', ''));
  assert.ok((await texts(page, '.evidence-files a')).includes('its requests, one by one'));
});
