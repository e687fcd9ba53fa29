import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeSpec } from '../../../fixtures/made-campaign.ts';
import type { CampaignSpec } from '../../schemas/campaign.ts';
import type { Workload } from '../../schemas/workload.ts';
import { engineWords, setupKey } from './setup-key.ts';

test('engines, a video and waits make other setups: no numbers of one are pooled with those of another', () => {
  const specs = [
    madeSpec(),
    madeSpec({ engine: 'browsertime' }),
    madeSpec({ engine: 'browsertime', engineOptions: { video: false } }),
    madeSpec({ engine: 'browsertime', engineOptions: { waits: 'browsertime' } }),
  ];
  assert.equal(new Set(specs.map((spec) => setupKey({ spec, sites: [], location: null }))).size, specs.length);
  assert.deepEqual(specs.map(engineWords), ['puppeteer', 'browsertime', 'browsertime without video', 'browsertime with its own waits']);
  // What is a default needs no words.
  assert.equal(engineWords({ engine: 'browsertime', engineOptions: { video: true, waits: 'page' } }), 'browsertime');
});

test('other requests are another setup, whether the campaign or its site asks for them; what is a default is not', () => {
  const key = (given: Partial<CampaignSpec>, workload?: Workload) =>
    setupKey({ spec: madeSpec({ engine: 'transaction', ...given }), sites: [workload === undefined ? {} : { workload }], location: null });
  const usual = key({});
  assert.equal(key({ workload: { users: 1, requests: 100, method: 'GET' } }), usual);
  const others = [
    key({ workload: { users: 50 } }),
    key({ workload: { connections: 'each' } }),
    key({ workload: { paths: ['/y'] } }),
    key({}, { users: 50 }),
  ];
  assert.equal(new Set([usual, ...others]).size, 5);
});
