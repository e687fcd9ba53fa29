import assert from 'node:assert/strict';
import { get } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { startApi } from './server.ts';
import { testFolder } from './testing/test-api.ts';

test('on a port of their own metrics need no token, are not beside the API, and end with it', async (t) => {
  const folder = testFolder(t);
  const options = {
    database: join(folder, 'pronghorn.db'),
    evidenceDirectory: join(folder, 'evidence'),
    access: { kind: 'tokens' } as const,
  };
  const api = await startApi({ ...options, metricsAt: { host: '127.0.0.1', port: 0 } });
  const metrics = await fetch(`${api.metricsUrl}/metrics`);
  assert.match(await metrics.text(), /^pronghorn_queue_rounds/m);
  assert.deepEqual(await (await fetch(`${api.metricsUrl}/healthz`)).json(), { status: 'ok' });
  assert.ok([200, 503].includes((await fetch(`${api.metricsUrl}/readyz`)).status));
  assert.equal((await fetch(`${api.url}/metrics`)).status, 404);
  const port = Number(new URL(api.url).port);
  await assert.rejects(
    startApi({ ...options, metricsAt: { host: '127.0.0.1', port } }),
    /The metrics cannot listen on 127\.0\.0\.1, port \d+/,
  );
  await api.close();
  await assert.rejects(fetch(`${api.metricsUrl}/metrics`));
});

test('without one, metrics are for those who may read', async (t) => {
  const folder = testFolder(t);
  const api = await startApi({
    database: join(folder, 'pronghorn.db'),
    evidenceDirectory: join(folder, 'evidence'),
    access: { kind: 'tokens' },
  });
  t.after(() => api.close());
  assert.equal((await fetch(`${api.url}/metrics`)).status, 401);
  const token = await api.runnerToken('beside');
  const withToken = (path: string) => fetch(api.url + path, { headers: { authorization: `Bearer ${token}` } });
  assert.equal((await withToken('/metrics')).status, 403); // a runner's may not
  assert.equal((await withToken('/api/v1/health')).status, 200);
  assert.notEqual(await api.runnerToken('beside'), token);
  assert.equal((await withToken('/metrics')).status, 401, 'the one before is revoked');
});

test('metrics on a port of their own are for addresses and names of the service, not for a page that has another name point here', async (t) => {
  const folder = testFolder(t);
  const api = await startApi({
    database: join(folder, 'pronghorn.db'),
    evidenceDirectory: join(folder, 'evidence'),
    allowedHosts: ['metrics.internal.example'],
    metricsAt: { host: '127.0.0.1', port: 0 },
  });
  t.after(() => api.close());
  const { port } = new URL(api.metricsUrl ?? '');
  const statusFor = (path: string, host: string) =>
    new Promise((resolve, reject) => {
      get({ port, path, headers: { host } }, (reply) => resolve(reply.resume().statusCode)).on('error', reject);
    });
  for (const path of ['/metrics', '/healthz']) {
    assert.equal(await statusFor(path, `127.0.0.1:${port}`), 200);
    assert.equal(await statusFor(path, 'metrics.internal.example:9464'), 200);
    assert.equal(await statusFor(path, 'rebound.example'), 421);
  }
});
