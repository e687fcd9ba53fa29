import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Evidence } from '../gather/evidence.ts';
import { redactor } from '../visitor/redact.ts';
import { deriveResources } from './resources.ts';
import { type Received, responseSizes } from './response-sizes.ts';

const usual: Received = { protocol: 'h3', atHeaders: 223, whole: 10_223, decodedBody: 10_000, isEncoded: false, contentLength: undefined };
const sizesOf = (different: Partial<Received>) => {
  const { headerBytes, encodedBodyBytes } = responseSizes({ ...usual, ...different });
  return [headerBytes, encodedBodyBytes];
};

test('over HTTP/1.1 and HTTP/3 headers are the bytes before the response event, and the rest is body', () => {
  assert.deepEqual(sizesOf({}), [223, 10_000]);
  assert.deepEqual(sizesOf({ protocol: 'http/1.1' }), [223, 10_000]);
  assert.deepEqual(sizesOf({ isEncoded: true, decodedBody: 50_000, contentLength: 10_000 }), [223, 10_000]);
  assert.deepEqual(sizesOf({ whole: 223, decodedBody: 0 }), [223, 0], 'a 304, a HEAD');
});

test('over HTTP/2 headers are known where what came after them is the body in its frames', () => {
  const h2 = (different: Partial<Received>) => sizesOf({ protocol: 'h2', atHeaders: 198, ...different });
  assert.deepEqual(h2({ whole: 198 + 20_000 + 3 * 9, decodedBody: 20_000 }), [198, 20_000]);
  assert.deepEqual(h2({ whole: 198 + 20_000 + 9, decodedBody: 20_000 }), [null, 20_000], 'one frame holds 16,384 bytes');
  assert.deepEqual(h2({ atHeaders: 10_808, whole: 34_157, decodedBody: 33_914 }), [null, 33_914], 'some of the body had come');
  assert.deepEqual(h2({ atHeaders: 30_152, whole: 30_152, decodedBody: 29_917 }), [null, 29_917], 'all of it had');
  assert.deepEqual(h2({ whole: 198 + 20_000 + 3 * 9 + 4, decodedBody: 20_000 }), [null, 20_000], 'padding, or what else');
  assert.deepEqual(h2({ whole: 198, decodedBody: 0 }), [198, 0]);
});

test('only HTTP/3 gives the size of a compressed body without a length: chunks and frames are in the other totals', () => {
  const compressed = { isEncoded: true, decodedBody: 50_000 };
  assert.deepEqual(sizesOf(compressed), [223, 10_000]);
  assert.deepEqual(sizesOf({ ...compressed, protocol: 'h2' }), [null, null]);
  assert.deepEqual(sizesOf({ ...compressed, protocol: 'http/1.1' }), [null, null]);
});

test('of what did not finish, and of redirects, the body is not known; where totals contradict each other nothing is', () => {
  assert.deepEqual(sizesOf({ whole: undefined }), [223, null]);
  assert.deepEqual(sizesOf({ whole: undefined, contentLength: 0 }), [223, 0]);
  assert.deepEqual(sizesOf({ whole: undefined, protocol: 'h2' }), [null, null]);
  assert.deepEqual(sizesOf({ atHeaders: 10_223 }), [null, 10_000], 'a browser that tells the response when all has come');
  assert.deepEqual(sizesOf({ decodedBody: 20_000 }), [null, null], 'a body larger than all that came');
});

/** A visit over all three protocols, whose every response has other headers, where they are given. */
function storedEvidence(headers?: Record<string, string>): Evidence {
  const fixture = new URL('../../fixtures/sharded.evidence.json.gz', import.meta.url);
  const { evidence } = JSON.parse(gunzipSync(readFileSync(fixture)).toString()) as { evidence: Evidence };
  const network = evidence.network.map((event) =>
    event.method === 'Network.responseReceived' && headers !== undefined
      ? { ...event, params: { ...event.params, response: { ...event.params.response, headers } } }
      : event,
  );
  return { ...evidence, network };
}

test('in a visit over all three protocols headers and body make what was transferred, but for the frames of HTTP/2', () => {
  const resources = deriveResources(storedEvidence());
  const known = resources.filter(({ headerBytes, encodedBodyBytes }) => headerBytes !== null && encodedBodyBytes !== null);
  assert.deepEqual(
    resources.filter((one) => !known.includes(one)).map(({ protocol, encodedBodyBytes }) => [protocol, encodedBodyBytes]),
    [
      ['h2', 29_917],
      ['h2', 33_914],
    ],
  );
  for (const { protocol, headerBytes, encodedBodyBytes, transferBytes, url } of known) {
    const frames = transferBytes - (headerBytes ?? 0) - (encodedBodyBytes ?? 0);
    if (protocol === 'h2') assert.ok(frames > 0 && frames % 9 === 0, `${frames} bytes in frames of ${url}`);
    else assert.equal(frames, 0, url);
  }
});

test('headers are kept by their names alone: no cookie, no identifier, no URL, none that changes each time', () => {
  const hostile = {
    'Set-Cookie': 'sid=hostile',
    'X-Auth-Token': 'hostile',
    Location: 'https://example.org/?token=hostile',
    ETag: '"hostile"',
    Date: 'hostile',
    'Server-Timing': 'user;desc=hostile',
    __proto__: 'hostile',
    'cache-control-hostile': 'x',
    'CACHE-CONTROL': 'max-age=60',
    Via: 'v'.repeat(300_000),
    'Content-Type': 'text/html',
  };
  const resources = deriveResources(storedEvidence(hostile));
  assert.deepEqual(resources[0]?.headers, { 'cache-control': 'max-age=60', 'content-type': 'text/html', via: 'v'.repeat(2_000) });
  assert.doesNotMatch(JSON.stringify(resources), /hostile/);
});

test('a visitor’s secrets are in no kept header, even if a server sends them back', () => {
  const token = 'a-token-of-the-visitor';
  const redact = redactor([token]);
  const resources = deriveResources(
    redact(storedEvidence({ via: `1.1 ${token}`, server: token, 'content-type': `text/html; x=${btoa(token)}` })),
  );
  assert.equal(resources[0]?.headers?.via, '1.1 [secret]');
  assert.doesNotMatch(JSON.stringify(resources), new RegExp(`${token}|${btoa(token).slice(0, 20)}`));
});
