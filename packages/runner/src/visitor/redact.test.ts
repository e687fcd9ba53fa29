import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { cpuMs } from '@pronghorn/core/testing';
import { redactor } from './redact.ts';

const secret = 'p|ä "{s}^w\\d\' /+=&<ß';

test('a secret is replaced however a page wrote it, and what stands around it stays', () => {
  const redact = redactor([secret]);
  const url = new URL('https://own.test/find');
  url.search = `?q=${secret}`;
  const inPath = new URL(`https://own.test/x${encodeURI(secret)}/`);
  const ways = [
    secret,
    encodeURIComponent(secret),
    encodeURIComponent(secret).toLowerCase(),
    encodeURIComponent(encodeURIComponent(secret)),
    encodeURI(secret),
    new URLSearchParams({ q: secret }).toString().slice(2),
    encodeURIComponent(new URLSearchParams({ q: secret }).toString().slice(2)),
    url.search.slice(3),
    inPath.pathname.slice(2, -1),
    JSON.stringify(secret).slice(1, -1),
    secret.replace(/[^a-z]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`),
    secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;').replaceAll('<', '&lt;'),
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
    encodeURIComponent(Buffer.from(secret).toString('base64')),
  ];
  for (const way of ways) assert.match(redact(`before ${way} behind`), /^before \[secret\](=|%3D)* behind$/, way);
});

test('in names of headers and depths too, but not in pictures; a short secret would hit words of the page', () => {
  const found = { entries: [{ headers: { 'X-hunter22': ['is hunter22.'] } }], jpegBase64: 'hunter22', size: 22, none: null };
  assert.deepEqual(redactor(['hunter22', 'page'])(found), {
    entries: [{ headers: { 'X-[secret]': ['is [secret].'] } }],
    jpegBase64: 'hunter22',
    size: 22,
    none: null,
  });
  assert.equal(redactor(['page'])(found), found);
});

test('of a secret that begins as another one nothing is left', () => {
  assert.equal(redactor(['hunter22', 'hunter22-and-more'])('hunter22-and-more hunter22'), '[secret] [secret]');
});

test('a secret of any length is found, and none of its pieces is by itself', () => {
  for (const secret of ['ab c+/=\\&"'.repeat(1_000), 'x'.repeat(10_000), '\\%&+'.repeat(500)]) {
    const redact = redactor([secret, 'another one']);
    const ways = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), Buffer.from(secret).toString('base64url')];
    for (const way of ways) assert.match(redact(`before ${way} behind`), /^before \[secret\] behind$/);
    const most = secret.slice(0, -2);
    assert.equal(redact(`before ${most}`), `before ${most}`);
  }
});

test('a secret that is a word of the evidence leaves it evidence', () => {
  const found = {
    network: [
      { method: 'Network.responseReceived', params: { requestId: '1000.2', type: 'Document', response: { status: 200, headers: {} } } },
    ],
    bodyBytes: { '1000.2': 5 },
  };
  assert.deepEqual(redactor(['status', 'Network.responseReceived', 'Document', '1000.2', 'params', 'headers'])(found), found);
});

test('of a secret that was cut with its text, the beginning goes too', () => {
  const redact = redactor([secret]);
  for (const way of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
    for (let length = 12; length < way.length; length++) {
      const cleaned = redact(`https://own.test/find?q=${way.slice(0, length)}…`);
      if (way === secret || length >= 23) assert.match(cleaned, /q=\[secret\]=?…$/, way.slice(0, length));
    }
  assert.equal(redactor(['hunter22-and-more'])('by hunter22… and hunter22'), 'by [secret]… and hunter22');
});

test('hundreds of cookies are looked for as fast as one, also where a page repeats their beginning', async () => {
  const cookies = Array.from({ length: 600 }, (_, i) => createHash('sha256').update(`${i}`).digest('base64url'));
  const texts = Array.from({ length: 6_000 }, (_, i) => `https://cdn${i % 7}.own.test/a%20b/${'some/path-of-it/'.repeat(10)}?v=${i}`);
  const msOf = (secrets: readonly string[]) => {
    const redact = redactor(secrets);
    return cpuMs(() => assert.deepEqual(redact(texts), texts));
  };
  const leastOf = async (secrets: readonly string[]) => Math.min(await msOf(secrets), await msOf(secrets), await msOf(secrets));
  const [one, many] = [await leastOf(cookies.slice(0, 1)), await leastOf(cookies)];
  // One after the other they would take 600 times as long.
  assert.ok(many < 60 * one, `${many} ms of CPU time for 600, ${one} ms for one`);
  const alike = Array.from({ length: 600 }, (_, i) => 'x'.repeat(20 + i));
  assert.doesNotMatch(redactor(alike)(['x'.repeat(1_000_000), `${'x'.repeat(19)} `.repeat(50_000)]).join(), /x{20}/);
});

test('a URL whose host has a secret in it stays a URL', () => {
  const redact = redactor(['hunter22']);
  assert.equal(redact('https://cdn-hunter22.own.test:8443/hunter22?q=hunter22'), 'https://cdn-secret.own.test:8443/[secret]?q=[secret]');
  assert.equal(redact('at https://hunter22.test/'), 'at https://[secret].test/');
});
