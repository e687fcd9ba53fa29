import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startApi } from '@pronghorn/api';
import { UsageError } from '../program/errors.ts';
import { findNamed, remoteApi } from './remote-service.ts';

/** A service with gates of these names, and what is asked of it. */
async function serviceWith(t: TestContext, names: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-named-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const running = await startApi({ database: ':memory:', evidenceDirectory: join(folder, 'evidence') });
  t.after(() => running.close());
  const api = remoteApi({ url: running.url, token: null });
  for (const name of names) await api.ask('POST /gates', { body: { name, campaign: null, rules: { assertions: ['onLoad <= 2 s'] } } });
  const asked: unknown[] = [];
  const ask: typeof api.ask = (route, given) => {
    asked.push([route, given]);
    return api.ask(route, given);
  };
  return { find: (given: string) => findNamed({ ...api, ask }, 'gate', given), asked };
}

test('what has a name is found by one question, however many there are', async (t) => {
  const { find, asked } = await serviceWith(t, ['shop & more', 'blog']);
  assert.equal((await find('shop & more')).id, '1');
  assert.deepEqual(asked, [['GET /gates', { query: { name: 'shop & more' } }]]);
});

test('what has no such name is found by its id', async (t) => {
  const { find, asked } = await serviceWith(t, ['shop', 'blog']);
  assert.equal((await find('2')).name, 'blog');
  assert.deepEqual(asked, [
    ['GET /gates', { query: { name: '2' } }],
    ['GET /gates/{id}', { id: '2' }],
  ]);
});

test('what is not there is told with the names of those that are', async (t) => {
  const { find } = await serviceWith(t, ['shop', 'blog']);
  for (const given of ['none', '7', '']) {
    await assert.rejects(find(given), (error) => {
      assert.ok(error instanceof UsageError);
      assert.equal(error.message, `There is no gate "${given}"; the service has "shop", "blog".`);
      return true;
    });
  }
});
