import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Campaign, CampaignRequest, KnownCondition } from '@pronghorn/core/schemas';
import { requestOfCampaign } from './request-of-campaign.ts';

const native = { name: 'native', up: {}, down: {} };
const limits = {
  ...{ loadTimeoutMs: 'auto' as const, quietMs: 500, settleMaxMs: 15_000, retries: 2, foreignCpuShare: 0.2 },
  ...{ maxRequests: 10_000, maxTransferBytes: 500_000_000 },
};
const campaign = (spec: Partial<Campaign['spec']>, sites: Partial<Campaign['sites'][number]>[] = [{}]): Campaign => ({
  ...({} as Campaign),
  priority: 'interactive',
  location: null,
  spec: {
    ...{
      name: 'a.example',
      conditions: [native],
      protocols: ['h2', 'h3'],
      views: ['cold'],
      rounds: 20,
      engine: 'puppeteer',
    },
    ...{ discovery: 'forced', isolation: 'auto', browser: 'chrome', primaryMetric: 'onLoad', margin: 0.05, adjustment: 'hommel' },
    ...{ maximumRounds: null, seed: 7, limits },
    ...spec,
  },
  sites: sites.map((site) => ({ id: '1', url: 'https://a.example/', name: 'a.example', expectStatus: 200, ...site })),
});
const known = [{ ...native, preset: true, words: '', description: 'other words' }] as unknown as KnownCondition[];

test('a campaign that chose nothing asks for its page alone, and as many rounds', () => {
  assert.deepEqual(requestOfCampaign(campaign({}), known), {
    sites: [{ url: 'https://a.example/' }],
    conditions: ['native'],
    rounds: 20,
  });
});

test('a name that was made of the URL is not asked for again: it would stay when the URL is changed', () => {
  const sitesOf = (url: string, name: string) => requestOfCampaign(campaign({}, [{ url, name }]), known).sites;
  for (const [url, name] of [
    ['https://a.example:8443/b?key=1', 'a.example:8443/b?key=1'],
    ['https://a.example/?key=1', 'a.example?key=1'],
    ['http://xn--bcher-kva.example/?key=1', 'bücher.example?key=1'],
    [`https://a.example/${'b'.repeat(300)}`, `a.example/${'b'.repeat(190)}`],
  ] as const)
    assert.deepEqual(sitesOf(url, name), [{ url }]);
  for (const name of ['home', 'a.example/b', 'a.example:b', ''])
    assert.deepEqual(sitesOf('https://a.example/', name), [{ url: 'https://a.example/', name }]);
});

test('what was chosen is asked for again, the seed is not', () => {
  const chosen: Partial<CampaignRequest> = { protocols: ['h1', 'h2'], rounds: 5, maximumRounds: 60, margin: 0.1, name: 'mine' };
  const again = requestOfCampaign(
    campaign({ ...(chosen as Campaign['spec']), limits: { ...limits, retries: 0 } }, [{ name: 'home', expectStatus: 404 }]),
    known,
  );
  assert.deepEqual(again, {
    ...chosen,
    conditions: ['native'],
    sites: [{ url: 'https://a.example/', name: 'home', expectStatus: 404 }],
    limits: { retries: 0 },
  });
});

test('the correction of a campaign of its size is none that was chosen; another is', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => ({ url: `https://a${i}.example/`, name: `a${i}.example` }));
  const adjustmentOf = (adjustment: Campaign['spec']['adjustment'], sites: typeof hundred) =>
    requestOfCampaign(campaign({ adjustment }, sites), known).adjustment;
  const all = ['hommel', 'holm', 'benjamini-hochberg'] as const;
  assert.deepEqual(
    all.map((adjustment) => adjustmentOf(adjustment, hundred)),
    ['hommel', 'holm', undefined],
  );
  assert.deepEqual(
    all.map((adjustment) => adjustmentOf(adjustment, hundred.slice(1))),
    [undefined, 'holm', 'benjamini-hochberg'],
  );
});

test('a visitor is kept, the campaign’s and that of a page', () => {
  const url = 'https://a.example/';
  const ofPage = { cookies: [{ name: 'consent', value: 'all' }] };
  const visitor = { device: 'phone', basicAuth: { user: 'ann', password: 'secret:staging' } } as const;
  const again = requestOfCampaign(campaign({ visitor }, [{ visitor: ofPage }]), known);
  assert.deepEqual(again, { sites: [{ url, visitor: ofPage }], conditions: ['native'], visitor, rounds: 20 });
});

test('the conditions of a set are asked for by its name', () => {
  const typical = ['native', '4g', 'latency-100', 'loss-1'].map((name) => ({ name, up: {}, down: {} }));
  const again = requestOfCampaign(campaign({ conditions: typical }), typical as unknown as KnownCondition[]);
  assert.deepEqual(again.conditions, ['typical']);
});

test('a condition that became another since is asked for whole', () => {
  const before = { name: 'office', up: { delayMs: 5 }, down: {} };
  const office = { ...before, up: { delayMs: 50 } } as unknown as KnownCondition;
  assert.deepEqual(requestOfCampaign(campaign({ conditions: [native, before] }), [...known, office]).conditions, ['native', before]);
});
