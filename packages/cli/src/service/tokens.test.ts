import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startApi } from '@pronghorn/api';
import { proves } from '@pronghorn/core/testing';
import { runHere } from '../testing/in-process.ts';
import { expiryFrom } from './credentials.ts';

test('a token made on the data folder works in the service that runs there, until it is revoked', proves('access'), async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-token-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  /** @throws what it ended with, unless that is 0 */
  const pronghorn = async (...args: string[]) => {
    const ended = await runHere(['token', ...args, '--data', folder], process.env);
    if (ended.code !== 0) throw Object.assign(new Error(ended.stderr), ended);
    return ended;
  };
  const api = await startApi({
    database: join(folder, 'pronghorn.db'),
    evidenceDirectory: join(folder, 'evidence'),
    access: { kind: 'tokens' },
  });
  t.after(() => api.close());
  const statusWith = async (token: string) =>
    (await fetch(`${api.url}/api/v1/tokens`, { headers: { authorization: `Bearer ${token}` } })).status;

  const made = await pronghorn('create', '--role', 'admin', '--name', 'way in', '--expires', '1h');
  const token = made.stdout.trim();
  assert.match(token, /^prg_[0-9a-f]{64}$/);
  assert.match(made.stderr, /^Token 1, "way in", role admin, expires \d{4}-/);
  assert.equal(await statusWith(token), 200);

  const again = pronghorn('create', '--role', 'viewer', '--name', 'way in');
  await assert.rejects(again, { code: 2, stderr: /^pronghorn: Token 1 is named "way in" too\. Revoke it first/ });

  await assert.rejects(pronghorn('create', '--role', 'viewer', '--name', '77'), {
    code: 2,
    stderr: /The name is "77"; expected 1 to 100 printable/,
  });
  await assert.rejects(pronghorn('create', '--role', 'root', '--name', 'x'), {
    code: 2,
    stderr: /Allowed choices are viewer, submitter, runner, admin/,
  });

  const narrow = await pronghorn(
    'create',
    '--role',
    'submitter',
    '--name',
    'shop',
    '--gate',
    'checkout',
    '--gate',
    'n*',
    '--host',
    '*.shop.example',
  );
  assert.match(
    narrow.stderr,
    /^Token 2, "shop", role submitter, never expires\. It may read, and ask gates checkout and n\* of what leads to \*\.shop\.example only\. It is shown only now:/,
  );
  for (const [role, host, words] of [
    ['viewer', '*.shop.example', /^pronghorn: A scope narrows what a submitter may make; the role is viewer\./],
    ['submitter', 'https://shop.example', /^pronghorn: "https:\/\/shop\.example" is no host; expected one such as/],
  ] as const)
    await assert.rejects(pronghorn('create', '--role', role, '--name', 'x', '--host', host), { code: 2, stderr: words });

  const listed = (await pronghorn('list')).stdout;
  assert.match(listed, /shop +submitter +ask gates checkout and n\* of what leads to \*\.shop\.example +/);
  assert.match(listed, /way in +admin .* expires /);
  assert.ok(!listed.includes(token.slice(4)));

  assert.match((await pronghorn('revoke', 'way in')).stdout, /^Token 1, "way in", role admin, is revoked\./);
  assert.equal(await statusWith(token), 401);
  assert.match((await pronghorn('list')).stdout, /revoked /);
  await assert.rejects(pronghorn('revoke', 'way in'), { code: 2, stderr: /There is no token way in that is not revoked/ });
});

test('an expiry is a span or a time, and nothing else', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  for (const [text, time] of [
    ['90d', '2026-05-30T12:00:00.000Z'],
    ['12h', '2026-03-02T00:00:00.000Z'],
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T12:00:00+01:00', '2027-01-31T11:00:00.000Z'],
  ] as const) {
    assert.equal(expiryFrom(text, now).toISOString(), time);
  }
  for (const text of ['', '5', 'tomorrow', '90 d', '-1d', '31.1.2027', '2027-13-01'])
    assert.throws(() => expiryFrom(text, now), /--expires is “.*”; expected a time such as 90d/, text);
});
