import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTokens, startApi } from '@pronghorn/api';
import type { AuditEntry, LeaseSecrets, Page } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { type Ended, runHere } from '../testing/in-process.ts';

const main = join(import.meta.dirname, '../main.ts');
const value = 'correct horse battery staple';

/** Runs the command here, or in a process of its own with so much on standard input. */
function pronghorn(args: string[], given = '', env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  if (given === '') return runHere(['secret', ...args], { ...process.env, ...env });
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [main, 'secret', ...args], { env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
    // A command that refuses its options reads nothing.
    child.stdin?.on('error', () => {}).end(given);
  });
}

test(
  'a secret sealed on the data folder reaches the service there, and one sealed at the service the folder',
  proves('secrets'),
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'pronghorn-secret-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const database = join(folder, 'pronghorn.db');
    const api = await startApi({ database, evidenceDirectory: join(folder, 'evidence'), access: { kind: 'tokens' } });
    t.after(() => api.close());
    const tokens = openTokens(database);
    t.after(() => tokens.close());
    const admin = { PRONGHORN_API: api.url, PRONGHORN_TOKEN: (await tokens.create({ name: 'admin', role: 'admin' })).token };
    const submitter = (await tokens.create({ name: 'nightly', role: 'submitter' })).token;
    const file = join(folder, 'value');
    writeFileSync(file, `${value}\n`);

    const here = await pronghorn(['put', 'shop', '--host', '*.shop.example', '--host', 'login.example', '--data', folder], `${value}\n`);
    assert.equal(here.stdout, 'Secret shop is sealed for *.shop.example, login.example. Campaigns name it as secret:shop.\n', here.stderr);
    const there = await pronghorn(['put', 'staging', '--host', 'staging.example', '--env', 'STAGING'], '', { ...admin, STAGING: value });
    assert.equal(there.code, 0, there.stderr);
    assert.equal((await pronghorn(['put', 'login', '--host', 'login.example', '--file', file], '', admin)).code, 0);

    const listed = (await pronghorn(['list'], '', admin)).stdout;
    assert.match(listed, /login +login\.example .* admin\n *shop +\*\.shop\.example, login\.example .* this machine\n *staging /);
    assert.ok(!listed.includes(value));

    const call = async <T>(path: string, body?: object): Promise<T> => {
      const headers = { authorization: `Bearer ${admin.PRONGHORN_TOKEN}`, 'content-type': 'application/json' };
      const asked = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
      return (await (await fetch(`${api.url}/api/v1${path}`, asked)).json()) as T;
    };
    const visitor = { headers: ['shop', 'staging', 'login'].map((name) => ({ name: `X-${name}`, value: `secret:${name}` })) };
    await call('/campaigns', { sites: [{ url: 'https://site.example/', visitor }] });
    const { id } = await call<{ id: string }>('/leases', { runner: 'runner' });
    const { secrets } = await call<LeaseSecrets>(`/leases/${id}/secrets`);
    assert.deepEqual(
      secrets.map((secret) => [secret.name, secret.value, secret.hosts]),
      [
        ['shop', value, ['*.shop.example', 'login.example']],
        ['staging', value, ['staging.example']],
        ['login', value, ['login.example']],
      ],
    );
    const { items } = await call<Page<AuditEntry>>('/audit');
    assert.deepEqual(
      items.flatMap(({ action, subject, by }) => (action === 'secret.put' ? [[subject, by]] : [])),
      [
        ['login', 'admin'],
        ['staging', 'admin'],
        ['shop', null],
      ],
    );

    const refused = await pronghorn(['list'], '', { ...admin, PRONGHORN_TOKEN: submitter });
    assert.equal(refused.code, 77);
    assert.match(refused.stderr, /admin/);
    assert.equal((await pronghorn(['delete', 'staging', '--data', folder])).stdout, 'Secret staging is deleted.\n');
    const gone = await pronghorn(['delete', 'staging'], '', admin);
    assert.equal(gone.code, 2);
    assert.match(gone.stderr, /There is no secret staging/);
  },
);

test('what can be no secret is refused, and nothing is made of it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-secret-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const refused = async (args: string[], words: RegExp, given = '') => {
    const { code, stderr } = await pronghorn([...args, '--data', folder], given, { EMPTY: '', VALUE: value });
    assert.equal(code, 2, stderr);
    assert.match(stderr, words);
    assert.ok(!stderr.includes(value));
  };
  await refused(['put', 'shop'], /No host may receive the secret\. Name some with --host/, value);
  await refused(['put', 'shop', '--host', 'a.example'], /Standard input is empty; expected the secret/, '\n');
  await refused(['put', 'shop', '--host', 'a.example', '--env', 'EMPTY'], /EMPTY is empty/);
  await refused(['put', 'shop', '--host', 'a.example', '--env', 'NOT_SET'], /variable NOT_SET is not set/);
  await refused(['put', 'shop', '--host', 'a.example', '--file', join(folder, 'none')], /none can't be read \(there is no such file/);
  await refused(
    ['put', 'shop', '--host', 'https://a.example/', '--env', 'VALUE'],
    /hosts of shop are "https:.*expected 1 to 50, each a host or \*\.host/,
  );
  await refused(['put', 'a b', '--host', 'a.example', '--env', 'VALUE'], /The name is "a b"; expected/);
  assert.match((await pronghorn(['list', '--data', folder])).stdout, /^There are no secrets/);
});

test('what root seals on the data folder of another user is that user’s', {
  skip: process.getuid?.() === 0 ? false : 'needs root',
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-secret-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  chownSync(folder, 47_814, 47_815);
  const { code, stderr } = await pronghorn(['put', 'shop', '--host', 'a.example', '--data', folder], value);
  assert.equal(code, 0, stderr);
  const files = readdirSync(folder);
  assert.ok(files.includes('secrets.key') && files.includes('pronghorn.db'), String(files));
  for (const file of files) {
    const { uid, gid } = statSync(join(folder, file));
    assert.deepEqual([uid, gid], [47_814, 47_815], file);
  }
});
