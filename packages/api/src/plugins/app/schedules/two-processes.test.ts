import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { samples } from '@pronghorn/core/testing';
import { sharedStores } from '../../../testing/stores.ts';
import { testApi, testFolder } from '../../../testing/test-api.ts';
import { tickingServices } from '../../../testing/ticking-services.ts';

for (const [store, options] of Object.entries(sharedStores)) {
  test(`${store}: several processes on one database start each night of thirty once, with the clocks changed among them`, async (t) => {
    const folder = testFolder(t);
    const paths = { database: join(folder, 'pronghorn.db'), evidenceDirectory: join(folder, 'evidence'), ...options };
    const api = await testApi(t, paths);
    api.clock.now = Date.parse('2026-10-10T12:00:00Z');
    const campaign = { sites: [{ url: 'https://site.example/' }], protocols: ['h2'], rounds: 1 };
    const { body } = await api.post('/schedules', {
      name: 'nightly',
      cron: '30 2 * * *',
      timeZone: 'Europe/Berlin',
      jitterSeconds: 600,
      campaign,
    });
    const tick = await tickingServices(t, samples(2, 3), paths, 'scheduler');

    for (const end = Date.parse('2026-11-09T12:00:00Z'); api.clock.now < end; ) {
      // To the moment at which the next one starts, or far beyond it: either is due for all of them at once.
      const [next] = (await api.get(`/schedules/${body.id}`)).body.nextRuns;
      api.clock.now = Math.min(end, Date.parse(next));
      await tick(api.clock.now);
      const [running] = (await api.get('/campaigns?limit=1')).body.items;
      if (running?.state === 'queued') await api.post(`/campaigns/${running.id}/cancel`);
    }
    const starts = (await api.get(`/schedules/${body.id}/starts?limit=1000`)).body.items;
    assert.equal(starts.length, 30);
    assert.ok(starts.every(({ outcome }: { outcome: string }) => outcome === 'started'));
    assert.equal((await api.get('/campaigns?limit=1000')).body.items.length, 30);
  });
}
