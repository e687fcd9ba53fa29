import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ensureCertificates, spkiHash } from './certificates.ts';

async function temporary(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'pronghorn-test-'));
  t.after(() => rm(directory, { recursive: true }));
  return directory;
}

const certificate = async (path: string) => new X509Certificate(await readFile(path));
const dayMs = 24 * 3600_000;

test('the leaf is for every demo host, from the CA, and for no longer than Chrome allows', async (t) => {
  const { caFile, leaf, selfSigned, spki } = await ensureCertificates(await temporary(t));
  const [ca, own, stray] = await Promise.all([caFile, leaf.certificate, selfSigned.certificate].map(certificate));
  assert.ok(ca && own && stray);
  assert.equal(own.verify(ca.publicKey), true);
  assert.equal(own.checkHost('article.pronghorn.test'), '*.pronghorn.test');
  assert.equal(own.checkHost('example.com'), undefined);
  assert.ok(Date.parse(own.validTo) - Date.parse(own.validFrom) <= 397 * dayMs);
  assert.equal(spki, spkiHash(own.toString()));

  assert.equal(stray.verify(ca.publicKey), false);
  assert.notEqual(spkiHash(stray.toString()), spki, 'the list that trusts the leaf’s key does not cover it');
});

test('keys are for their owner alone, and the CA’s is gone', async (t) => {
  const { caFile, leaf } = await ensureCertificates(await temporary(t));
  assert.equal((await stat(leaf.key)).mode & 0o077, 0);
  assert.deepEqual((await readdir(dirname(caFile))).sort(), ['ca.crt', 'leaf.crt', 'leaf.key', 'self-signed.crt', 'self-signed.key']);
});

test('they are kept between starts, and replaced a month before they end', async (t) => {
  const directory = await temporary(t);
  const first = await ensureCertificates(directory);
  assert.deepEqual(await ensureCertificates(directory), first);
  const late = new Date(Date.now() + 340 * dayMs);
  const renewed = await ensureCertificates(directory, late);
  assert.notEqual(renewed.spki, first.spki);
  assert.equal((await stat(first.leaf.key)).isFile(), true, 'an origin that runs still has its own');
  assert.deepEqual(await ensureCertificates(directory, late), renewed);
});

test('two starts at once each get a whole set', async (t) => {
  const directory = await temporary(t);
  const sets = await Promise.all([ensureCertificates(directory), ensureCertificates(directory), ensureCertificates(directory)]);
  for (const { caFile, leaf } of sets) {
    assert.equal((await certificate(leaf.certificate)).verify((await certificate(caFile)).publicKey), true);
  }
});
