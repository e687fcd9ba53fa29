import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalidVisit, madeCampaign, madeVisits, roundsOfChanges } from '../../fixtures/made-campaign.ts';
import type { CampaignSpec } from '../schemas/campaign.ts';
import type { ResultVisit } from '../verdict/counted-visits.ts';
import { answerQuestion, measure } from './measured/measured.ts';
import { campaignResults } from './results.ts';
import { answerFromResults, campaignSummary } from './summary.ts';

const faster = roundsOfChanges(-20, -18, -22, -21, -19, -20.5, -17, -23, -20, -21);
const unclear = roundsOfChanges(3, -4, 9, -8, 1, -2, 12, -11, 5, -6);

test('the answers to a campaign’s question are those of its results', () => {
  const cases: Partial<Omit<CampaignSpec, 'sites'>>[] = [
    {},
    { adjustment: 'benjamini-hochberg', margin: 0.2 },
    { primaryMetric: 'speedIndex' },
    { protocols: ['h3', 'h2', 'h2'] },
    { protocols: ['h1', 'h2'] },
    { rounds: 5, maximumRounds: 40 },
  ];
  for (const spec of cases) {
    const campaign = madeCampaign({ sites: 2, ...spec });
    const visits = [...madeVisits(faster), ...madeVisits(unclear, { siteId: '2' }), invalidVisit(3, 0, 'load-timeout')];
    for (const complete of [true, false]) {
      const { cells } = campaignResults(campaign, visits, [], complete);
      const questions = cells.map(({ comparisons }) => comparisons.find(({ confirmatory }) => confirmatory) ?? null);
      const answers = [...answerQuestion(measure(campaign, visits), { complete })].map(({ comparison }) => comparison);
      assert.deepEqual(answers, questions, JSON.stringify(spec));
    }
  }
});

test('verdicts do not depend on how often the bootstrap draws', () => {
  const campaign = madeCampaign({ sites: 2 });
  const visits = [...madeVisits(faster), ...madeVisits(unclear, { siteId: '2' })];
  const outcomes = (resamples: number) =>
    [...answerQuestion(measure(campaign, visits), { complete: true, resamples })].map(({ comparison }) => comparison?.verdict.outcome);
  assert.deepEqual(outcomes(100), ['h3-faster', 'inconclusive']);
  assert.deepEqual(outcomes(2000), outcomes(100));
});

test('a summary counts visits, reasons and verdicts, and has the answer for each group', () => {
  const campaign = madeCampaign({ sites: 3, protocols: ['h2', 'h3'] });
  const invalid: ResultVisit[] = [
    invalidVisit(3, 0, 'busy-machine'),
    invalidVisit(4, 1, 'browser-crashed'),
    invalidVisit(5, 1, 'busy-machine'),
  ];
  const visits = [...madeVisits(faster), ...madeVisits(unclear, { siteId: '2' }), ...invalid];
  const { visits: counted, overview, cells } = campaignSummary(measure(campaign, visits), true);
  assert.equal(counted.valid, 40);
  assert.deepEqual(counted.invalid, [
    { reason: 'busy-machine', count: 2 },
    { reason: 'browser-crashed', count: 1 },
  ]);
  const [first] = overview;
  assert.deepEqual([first?.condition, first?.view, first?.delta.sites, first?.delta.withoutDelta], ['native', 'cold', 2, 1]);
  assert.equal(first?.delta.classes.below.sites, 1);
  assert.deepEqual(first?.outcomes, [
    { outcome: 'inconclusive', count: 2 },
    { outcome: 'h3-faster', count: 1 },
  ]);
  assert.deepEqual(
    cells.map(({ siteId, visits: its }) => [siteId, its]),
    [
      ['1', { valid: 20, failed: 0, invalid: 3 }],
      ['2', { valid: 20, failed: 0, invalid: 0 }],
      ['3', { valid: 0, failed: 0, invalid: 0 }],
    ],
  );
  assert.deepEqual(cells[0]?.medians, { h2: 1000, h3: 797.5 });
  assert.equal(cells[0]?.h3Delta, -0.2025);
  assert.deepEqual([cells[2]?.medians, cells[2]?.h3Delta], [{}, null]);
});

test('an answer from results is the summary’s on the primary metric, and has medians alone where nothing is compared', () => {
  const campaign = madeCampaign({ sites: 2, protocols: ['h2', 'h3'] });
  const visits = [...madeVisits(faster), ...madeVisits(unclear, { siteId: '2' }), invalidVisit(3, 0, 'busy-machine')];
  const { cells } = campaignResults(campaign, visits, [], true);
  const summary = campaignSummary(measure(campaign, visits), true);
  assert.deepEqual(
    cells.map((cell) => answerFromResults(cell, 'onLoad')),
    summary.cells,
  );
  const [ttfb] = cells.map((cell) => answerFromResults(cell, 'ttfb'));
  assert.equal(ttfb?.comparison, null);
  assert.equal(ttfb?.medians.h3, cells[0]?.slots.find(({ protocol }) => protocol === 'h3')?.metrics.ttfb?.median);
});
