import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalidOutcome, sampleVisit } from '../../../testing/samples.ts';
import { testApi } from '../../../testing/test-api.ts';

test('a round is read by itself, and its visits by round and by whether they count', async (t) => {
  const api = await testApi(t);
  await api.campaign({ rounds: 2, protocols: ['h2', 'h3'] });
  for (let i = 0; i < 2; i++) {
    const lease = await api.lease();
    await api.upload(lease, sampleVisit(lease, 0, { ...invalidOutcome('busy-machine'), position: 0 }));
    await api.upload(lease, sampleVisit(lease, 0, { position: 1, retry: 1 }));
    await api.upload(lease, sampleVisit(lease, 1, { position: 2 }));
    await api.complete(lease);
  }
  const [first] = (await api.get('/campaigns/1/rounds')).body.items;
  assert.deepEqual((await api.get(`/rounds/${first.id}`)).body, first);
  assert.equal((await api.get('/rounds/99')).status, 404);
  const visits = async (query: string) => (await api.get(`/campaigns/1/visits?${query}`)).body.items;
  assert.equal((await visits(`roundId=${first.id}`)).length, 3);
  assert.equal((await visits('counted=true')).length, 4);
  const [uncounted, ...others] = await visits(`roundId=${first.id}&counted=false`);
  assert.deepEqual([uncounted.outcome.verdict, others.length], ['invalid', 0]);
});
