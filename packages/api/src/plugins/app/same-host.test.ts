import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemType } from '@pronghorn/core/schemas';
import { testApi } from '../../testing/test-api.ts';

test('only localhost, addresses and names that were allowed may be asked for', async (t) => {
  const api = await testApi(t, { allowedHosts: ['api.internal.example'] });
  const statusFor = async (host: string) => (await api.app.inject({ method: 'GET', url: '/api/v1/health', headers: { host } })).statusCode;
  for (const host of [
    'localhost',
    'localhost:8080',
    'app.localhost',
    'LOCALHOST:80',
    '127.0.0.1:4000',
    '127.9.8.7',
    '[::1]:4000',
    '192.0.2.7:80',
    'api.internal.example:80',
  ]) {
    assert.equal(await statusFor(host), 200, host);
  }
  for (const host of ['rebound.example', 'rebound.example:8080', 'localhost.rebound.example', '127.0.0.1.rebound.example', 'a b']) {
    assert.equal(await statusFor(host), 421, host);
  }
});

test('what is served without a route is kept from other hosts too', async (t) => {
  const api = await testApi(t);
  const { statusCode, body } = await api.app.inject({ method: 'GET', url: '/nothing', headers: { host: 'rebound.example' } });
  assert.equal(statusCode, 421);
  assert.equal(JSON.parse(body).type, problemType('unknown-host'));
});

test('another web page can change nothing', async (t) => {
  const api = await testApi(t);
  await api.campaign();
  const cancel = async (origin: string) =>
    (await api.app.inject({ method: 'POST', url: '/api/v1/campaigns/1/cancel', headers: { host: '127.0.0.1:4000', origin } })).statusCode;
  for (const origin of ['https://evil.example', 'http://127.0.0.1:5000', 'null']) assert.equal(await cancel(origin), 403, origin);
  assert.equal((await api.get('/campaigns/1')).body.state, 'queued');
  assert.equal(await cancel('http://127.0.0.1:4000'), 200);
});
