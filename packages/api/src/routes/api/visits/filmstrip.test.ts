import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Filmstrip } from '@pronghorn/core/schemas';
import { sampleVisit } from '../../../testing/samples.ts';
import { testApi } from '../../../testing/test-api.ts';

const origin = 1_700_000_000_000;

test('a visit’s filmstrip comes out of its evidence, as long as that is kept', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'] });
  const lease = await api.lease();
  const { id } = sampleVisit(lease, 0);
  assert.deepEqual((await api.get(`/visits/${id}/filmstrip`)).status, 404);
  await api.upload(lease, sampleVisit(lease, 0, { id }));
  const nothing = { frames: [], recorded: 0, progress: null };
  assert.deepEqual((await api.get(`/visits/${id}/filmstrip`)).body, { ...nothing, missing: 'not-kept' });

  const put = (payload: Buffer, of = id) =>
    api.app.inject({ method: 'PUT', url: `/api/v1/visits/${of}/evidence`, payload, headers: { 'content-type': 'application/gzip' } });
  const frames = Array.from({ length: 100 }, (_, index) => ({ timestamp: origin + index, jpegBase64: String(index) }));
  const progress = frames.map((_, index) => ({ atMs: index, completeness: index / 99 }));
  await put(gzipSync(JSON.stringify({ evidence: { page: { timeOrigin: origin }, frames }, progress })));
  const strip = async (query: string): Promise<Filmstrip> => (await api.get(`/visits/${id}/filmstrip${query}`)).body;
  assert.deepEqual([(await strip('')).frames.length, (await strip('?frames=7')).frames.length], [60, 7]);
  assert.deepEqual((await strip('?frames=2')).frames, [
    { atMs: 0, completeness: 0, jpegBase64: '0' },
    { atMs: 99, completeness: 1, jpegBase64: '99' },
  ]);
  assert.deepEqual([(await strip('?frames=2')).recorded, (await strip('?frames=2')).progress], [100, progress]);
  for (const query of ['?frames=0', '?frames=241', '?frames=x', '?other=1']) {
    assert.equal((await api.get(`/visits/${id}/filmstrip${query}`)).status, 400, query);
  }

  const other = sampleVisit(lease, 0);
  await api.upload(lease, other);
  await put(gzipSync('{"evidence":'), other.id);
  assert.deepEqual((await api.get(`/visits/${other.id}/filmstrip`)).body, { ...nothing, missing: 'unreadable' });
});
