import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testApi } from '../../testing/test-api.ts';

const dashboard = readFileSync(join(import.meta.dirname, '../../../../web/index.html'), 'utf8');

test('every answer has the security headers, refusals too, and none lets another origin read', async (t) => {
  const { app } = await testApi(t);
  for (const [url, host, status] of [
    ['/api/v1/health', 'localhost', 200],
    ['/api/v1/campaigns/1', 'localhost', 404],
    ['/nothing', 'localhost', 404],
    ['/api/v1/health', 'rebound.example', 421],
  ] as const) {
    const { headers, statusCode } = await app.inject({ url, headers: { host, origin: 'https://evil.example' } });
    assert.equal(statusCode, status, url);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['x-frame-options'], 'DENY');
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
    assert.match(String(headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'none'/);
    assert.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith('access-control-')),
      [],
    );
  }
});

test('another origin’s question whether it may ask is not answered with yes', async (t) => {
  const { app } = await testApi(t);
  const { statusCode, headers } = await app.inject({
    method: 'OPTIONS',
    url: '/api/v1/campaigns',
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
  });
  assert.ok(statusCode >= 400);
  assert.equal(headers['access-control-allow-origin'], undefined);
});

test('the header allows what the dashboard’s own policy allows, and nothing more', async (t) => {
  const { app } = await testApi(t);
  const [, meta = ''] = /content="(default-src [^"]*)"/.exec(dashboard) ?? [];
  const directives = (policy: string) => policy.split(';').map((directive) => directive.trim());
  const sent = directives(String((await app.inject('/api/v1/health')).headers['content-security-policy']));
  // What a page can't say of itself stands in the header alone.
  assert.deepEqual(sent, [...directives(meta), "frame-ancestors 'none'"]);
});
