import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CampaignRequest } from '@pronghorn/core/schemas';
import type { LocationQuery } from 'vue-router';
import { queryOf, requestOf } from './address.ts';
import { newRequest } from './campaign-request.ts';

const round = (request: CampaignRequest) => requestOf(queryOf(request) as LocationQuery);

test('the address holds all that a request says', () => {
  const requests: CampaignRequest[] = [
    newRequest(),
    { sites: [], conditions: ['mobile', 'satellite'], precision: 'until-clear' },
    {
      sites: [{ url: 'https://a.example/x,y' }, { url: 'https://b.example' }],
      conditions: ['native', 'loss-2.rtt-50'],
      protocols: ['h2', 'h2'],
      precision: 'quick',
    },
    {
      sites: [{ url: 'https://a.example', name: 'A', expectStatus: 404 }],
      conditions: ['native', { name: 'mine', up: {}, down: { rateKbps: 500 } }],
      views: ['cold', 'warm'],
      rounds: 12,
      maximumRounds: 60,
      margin: 0.07,
      seed: 0,
      name: 'mine',
      primaryMetric: 'speedIndex',
      adjustment: 'benjamini-hochberg',
      discovery: 'alt-svc',
      isolation: 'process',
      engine: 'browsertime',
      engineOptions: { video: false },
      browser: 'headless-shell',
      priority: 'ci',
      location: 'fra',
      annotations: { commit: 'abc', branch: 'main', buildUrl: 'https://ci.example/1' },
      limits: { retries: 0 },
      visitor: { device: 'phone', headers: [{ name: 'X-Pass', value: 'secret:wall' }], steps: [{ goto: '/login' }] },
    },
    { ...newRequest(), sites: [{ url: 'https://a.example', visitor: { language: 'de-CH' } }] },
    { ...newRequest(), views: [], protocols: [] },
  ];
  for (const request of requests) assert.deepEqual(round(request), request);
});

test('the margin is in percent', () => {
  assert.equal(queryOf({ sites: [], margin: 0.07 }).margin, '7');
});

test('a link by hand needs no more than a host and names', () => {
  assert.deepEqual(requestOf({ url: 'example.org', conditions: ' native, 4g' }), {
    sites: [{ url: 'https://example.org' }],
    conditions: ['native', '4g'],
    precision: 'normal',
  });
});

test('native alone, the API’s choice, is not taken for the usual one of the form', () => {
  assert.equal(queryOf({ sites: [], rounds: 9 }).conditions, 'native');
  assert.deepEqual(round({ sites: [], rounds: 9 }), { sites: [], rounds: 9, conditions: ['native'] });
});

test('what an address says wrongly breaks nothing', () => {
  assert.deepEqual(requestOf({ more: '{', url: '' }), newRequest());
  assert.deepEqual(requestOf({ more: '{"sites":[null],"conditions":7,"limits":null}' }), newRequest());
  assert.deepEqual(requestOf({ more: '{"visitor":{"headers":5}}' }), newRequest());
  assert.ok(Number.isNaN(requestOf({ rounds: 'many' }).rounds), 'the form tells of it');
});
