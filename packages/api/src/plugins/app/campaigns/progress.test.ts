import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '@pronghorn/core/math';
import { invalidOutcome, sampleVisit } from '../../../testing/samples.ts';
import { type TestApi, testApi } from '../../../testing/test-api.ts';

/** As it was counted before it was kept: by going through all rounds and visits. */
const counted = ({ app }: TestApi) =>
  app.database
    .prepare(
      `SELECT (SELECT count(*) FROM rounds WHERE campaignId = 1) AS rounds,
         (SELECT count(*) FROM rounds WHERE campaignId = 1 AND state IN ('done', 'cancelled')) AS roundsDone,
         count(*) FILTER (WHERE verdict = 'valid') AS visitsValid, count(*) FILTER (WHERE verdict = 'invalid') AS visitsInvalid
       FROM rounds JOIN visits ON visits.roundId = rounds.id AND visits.attempt = rounds.attempt
       WHERE rounds.campaignId = 1 AND rounds.state IN ('leased', 'done')`,
    )
    .get();

/** How many rounds wait and are at work: kept once, for the queue and for versions of results. */
const kept = ({ app }: TestApi) => app.database.prepare('SELECT queued, leased FROM campaign_progress WHERE campaignId = 1').get();
const open = ({ app }: TestApi) =>
  app.database
    .prepare(
      `SELECT count(*) FILTER (WHERE state = 'queued') AS queued, count(*) FILTER (WHERE state = 'leased') AS leased
       FROM rounds WHERE campaignId = 1`,
    )
    .get();

test('progress is what counting all rounds and visits gives, whatever happens to them', async (t) => {
  const random = randomSource(5);
  for (let run = 0; run < 5; run++) {
    const api = await testApi(t);
    await api.campaign({ rounds: 6, protocols: ['h2', 'h3'], sites: [{ url: 'https://a.example/' }, { url: 'https://b.example/' }] });
    for (let step = 0; step < 25; step++) {
      const what = random();
      if (what < 0.08) await api.post(`/campaigns/1/${what < 0.04 ? 'cancel' : 'resume'}`);
      const lease = await api.lease();
      if (lease === undefined) {
        await api.post('/campaigns/1/resume');
        continue;
      }
      for (const slot of lease.round.order) {
        const invalid = random() < 0.3;
        await api.upload(lease, sampleVisit(lease, slot, invalid ? invalidOutcome('load-timeout') : {}));
        if (random() < 0.1) break;
      }
      if (what > 0.8) await api.post(`/leases/${lease.id}/release`, { reason: 'made up' });
      else if (what > 0.7) api.clock.now += 120_000;
      else await api.complete(lease);
      assert.deepEqual((await api.get('/campaigns/1')).body.progress, counted(api), `run ${run}, step ${step}`);
      const { queued, leased } = api.app.tables.queueEntries.find(1) ?? {};
      assert.deepEqual({ queued, leased }, open(api));
      assert.deepEqual(kept(api), open(api));
    }
  }
});

test('rounds that are deleted are no longer counted', async (t) => {
  const api = await testApi(t);
  await api.campaign({ rounds: 6, protocols: ['h2'] });
  await api.lease();
  assert.equal(await api.app.commit(() => api.app.tables.rounds.deleteSome(1, 4)), 4);
  assert.deepEqual(kept(api), open(api));
  assert.deepEqual((await api.get('/campaigns/1')).body.progress, counted(api));
});
