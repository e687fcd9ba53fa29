import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemType } from '@pronghorn/core/schemas';
import { sampleEnvironment } from '../../../testing/samples.ts';
import { testApi } from '../../../testing/test-api.ts';

const id = 'cd'.repeat(32);

test('an environment is stored once, and never changes', async (t) => {
  const api = await testApi(t);
  const environment = sampleEnvironment(id);
  assert.equal((await api.put(`/environments/${id}`, environment)).status, 201);
  assert.equal((await api.put(`/environments/${id}`, environment)).status, 200);
  assert.deepEqual((await api.get(`/environments/${id}`)).body, environment);
  const other = await api.put(`/environments/${id}`, { ...environment, origin: { server: 'nginx' } });
  assert.deepEqual([other.status, other.body.type], [409, problemType('already-different')]);
  assert.deepEqual((await api.get(`/environments/${id}`)).body, environment);
});

test('an environment under another id than its own is refused', async (t) => {
  const api = await testApi(t);
  const { status, body } = await api.put('/environments/other', sampleEnvironment(id));
  assert.equal(status, 400);
  assert.equal(body.detail, `The environment's id is ${id}, and its path says other; expected the same.`);
  assert.equal((await api.get('/environments/other')).body.detail, 'There is no environment other.');
});
