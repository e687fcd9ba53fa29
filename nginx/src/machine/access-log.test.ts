import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAccessLog } from './access-log.ts';

// Written by nginx 1.30.6 for Chromium 156: a repeat view over HTTP/3 with early data.
const line =
  '{"time":"1795237205.393","requestTime":"0.012","connectionTime":"0.031","host":"article.pronghorn.test:4433","protocol":"HTTP/3.0","remoteAddress":"127.0.0.1","remotePort":"46167","method":"GET","uri":"/?q=\\"a\\"","status":"200","bytes":"3315","bodyBytes":"2895","resumed":"r","earlyData":"1","tlsProtocol":"TLSv1.3","cipher":"TLS_AES_128_GCM_SHA256","curve":"X25519","userAgent":"Mozilla/5.0"}\n';

test('a line becomes an entry with numbers, and the protocol as Chrome writes it', () => {
  assert.deepEqual(parseAccessLog(line), [
    {
      time: 1795237205.393,
      requestTimeMs: 12,
      connectionAgeMs: null,
      host: 'article.pronghorn.test:4433',
      protocol: 'h3',
      remoteAddress: '127.0.0.1',
      remotePort: 46167,
      method: 'GET',
      uri: '/?q="a"',
      status: 200,
      bytes: 3315,
      bodyBytes: 2895,
      tlsResumed: true,
      earlyData: true,
      tlsProtocol: 'TLSv1.3',
      cipher: 'TLS_AES_128_GCM_SHA256',
      curve: 'X25519',
      userAgent: 'Mozilla/5.0',
    },
  ]);
});

test('a new connection without early data, and a request without a status', () => {
  const other = line
    .replace('"resumed":"r"', '"resumed":"."')
    .replace('"earlyData":"1"', '"earlyData":""')
    .replace('"status":"200"', '"status":"000"');
  const [entry] = parseAccessLog(other.replace('HTTP/3.0', 'HTTP/1.1'));
  assert.deepEqual([entry?.tlsResumed, entry?.earlyData, entry?.status, entry?.protocol], [false, false, 0, 'http/1.1']);
  assert.equal(entry?.connectionAgeMs, 31, 'over HTTP/3 it would be the stream’s');
});

test('a line that is still being written is left for later', () => {
  assert.equal(parseAccessLog(line + line.slice(0, 40)).length, 1);
  assert.deepEqual(parseAccessLog(''), []);
});

test('a line of another format is an error with its number', () => {
  assert.throws(() => parseAccessLog(`${line}127.0.0.1 - - "GET /"\n`), /access log, line 2: .*127\.0\.0\.1 - -/);
});
