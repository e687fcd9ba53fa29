import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { CampaignRequest, VisitUpload } from '@pronghorn/core/schemas';
import { invalidOutcome, sampleMetrics, sampleVisit } from '../../../testing/samples.ts';
import { type TestApi, testApi, testFolder } from '../../../testing/test-api.ts';
import { onDemandMs } from './evidence-commands.ts';

/** Performs a campaign with evidence of each visit. @param outcomes of its rounds, by slot: an onLoad, or null for an invalid visit. */
async function performed(api: TestApi, request: Partial<CampaignRequest>, outcomes: (number | null)[][]): Promise<string[][]> {
  const { id: campaignId } = await api.campaign({ rounds: outcomes.length, limits: { retries: 0 }, ...request });
  const ids: string[][] = [];
  for (const slots of outcomes) {
    const lease = await api.lease({ campaignId });
    const visits = slots.map((onLoad, slot): VisitUpload => {
      const metrics = sampleMetrics({ onLoad: onLoad ?? 0, speedIndex: 5_000 });
      return sampleVisit(lease, slot, onLoad === null ? invalidOutcome('load-timeout') : { outcome: { verdict: 'valid', metrics } });
    });
    for (const visit of visits) {
      await api.upload(lease, visit);
      await api.app.inject({
        method: 'PUT',
        url: `/api/v1/visits/${visit.id}/evidence`,
        payload: gzipSync(visit.id),
        headers: { 'content-type': 'application/gzip' },
      });
    }
    await api.complete(lease);
    ids.push(visits.map(({ id }) => id));
  }
  return ids;
}
const statuses = (api: TestApi, ids: string[]) =>
  Promise.all(ids.map(async (id) => (await api.app.inject(`/api/v1/visits/${id}/evidence`)).statusCode));
const filesIn = (api: TestApi) =>
  readdirSync(join(api.folder, 'evidence'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;

test('outliers: when the campaign is over, evidence of the valid visits goes that are none in the primary metric of their slot', async (t) => {
  const api = await testApi(t);
  const request: Partial<CampaignRequest> = { protocols: ['h2', 'h3'], evidence: 'outliers' };
  const usual = [300, 302, 299, 301, 298, 303, 300];
  // 900 is an outlier of h2; of h3, where all take as long, it is none.
  const rounds = [...usual.map((onLoad) => [onLoad, 890 + (onLoad % 10)]), [900, 900], [null, 900]];
  const ids = await performed(api, request, rounds);
  await api.app.evidenceSettled();
  assert.deepEqual(
    await statuses(
      api,
      ids.map(([h2 = '']) => h2),
    ),
    [...usual.map(() => 410), 200, 200],
  );
  assert.deepEqual(
    await statuses(
      api,
      ids.map(([, h3 = '']) => h3),
    ),
    rounds.map(() => 410),
  );
  assert.equal(filesIn(api), 2);
  const { detail } = (await api.get(`/visits/${ids[0]?.[0]}/evidence`)).body;
  assert.match(detail, /was kept until its campaign was over, which keeps only other visits’ \(evidence\)\. Its metrics stay\./);
  assert.match(await api.app.metrics.text(), /pronghorn_evidence_removed_total\{why="policy"\} 16\n/);
});

test('outliers: nothing goes while the campaign goes on, of too few to tell, or of what is pinned', async (t) => {
  const api = await testApi(t);
  const some = await performed(api, { protocols: ['h2'], evidence: 'outliers', rounds: 8 }, [[1], [1], [1], [1], [1], [1]]);
  await api.app.evidenceSettled();
  assert.deepEqual([...new Set(await statuses(api, some.flat()))], [200]);
  const [pinned = '', ...others] = some.flat();
  await api.send('PUT', `/visits/${pinned}/pin`);
  await api.post('/campaigns/1/cancel');
  await api.app.evidenceSettled();
  assert.deepEqual(await statuses(api, [pinned, ...others]), [200, ...others.map(() => 410)]);

  const few = await performed(api, { protocols: ['h2'], evidence: 'outliers' }, [[1], [1], [900], [1]]);
  await api.app.evidenceSettled();
  assert.deepEqual([...new Set(await statuses(api, few.flat()))], [200]);
});

test('on-demand: a day after its campaign, evidence goes that nobody pinned, but for invalid visits’', async (t) => {
  const folder = testFolder(t);
  const database = join(folder, 'pronghorn.db');
  const api = await testApi(t, { database });
  const [first = '', invalid = '', pinned = ''] = (
    await performed(api, { protocols: ['h2'], evidence: 'on-demand' }, [[300], [null], [302]])
  ).flat();
  const always = (await performed(api, { protocols: ['h2'] }, [[300]])).flat();
  await api.app.evidenceSettled();
  await api.send('PUT', `/visits/${pinned}/pin`);
  assert.deepEqual(await statuses(api, [first, invalid, pinned]), [200, 200, 200]);
  await api.app.close();

  const now = api.clock.now + onDemandMs;
  const next = await testApi(t, { database, evidenceDirectory: join(api.folder, 'evidence'), now: () => now });
  await next.app.evidenceSettled();
  assert.deepEqual(await statuses(next, [first, invalid, pinned, ...always]), [410, 200, 200, 200]);
});

/** A gzipped id has 55 or 56 bytes: room for six. */
test('under a budget, what on-demand does without goes before all else', async (t) => {
  const api = await testApi(t, { evidence: { budgetBytes: 6 * 56 + 20 } });
  const before = (await performed(api, { protocols: ['h2'] }, [[300], [301]])).flat();
  const demanded = (await performed(api, { protocols: ['h2'], evidence: 'on-demand' }, [[300], [302]])).flat();
  await api.app.evidenceSettled();
  const after = (await performed(api, { protocols: ['h2'] }, [[300], [301], [302], [303]])).flat();
  const there = async (ids: string[]) => (await statuses(api, ids)).filter((status) => status === 200).length;
  assert.deepEqual([await there(before), await there(demanded), await there(after)], [2, 0, 4]);
});
