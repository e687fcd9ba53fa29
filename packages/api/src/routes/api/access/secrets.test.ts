import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { problemType } from '@pronghorn/core/schemas';
import { testApi, testFolder } from '../../../testing/test-api.ts';

const value = 'correct horse battery staple';
const hosts = ['*.site.example'];
const visitor = { basicAuth: { user: 'ann', password: 'secret:staging' } };

test('a secret is put, listed and deleted, and never read back', async (t) => {
  const { put, get, delete: remove } = await testApi(t);
  assert.equal((await put('/secrets/staging', { value, hosts })).status, 200);
  const listed = await get('/secrets');
  assert.deepEqual(
    listed.body.items.map(({ name, hosts: of }: { name: string; hosts: string[] }) => [name, of]),
    [['staging', hosts]],
  );
  assert.ok(!JSON.stringify([listed.body, (await get('/audit')).body]).includes(value));
  assert.equal((await remove('/secrets/staging')).status, 204);
  assert.equal((await remove('/secrets/staging')).status, 404);
});

test('nothing on disk has the secret, and its key is readable by its owner alone', async (t) => {
  const folder = testFolder(t);
  const api = await testApi(t, { database: join(folder, 'pronghorn.db') });
  await api.put('/secrets/staging', { value, hosts });
  await api.campaign({ visitor });
  for (const name of readdirSync(folder)) {
    const kept = readFileSync(join(folder, name));
    assert.ok(!kept.includes(value) && !kept.includes(Buffer.from(value).toString('base64')), name);
  }
  assert.equal(statSync(join(folder, 'secrets.key')).mode & 0o777, 0o600);
});

test('whoever leased a round of the campaign gets its secrets, until the lease is over', async (t) => {
  const { put, get, post, campaign, lease } = await testApi(t);
  await put('/secrets/staging', { value, hosts });
  await put('/secrets/other', { value: 'of nobody here', hosts });
  const made = await campaign({ visitor });
  assert.deepEqual(made.spec.visitor, visitor, 'the campaign has the reference');
  const { id } = await lease();
  assert.deepEqual((await get(`/leases/${id}/secrets`)).body, { secrets: [{ name: 'staging', value, hosts }] });
  await post(`/leases/${id}/release`, { reason: 'enough' });
  assert.equal((await get(`/leases/${id}/secrets`)).status, 409);
});

test('a disk that is full when the first secret is sealed leaves no key that is none', async (t) => {
  const folder = testFolder(t);
  const seal = new URL('../../../storage/seal.ts', import.meta.url).href;
  const script = `const { sealBeside } = await import('${seal}'); sealBeside('${folder}/pronghorn.db').close('a', 'b');`;
  // No file may grow beyond 0 blocks.
  const full = spawnSync('sh', ['-c', 'ulimit -f 0; exec "$0" --input-type=module -e "$1"', process.execPath, script], {
    encoding: 'utf8',
  });
  assert.match(full.stderr, /EFBIG/);
  assert.deepEqual(readdirSync(folder), []);
  const { put } = await testApi(t, { database: join(folder, 'pronghorn.db') });
  assert.equal((await put('/secrets/staging', { value, hosts })).status, 200);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('secrets')),
    ['secrets.key'],
  );
});

test('without its key a secret is told to be locked, and the key that is brought back opens it', async (t) => {
  const folder = testFolder(t);
  const options = { database: join(folder, 'pronghorn.db') };
  const file = join(folder, 'secrets.key');
  {
    const { app, put, campaign } = await testApi(t, options);
    await put('/secrets/staging', { value, hosts });
    await campaign({ visitor });
    await app.close();
  }
  const key = readFileSync(file);
  const { get, put, lease } = await testApi(t, options);
  const { id } = await lease();
  const refused = async (words: RegExp) => {
    const { status, body } = await get(`/leases/${id}/secrets`);
    assert.deepEqual([status, body.type], [409, problemType('secrets-locked')]);
    assert.match(body.detail, words);
  };
  rmSync(file);
  await refused(/secrets\.key beside the database, can't be read \(ENOENT\)\. Bring the right one back/);
  assert.ok(!readdirSync(folder).includes('secrets.key'), 'no other is made for what another sealed');
  writeFileSync(file, '');
  await refused(/has 0 bytes; expected 32/);
  assert.equal((await put('/secrets/other', { value, hosts })).body.type, problemType('secrets-locked'));
  writeFileSync(file, Buffer.alloc(32));
  await refused(/staging can't be opened: secrets\.key beside the database is not the one that sealed it/);
  writeFileSync(file, key);
  assert.equal((await get(`/leases/${id}/secrets`)).status, 200);
});

test('a campaign with a secret in it is refused, and one that refers to the machine of the service', async (t) => {
  const { post } = await testApi(t);
  const refused = async (one: object, words: RegExp) => {
    const { status, body } = await post('/campaigns', { sites: [{ url: 'https://site.example/' }], visitor: one });
    assert.equal(status, 422, JSON.stringify(body));
    assert.match(body.detail, words);
  };
  await refused(
    { headers: [{ name: 'Authorization', value: 'Bearer 1234567890' }] },
    /headers\/0\/value holds a secret .* expected a reference: secret:NAME/,
  );
  await refused({ cookies: [{ name: 'session_id', value: '1234567890' }] }, /cookies\/0\/value/);
  await refused(
    { headers: [{ name: 'X-Token', value: 'env:PRONGHORN_TOKEN' }] },
    /environment variable of the machine .* expected secret:NAME/,
  );
  await refused({ steps: [{ cookie: 'a', value: 'file:/etc/shadow' }] }, /steps\/0\/value names a file/);
  const { status } = await post('/campaigns', {
    sites: [{ url: 'https://site.example/', visitor: { headers: [{ name: 'X-Staging', value: 'yes' }] } }],
  });
  assert.equal(status, 201);
});
