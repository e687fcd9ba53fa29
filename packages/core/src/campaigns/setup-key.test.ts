import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeSpec } from '../../fixtures/made-campaign.ts';
import { engineWords, setupKey } from './setup-key.ts';

test('engines, a video and waits make other setups: no numbers of one are pooled with those of another', () => {
  const specs = [
    madeSpec({ sites: [] }),
    madeSpec({ sites: [], engine: 'browsertime' }),
    madeSpec({ sites: [], engine: 'browsertime', engineOptions: { video: false } }),
    madeSpec({ sites: [], engine: 'browsertime', engineOptions: { waits: 'browsertime' } }),
  ];
  assert.equal(new Set(specs.map((spec) => setupKey({ spec, location: null }))).size, specs.length);
  assert.deepEqual(specs.map(engineWords), ['puppeteer', 'browsertime', 'browsertime without video', 'browsertime with its own waits']);
  // What is a default needs no words.
  assert.equal(engineWords({ engine: 'browsertime', engineOptions: { video: true, waits: 'page' } }), 'browsertime');
});
