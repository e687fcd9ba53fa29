import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Compile } from 'typebox/compile';
import { madeSpec } from '../../fixtures/made-campaign.ts';
import { CampaignDistributions } from '../schemas/distribution.ts';
import type { Metrics } from '../schemas/metrics.ts';
import type { ResultVisit } from '../verdict/counted-visits.ts';
import { metricNames } from '../vocabulary/metric.ts';
import { campaignDistributions, distributionOf } from './distribution.ts';
import { measure } from './measured/measured.ts';

test('a sample is described in every way that it is drawn', () => {
  const sample = [100, 101, 102, 103, 104, 105, 400];
  const { n, box, ecdf, violin, modes, outliers } = distributionOf(sample);
  assert.equal(n, 7);
  assert.equal(box.median, 103);
  assert.deepEqual(ecdf.values, sample);
  assert.equal(ecdf.shares.at(-1), 1);
  assert.equal(violin?.values[0], 100);
  assert.equal(violin?.values.at(-1), 400);
  assert.equal(modes?.bimodal, false);
  assert.deepEqual(outliers, [{ value: 400, side: 'high' }]);
});

test('equal values have no violin, and few no modes', () => {
  assert.equal(distributionOf([5, 5, 5]).violin, null);
  assert.equal(distributionOf([1, 2, 3]).modes, null);
});

const campaign = {
  id: '1',
  spec: madeSpec({ conditions: ['native', 'loss-1'].map((name) => ({ name, up: {}, down: {} })), rounds: 2 }),
  sites: [{ id: 'a', url: 'https://a.example/', name: 'a', expectStatus: 200 }],
};
const visit = (condition: string, slot: number, speedIndex: number | null): ResultVisit => ({
  ...{ siteId: 'a', condition, view: 'cold', roundNumber: 1, slot, verdict: 'valid', receiveDrops: null },
  metrics: { ...(Object.fromEntries(metricNames.map((name) => [name, 0])) as Metrics), speedIndex },
});

test('each slot of each group has its own; a metric that a page lacks, or a filter leaves out, is not there', () => {
  const visits = [visit('native', 0, 10), visit('native', 0, 20), visit('native', 1, null), visit('loss-1', 1, 30)];
  const all = campaignDistributions(measure(campaign, visits), 'speedIndex');
  assert.ok(Compile(CampaignDistributions).Check(all));
  assert.deepEqual(
    all.cells.map(({ condition, slots }) => [condition, ...slots.map(({ distribution }) => distribution?.n ?? 0)]),
    [
      ['native', 2, 0],
      ['loss-1', 0, 1],
    ],
  );
  const { cells } = campaignDistributions(measure(campaign, visits), 'speedIndex', { condition: 'loss-1' });
  assert.deepEqual(
    cells.map(({ condition }) => condition),
    ['loss-1'],
  );
});
