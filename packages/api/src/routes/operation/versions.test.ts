import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { version } from '@pronghorn/core/vocabulary';
import { tokenApi } from '../../testing/test-api.ts';

test('whoever reaches a service can ask which versions it speaks, and each link leads somewhere', async (t) => {
  const { app } = await tokenApi(t);
  const reply = await app.inject('/api');
  assert.equal(reply.statusCode, 200);
  const { service, version: told, versions, docs } = reply.json();
  assert.deepEqual([service, told, versions.length], ['pronghorn', version, 1]);
  const [{ url, openapi, status }] = versions;
  assert.equal(status, 'current');
  assert.equal((await app.inject(`${url}/health`)).statusCode, 200);
  assert.equal((await app.inject(docs)).statusCode, 200);
  const document = (await app.inject(openapi)).json();
  assert.equal(document.info.version, version);
  assert.ok(Object.keys(document.paths).every((path) => path.startsWith(`${url}/`)));
});

test('a field that a service does not know is refused by its name, as docs/api.md says', async (t) => {
  const { ask } = await tokenApi(t);
  const payload = { sites: [{ url: 'https://site.example/' }], notYetInvented: true };
  const { status, body } = await ask('submitter', 'POST', '/campaigns', { payload });
  assert.equal(status, 400);
  assert.match(JSON.stringify(body), /notYetInvented/);
  const docs = readFileSync(join(import.meta.dirname, '../../../../../docs/api.md'), 'utf8');
  assert.match(docs, /## What may change/);
});
