// Campaigns of REST calls: the page while they run and afterwards, of runs that the real client made.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CampaignResults, CellResults, Page as Listed, SingleVisit, TransactionMetrics, Visit } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import type { Page } from 'puppeteer-core';
import { quantity } from '../src/text/format.ts';
import { madeRuns } from './made-runs.ts';
import { texts } from './pages.ts';
import { has, press, says, saysAll } from './reader.ts';
import { commonStage } from './stage.ts';

const { service, open } = await commonStage();

const metricsOf = ({ outcome }: Pick<Visit, 'outcome'>) => {
  assert.equal(outcome.verdict, 'valid', JSON.stringify(outcome));
  return (outcome as { metrics: TransactionMetrics }).metrics;
};
/** Until the cells of a table's column are these, from the top. */
const columnIs = (page: Page, within: string, name: string, cells: readonly string[]) =>
  saysAll(page, `${within} td[data-column="${name}"]`, cells);

describe('campaigns of REST calls', proves('rest-calls', 'dashboard-results'), () => {
  test('a campaign of runs is followed live, and its results, rates and costs are the API’s', async () => {
    const campaign = await service.makeCampaign({
      ...{ name: 'calls', engine: 'transaction', protocols: ['h2', 'h3'], views: ['cold', 'warm'], rounds: 2 },
      ...{ sites: [{ url: 'https://93.184.216.45/json?users=50' }], workload: { users: 50, requests: 20, connections: 'pool' } },
    });
    await using page = await open(`#/campaigns/${campaign.id}`);
    await saysAll(page, '.stream', ['live']);
    await service.perform(campaign, Number.POSITIVE_INFINITY, madeRuns());
    await saysAll(page, '.campaign-head .state', ['done']);
    await page.goto(`${service.url}/#/campaigns/${campaign.id}/loads`);

    const { cells }: CampaignResults = await service.get(`campaigns/${campaign.id}/results`);
    const cold = cells.find(({ view }) => view === 'cold') as CellResults;
    const slots = [...cold.slots].sort((a, b) => b.protocol.localeCompare(a.protocol)); // HTTP/3 first
    for (const [name, metric, unit] of [
      ['requests, /s', 'requestsPerSecond', 'per second'],
      ['latency p99, ms', 'latencyP99', 'ms'],
      ['client CPU a request, µs', 'clientCpu', 'µs'],
      ['connections', 'connections', 'count'],
    ] as const) {
      const medians = slots.map((slot) => quantity(slot.metrics[metric]?.median ?? Number.NaN, unit).replaceAll('\u00a0', ' '));
      await columnIs(
        page,
        '.run-figures > .scroll',
        name,
        medians.map((words) => words.replace(/ (\/s|ms|µs)$/, '')),
      );
    }
    await columnIs(page, '.run-figures > .scroll', 'successes', ['100 %', '100 %']);
    // Go's own HTTP/2 client dials for each of many first requests.
    assert.match(cold.connectionNote ?? '', /connections over HTTP\/2 and 1 connection over HTTP\/3/);
    await saysAll(page, '[data-connections]', [`cold view: ${cold.connectionNote}`]);
    const offered = await texts(page, '[data-choice="metric"] option');
    assert.ok(offered.includes('Mean latency') && offered.includes('Time to first byte') && !offered.includes('onLoad'));
    await press(page, '.choice [data-metric=latency]');
    await saysAll(page, '#spread-title', ['Every load: Latency']);
  });

  test('a run has its course, its percentiles, what failed and what it cost, and another run of its round beside it', async () => {
    const campaign = await service.makeCampaign({
      ...{ name: 'failing', engine: 'transaction', protocols: ['h2', 'h3'], rounds: 1 },
      sites: [{ url: 'https://93.184.216.45/delay?ms=5' }],
      workload: { mode: 'duration', seconds: 3.5, users: 5, paths: ['/delay?ms=5', '/nowhere'] },
    });
    await service.perform(campaign, 1, madeRuns());
    const { items }: Listed<Visit> = await service.get(`campaigns/${campaign.id}/visits`);
    const [h2, h3]: SingleVisit[] = await Promise.all(
      ['h2', 'h3'].map((protocol) => service.get(`visits/${items.find((visit) => visit.protocol === protocol)?.id}`)),
    );
    assert.ok(h2?.run && h3?.run);
    await service.storeEvidence(h3.id, {}, 'requests');
    await using page = await open(`#/visits/${h3.id}?with=${h2.id}`);
    await has(page, 'section.metrics', 2);
    await says(page, 'h1', / over HTTP\/3\s*$/);
    await saysAll(
      page,
      '.run-errors [data-error="http-status"] [data-name="requests"]',
      [h3, h2].map(({ run }) => quantity(run?.errors['http-status'] ?? Number.NaN, 'count')),
    );
    // Nothing of a page stands there empty.
    assert.equal(await page.$('.visual-progress, .waterfall'), null);
    assert.ok(!(await texts(page, 'h2')).includes('Resources'));
    for (const [metric, unit] of [
      ['clientCpu', 'µs'],
      ['clientMemory', 'bytes'],
      ['latencyP99', 'ms'],
      ['requestsPerSecond', 'per second'],
    ] as const)
      await saysAll(
        page,
        `[data-metric="${metric}"] .value`,
        [h3, h2].map((visit) => quantity(metricsOf(visit)[metric] ?? Number.NaN, unit).replaceAll('\u00a0', ' ')),
      );

    // The tables behind the charts have what the API has.
    await press(page, '.run-rates figure ::-p-text(Table)');
    await says(page, '.run-rates td[data-column="HTTP/3, successes, /s"]', quantity(h3.run.seconds[0]?.succeeded ?? Number.NaN, 'count'));
    await page.select('[data-choice="time"]', 'latency');
    await press(page, '.latency-curve figure ::-p-text(Table)');
    await page.waitForSelector('.latency-curve td');
    const [places, times] = await Promise.all(
      ['of the requests', 'HTTP/3, at most, ms'].map((name) => texts(page, `.latency-curve td[data-column="${name}"]`)),
    );
    assert.equal(times?.[places?.indexOf('50 %') ?? -1], quantity(h3.run.latency.p50, 'ms').replace(/\sms/, ''));
    assert.equal(times?.[places?.indexOf('100 %') ?? -1], quantity(h3.run.latency.max, 'ms').replace(/\sms/, ''));
    await says(page, '.evidence-files', 'its requests, one by one');
  });
});
