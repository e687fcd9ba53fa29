import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Campaign, CellComparison, LeadChange } from '@pronghorn/core/schemas';
import { campaignBefore, countWords, forChoice, leadRows, othersWords } from './comparison.ts';

test('outcomes are counted, in words that claim no more than the API does', () => {
  const counts = { lower: 2, higher: 1, undecided: 1 };
  assert.equal(countWords(counts, 'onLoad'), '4 comparisons of onLoad: 2 lower, 1 higher, 1 unclear.');
  assert.equal(countWords({ lower: 0, higher: 0, undecided: 0 }, 'onLoad'), 'Nothing was measured in both campaigns.');
});

test('a list that is shorter than what was counted says so, and what to do for the others', () => {
  assert.equal(othersWords(3, 3), '');
  assert.equal(othersWords(50, 70), '50 of 70 are shown here: choose a site or a condition above for the others.');
  assert.equal(othersWords(0, 8, true), 'None of 8 is shown here: show all above, not only clear differences, for the others.');
});

test('campaigns of the same sites are offered first, and never the other one itself', () => {
  const campaign = (id: string, ...urls: string[]) => ({
    id,
    sites: urls.map((url) => ({ id: url, url, name: url, expectStatus: 200 })),
  });
  const all = [campaign('4', 'b'), campaign('3', 'a', 'b'), campaign('2', 'c'), campaign('1', 'a')];
  const ids = ({ alike, others }: ReturnType<typeof forChoice>) => [alike.map(({ id }) => id), others.map(({ id }) => id)];
  assert.deepEqual(ids(forChoice(all, all[3])), [['3'], ['4', '2']]);
  assert.deepEqual(ids(forChoice(all, undefined)), [[], ['4', '3', '2', '1']]);
});

test('H3-Delta of both campaigns stands in one group, the baseline first, each with a link to the same cell and metric of its own page', () => {
  const lead = { campaign: { value: -0.2, low: -0.3, high: -0.1 }, baseline: null } as unknown as LeadChange;
  const cell = {
    siteId: '5',
    baselineSiteId: '9',
    siteName: 'shop',
    condition: '4g',
    view: 'cold',
    protocols: [],
    lead,
  } satisfies CellComparison;
  const comparison = { campaignId: '7', baselineId: '3', metric: 'speedIndex' } as const;
  assert.deepEqual(
    leadRows([cell, { ...cell, lead: null }], comparison, false).map(({ label, group, value, href }) => [label, group, value, href]),
    [
      ['A: campaign 3', 'shop, 4g', null, '#/campaigns/3?site=9&condition=4g&view=cold&metric=speedIndex'],
      ['B: campaign 7', 'shop, 4g', -0.2, '#/campaigns/7?site=5&condition=4g&view=cold&metric=speedIndex'],
    ],
  );
});

const made = (id: string, given: { urls?: string[]; conditions?: string[]; schedule?: string; visitsValid?: number } = {}) =>
  ({
    id,
    ...(given.schedule === undefined
      ? { createdBy: 'nightly', createdByKind: 'token' }
      : { createdBy: given.schedule, createdByKind: 'schedule' }),
    progress: { rounds: 9, roundsDone: 9, visitsValid: given.visitsValid ?? 9, visitsInvalid: 0 },
    sites: (given.urls ?? ['https://a.example/', 'https://b.example/']).map((url) => ({ url })),
    spec: { conditions: (given.conditions ?? ['4g', 'native']).map((name) => ({ name })) },
  }) as unknown as Campaign;

test('a campaign is compared with the last one before it that measured the same pages under the same conditions, in whatever order', () => {
  const older = [
    made('9', { visitsValid: 0 }),
    made('8', { conditions: ['4g'] }),
    made('7', { urls: ['https://a.example/'] }),
    made('6', { urls: ['https://b.example/', 'https://a.example/'], conditions: ['native', '4g'] }),
    made('5'),
  ];
  assert.equal(campaignBefore(made('10'), older)?.id, '6');
  assert.equal(campaignBefore(made('10', { urls: ['https://c.example/'] }), older), undefined);
});

test('one of a schedule is compared with the one that the schedule started before, even if it was changed since; a token of its name is none', () => {
  const older = [made('9'), made('8', { schedule: 'other' }), made('7', { schedule: 'nightly', conditions: ['4g'] })];
  assert.equal(campaignBefore(made('10', { schedule: 'nightly' }), older)?.id, '7');
  assert.equal(campaignBefore(made('10', { schedule: 'nightly' }), older.slice(0, 2))?.id, '9');
});
