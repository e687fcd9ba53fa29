import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalidVisit, madeCampaign, madeVisits, roundsOfChanges } from '../../fixtures/made-campaign.ts';
import { measure } from '../campaign/measured/measured.ts';
import { campaignResults } from '../campaign/results.ts';
import { campaignSummary, differing } from '../campaign/summary.ts';
import { randomSource } from '../math/random.ts';
import type { CampaignSpec } from '../schemas/campaign.ts';
import type { ResultVisit } from './counted-visits.ts';

const random = randomSource(17);
/** Each site's rounds lie around its shift in per cent, two to either side. */
const sitesOf = (...shifts: number[]): ResultVisit[] =>
  shifts.flatMap((shift, site) =>
    madeVisits(roundsOfChanges(...Array.from({ length: 8 }, (_, i) => shift + (i - 3.5) / 2 + random() / 10)), {
      siteId: String(site + 1),
    }),
  );
const boundOf = (visits: ResultVisit[], sites: number, spec: Partial<Omit<CampaignSpec, 'sites'>> = {}, complete = true) =>
  campaignSummary(measure(madeCampaign({ sites, rounds: 8, ...spec }), visits), complete).differing;

test('a campaign of ten sites says on how many they differ at least, by Hommel’s and by Benjamini and Hochberg’s correction', () => {
  const visits = sitesOf(9, 9, 9, 9, 9, 9, 9, -9, 12, 0);
  for (const adjustment of ['hommel', 'benjamini-hochberg'] as const) {
    assert.deepEqual(boundOf(visits, 10, { adjustment }), {
      ...{ least: 9, of: 10, confidence: 0.95 },
      words: 'onLoad differs between HTTP/3 and HTTP/2 on at least 9 of 10 sites, with 95 % confidence.',
    });
  }
});

test('results say the same as the summary', () => {
  const campaign = madeCampaign({ sites: 12, rounds: 8 });
  const visits = sitesOf(9, 9, 9, 9, 9, 0, 0, 0, 9, 9, 9, 9);
  const comparisons = campaignResults(campaign, visits).cells.flatMap((group) => group.comparisons.filter((one) => one.confirmatory));
  const found = differing(comparisons, campaign);
  assert.deepEqual(found, campaignSummary(measure(campaign, visits), true).differing);
  assert.ok((found?.least ?? 0) > 0);
});

test('nothing is said of few, of none that differs, with Holm’s correction, and before all rounds are done', () => {
  const differ = Array<number>(10).fill(9);
  assert.equal(boundOf(sitesOf(...differ.slice(1)), 9), null);
  assert.equal(boundOf(sitesOf(...differ.map(() => 0)), 10), null);
  assert.equal(boundOf(sitesOf(...differ), 10, { adjustment: 'holm' }), null);
  assert.equal(boundOf(sitesOf(...differ), 10, {}, false), null);
});

test('where something speaks against the measurement, or the margin is wider, no difference is counted', () => {
  const visits = sitesOf(...Array<number>(10).fill(9));
  assert.equal(boundOf(visits, 10)?.least, 10);
  assert.equal(boundOf(visits, 10, { margin: 0.5 }), null, 'all are equivalent');
  // A third of a site's rounds is lost.
  const lost = [1, 2, 3].map((round) => invalidVisit(round, 0, 'busy-machine'));
  const without = visits.filter((visit) => visit.siteId !== '1' || visit.slot !== 0 || visit.roundNumber > 3);
  assert.equal(boundOf([...without, ...lost], 10)?.least, 9);
});

test('conditions of a page are called conditions, and sites under several conditions cases', () => {
  const conditions = Array.from({ length: 10 }, (_, i) => ({ name: String(i + 1), up: {}, down: {} }));
  const visits = sitesOf(...Array<number>(10).fill(9)).map((visit) => ({ ...visit, siteId: '1', condition: visit.siteId }));
  assert.match(boundOf(visits, 1, { conditions })?.words ?? '', / under at least 10 of 10 conditions, /);
  const two = [...visits, ...visits.map((visit) => ({ ...visit, siteId: '2' }))];
  assert.match(boundOf(two, 2, { conditions })?.words ?? '', / in at least 20 of 20 cases, /);
});
