import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { problems } from '@pronghorn/core/schemas';
import { testApi } from '../../testing/test-api.ts';

const reference = readFileSync(join(import.meta.dirname, '../../../../../docs/api.md'), 'utf8');

test('docs/api.md lists every route, and no other', async (t) => {
  const { app } = await testApi(t);
  const listed = [...reference.matchAll(/^\| `(GET|POST|PUT|DELETE) (\/[^`?]*)/gm)].map(([, method, path]) => `${method} /api/v1${path}`);
  const served = app.routeAccess.flatMap(({ method, url }) => (method !== 'HEAD' && url.startsWith('/api/') ? `${method} ${url}` : []));
  assert.deepEqual(listed.sort(), served.sort());
});

test('docs/api.md lists every kind of problem with its status', () => {
  const listed = [...reference.matchAll(/^\| `([a-z-]+)` +\| (\d{3}) +\|/gm)].map(([, kind, status]) => [kind, Number(status)]);
  assert.deepEqual(
    listed,
    Object.entries(problems).map(([kind, { status }]) => [kind, status]),
  );
});
