import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Visitor } from '@pronghorn/core/schemas';
import { testFolder } from '../testing/test-folder.ts';
import { localSecrets, resolveVisitor } from './resolve.ts';

const page = 'https://www.own.test/';
const resolved = (visitor: Visitor, value = 'hunter22', hosts: string[] = ['*.own.test']) =>
  resolveVisitor(visitor, page, async () => ({ value, hosts }), { factor: 1, machineIndex: null });
const pass = 'secret:pass';

test('a sealed secret goes into no cookie of a host that it is not sealed for, be it by a step', async () => {
  const cookie = (domain?: string) => ({ value: pass, ...(domain === undefined ? {} : { domain }) });
  for (const domain of ['evil.test', '.evil.test', 'test', 'notown.test']) {
    await assert.rejects(resolved({ cookies: [{ name: 'sid', ...cookie(domain) }] }), /the cookie goes to/, domain);
    await assert.rejects(resolved({ steps: [{ cookie: 'sid', ...cookie(domain) }] }), /the cookie goes to/, domain);
  }
  for (const domain of [undefined, 'own.test', '.shop.own.test']) {
    const { visitor } = await resolved({ cookies: [{ name: 'sid', ...cookie(domain) }] });
    assert.equal(visitor.visitor.cookies?.[0]?.value, 'hunter22');
  }
});

test('if requests pass a proxy, a sealed secret is sealed for that too: with its own authority it could read all', async () => {
  const proxy = 'http://proxy.evil.test:3128';
  const uses: Visitor[] = [
    { headers: [{ name: 'X-Token', value: pass }] },
    { basicAuth: { user: 'ann', password: pass } },
    { steps: [{ type: '#password', secret: pass }] },
    { proxyAuth: { user: 'ann', password: pass } },
  ];
  for (const use of uses) await assert.rejects(resolved({ ...use, proxy }), /Seal it for proxy\.evil\.test too/, JSON.stringify(use));
  for (const use of uses) await resolved({ ...use, proxy }, 'hunter22', ['*.own.test', 'proxy.evil.test']);
});

test('a secret that can’t stand in a header or cookie is reported, without its value', async () => {
  for (const visitor of [
    { headers: [{ name: 'X-Token', value: pass }] },
    { cookies: [{ name: 'sid', value: pass }] },
    { basicAuth: { user: 'ann', password: pass } },
    { proxy: 'http://proxy.own.test:1', proxyAuth: { user: 'ann', password: pass } },
  ] satisfies Visitor[]) {
    await assert.rejects(resolved(visitor, 'hunter22\r\nX-Evil: 1'), ({ message }: Error) => {
      assert.match(message, /secret:pass .*line break/);
      assert.doesNotMatch(message, /hunter/);
      return true;
    });
  }
});

test('a secret that is part of the page’s URL is no secret: without it no URL would be the page’s', async () => {
  const headers = (value: string) => resolved({ headers: [{ name: 'X-Token', value: pass }] }, value);
  assert.deepEqual((await headers('own.test')).secrets, []);
  assert.deepEqual((await headers('hunter22')).secrets, ['hunter22']);
});

test('a file without an end, a pipe without a writer and a folder are no secrets, and nothing waits for them', async (t) => {
  const pipe = join(testFolder(t), 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const [name, why] of [
    ['/dev/zero', /more than 100000 bytes/],
    [pipe, /is empty/],
    ['/', /EISDIR/],
  ] as const)
    await assert.rejects(localSecrets({ kind: 'file', name }), why, name);
  const file = `${pipe}.txt`;
  writeFileSync(file, 'hunter22\n');
  assert.equal((await localSecrets({ kind: 'file', name: file })).value, 'hunter22');
});
