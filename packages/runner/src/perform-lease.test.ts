import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionNamed, type Lease, type LinkCheck, problemType } from '@pronghorn/core';
import { madeSpec } from '../../core/fixtures/made-campaign.ts';
import { ApiRefusal, ApiUnavailable } from './api-errors.ts';
import { KnownSites } from './known-sites.ts';
import { isLost, performLease } from './perform-lease.ts';
import { standInEngine } from './testing/stand-in-engine.ts';
import type { Upload } from './uploads.ts';

test('a lease is lost when the api says so, or does not know it; what else it refuses is a failure, which is counted', () => {
  assert.ok(isLost(new ApiRefusal(409, 'It is lost.', problemType('lease-lost'))));
  assert.ok(isLost(new ApiRefusal(409, 'It has ended.', problemType('lease-ended'))));
  assert.ok(isLost(new ApiRefusal(404, 'There is no lease.', problemType('not-found'))));
  for (const kind of ['already-different', 'round-incomplete', 'invalid-visit'] as const)
    assert.ok(!isLost(new ApiRefusal(409, 'Not so.', problemType(kind))), kind);
  assert.ok(!isLost(new ApiRefusal(404, 'A proxy’s page.', '', true)), 'it is not the api’s word');
  assert.ok(!isLost(new ApiUnavailable('It does not answer.', null)));
});

test('a check that a load made is stored before its visit, and its refusal gives the round back rather than making the visit invalid', async () => {
  const condition = conditionNamed('native');
  assert.ok(condition);
  const site = { id: 'site', url: 'https://shop.example/', name: 'shop', expectStatus: 200 };
  const spec = madeSpec({ sites: [], protocols: ['h2', 'h2'], rounds: 1, conditions: [condition] });
  spec.limits.foreignCpuShare = 1;
  const round = {
    ...{ id: 'round', campaignId: 'campaign', siteId: site.id, condition: 'native', view: 'cold' as const, number: 1, order: [0, 1] },
    ...{ state: 'leased' as const, attempt: 1, reason: null, linkCheckId: null },
  };
  const lease: Lease = { id: 'lease', expiresAt: '', heartbeatMs: 10_000, round, site, spec, sites: [site] };
  const check: LinkCheck = {
    ...{ id: '00000000-0000-4000-8000-000000000000', checkedAt: '2026-03-01T12:00:00.000Z', condition: 'native', backend: 'veth' },
    ...{ kernel: '6.12', tcLines: [], rtt: null, up: null, down: null, faults: [] },
  };
  const performed = (deliver: (upload: Upload) => Promise<void>) =>
    performLease({
      lease,
      tools: {
        engine: standInEngine({ loadMs: 0, resources: 1 }),
        link: { prepare: async () => null, clear: async () => {}, watch: () => async () => null, takeChecks: () => [check] },
      },
      known: new KnownSites('here', {}),
      environments: new Set(),
      deliver,
      keepEvidence: false,
      events: {},
      signal: new AbortController().signal,
    });
  const stored: string[] = [];
  assert.equal(await performed(async ({ what }) => void stored.push(what)), true);
  assert.deepEqual(stored, ['discovery', 'link check', 'environment', 'visit', 'link check', 'visit']);
  await assert.rejects(
    performed(async ({ what }) => {
      if (what === 'link check') throw new ApiRefusal(409, 'It has another check of this id.', problemType('already-different'));
    }),
    /It has another check of this id/,
  );
});
