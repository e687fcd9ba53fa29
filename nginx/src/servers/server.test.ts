import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverWish, serverWords } from './server.ts';

test('a server is named alone or with a version, and nothing else is taken for one', () => {
  for (const text of ['nginx', 'caddy', 'caddy@2.11.9', 'nginx@1.26.3']) assert.equal(serverWords(serverWish(text)), text);
  assert.deepEqual(serverWish('caddy@2.11.9'), { name: 'caddy', version: '2.11.9' });
  for (const text of [
    '',
    'apache',
    'Caddy',
    'caddy@',
    'caddy@2.11',
    'caddy@v2.11.9',
    'caddy@latest',
    'caddy@2.11.9@1',
    'caddy@../../tmp',
  ]) {
    assert.throws(() => serverWish(text), new RegExp(`"${text}" is not a server; expected nginx or caddy, or a version`));
  }
});
