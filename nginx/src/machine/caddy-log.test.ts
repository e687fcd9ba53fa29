import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAccessLog } from './access-log.ts';

// Written by Caddy 2.11.4 with the origin's configuration.
const line =
  '{"level":"info","ts":1795247350.7257178,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"127.0.0.1","remote_port":"60780","proto":"HTTP/3.0","method":"GET","uri":"/?q=\\"a\\"","tls":{"resumed":true,"version":772,"cipher_suite":4865,"proto":"h3","server_name":"shop.pronghorn.test","ech":false}},"duration":0.012346746,"size":19611,"status":200,"userAgent":"Mozilla/5.0","port":"4433","hostname":"shop.pronghorn.test","earlyData":"1"}\n';

test('a line of Caddy’s becomes an entry as nginx’s does; what Caddy doesn’t count is null, what it doesn’t tell is empty', () => {
  assert.deepEqual(parseAccessLog(line), [
    {
      time: 1795247350.726,
      requestTimeMs: 12,
      connectionAgeMs: null,
      host: 'shop.pronghorn.test:4433',
      protocol: 'h3',
      remoteAddress: '127.0.0.1',
      remotePort: 60780,
      method: 'GET',
      uri: '/?q="a"',
      status: 200,
      bytes: null,
      bodyBytes: 19611,
      tlsResumed: true,
      earlyData: true,
      tlsProtocol: 'TLSv1.3',
      cipher: 'TLS_AES_128_GCM_SHA256',
      curve: '',
      userAgent: 'Mozilla/5.0',
    },
  ]);
});

test('a request after the handshake was no early data', () => {
  const [entry] = parseAccessLog(line.replace(',"earlyData":"1"', '').replace('HTTP/3.0', 'HTTP/2.0'));
  assert.deepEqual([entry?.earlyData, entry?.protocol], [false, 'h2']);
});
